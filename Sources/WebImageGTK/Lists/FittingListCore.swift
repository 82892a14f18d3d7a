import CWebImageGTK
import CWebImageGTKShim
import Dispatch
import WebImageCore

/// Fills a list area: makes rows, assigns positions to them and keeps visible rows in place.
///
/// The area owns this object. Rows are bound and measured after a change or a scroll, before GTK's next layout. The
/// layout itself binds no rows. It measures the bound rows again and places them.
@MainActor final class FittingListCore {
    private let loader: ListLoader
    private let make: @MainActor () -> any ImageListRow
    private let bind: @MainActor (any ImageListRow, Int) -> Void
    let isVertical: Bool
    /// The longest side that X11 and cairo can draw, in pixels.
    private static let longest = 32767
    private let spacing: Int
    private let defaultExtent: Int

    /// The area; nil after it was destroyed.
    private(set) var area: OpaquePointer?
    private(set) var layout: FittingLayout
    private(set) var bound: [Int: RowLoad] = [:]
    /// The positions whose rows were measured when the width and height of their image were known.
    private var settled: Set<Int> = []
    private var anchor: Int?
    /// Whether the list stays at its end when rows are added or change while its end is visible.
    var staysAtEnd = false {
        didSet {
            isAtEnd = staysAtEnd
            arrange()
        }
    }
    /// Whether the user sees the end of the list, which then stays in place.
    private var isAtEnd = false
    private var spare: [RowLoad] = []
    /// The area's size across the scroll direction (`breadth`) and along it (`page`), in pixels.
    private var breadth = 0
    private(set) var page = 0
    private var link: GTKDisplayLink?
    private var isArranging = false
    /// Whether rows were inserted or removed since the main loop ran. A program that sorts a list removes rows and inserts
    /// them again. A load that begins or ends between the two would be for nothing.
    private var isChanging = false
    /// The extent that the last measured row has in addition to its image.
    private var frame = 0

    var selection = ListSelection()
    var onSelectionChange: (@MainActor (Int?) -> Void)?
    var onActivate: (@MainActor (Int) -> Void)?
    var activatesOnSingleClick = false

    init(
        isVertical: Bool, count: Int, spacing: Int, defaultExtent: Int, loader: ListLoader,
        make: @escaping @MainActor () -> any ImageListRow, bind: @escaping @MainActor (any ImageListRow, Int) -> Void
    ) {
        self.isVertical = isVertical
        self.spacing = min(max(spacing, 0), Self.longest)
        self.defaultExtent = min(max(defaultExtent, 1), Self.longest)
        self.loader = loader
        self.make = make
        self.bind = bind
        layout = FittingLayout(count: max(count, 0), extent: self.defaultExtent + self.spacing)
        loader.onSize = { [weak self] in self?.hasSize($1, $0) }
    }

    /// Makes the area. The area keeps this object alive until the area is destroyed.
    func makeArea() -> OpaquePointer {
        let callbacks = webimage_list_area_callbacks(
            allocate: { owner, width, height in
                let core = Unmanaged<FittingListCore>.fromOpaque(owner).takeUnretainedValue()
                MainActor.assumeIsolated { core.allocate(Int(width), Int(height)) }
            },
            scrolled: { owner in
                let core = Unmanaged<FittingListCore>.fromOpaque(owner).takeUnretainedValue()
                MainActor.assumeIsolated { core.hasScrolled() }
            },
            key: { owner, key in
                let core = Unmanaged<FittingListCore>.fromOpaque(owner).takeUnretainedValue()
                return MainActor.assumeIsolated { core.hasKey(key) }
            },
            clicked: { owner, count, x, y in
                let core = Unmanaged<FittingListCore>.fromOpaque(owner).takeUnretainedValue()
                MainActor.assumeIsolated { core.wasClicked(Int(count), x: x, y: y) }
            },
            focus: { owner in
                let core = Unmanaged<FittingListCore>.fromOpaque(owner).takeUnretainedValue()
                return MainActor.assumeIsolated { core.takesFocus() }
            },
            release: { owner in
                let core = Unmanaged<FittingListCore>.fromOpaque(owner).takeRetainedValue()
                MainActor.assumeIsolated { core.areaWasDestroyed() }
            })
        let area = webimage_list_area_new(Unmanaged.passRetained(self).toOpaque(), callbacks, isVertical)
        self.area = area
        directionChanged()
        Signal.connect(area, "direction-changed") { [weak self] _ in self?.directionChanged() }
        return area
    }

    /// The adjustment that scrolls the list.
    var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
        guard let area else { return nil }
        return isVertical ? gtk_scrollable_get_vadjustment(area) : gtk_scrollable_get_hadjustment(area)
    }

    /// Whether the rows follow each other from right to left. The scroll axis still begins at the left, as in every
    /// GTK widget, so an offset `x` of the list has the place `-x` on the scroll axis.
    private(set) var isMirrored = false

    /// The offset of the list at which the viewport begins.
    var value: Double {
        guard let adjustment else { return 0 }
        let place = gtk_adjustment_get_value(adjustment)
        return isMirrored ? -place - gtk_adjustment_get_page_size(adjustment) : place
    }

    /// Moves the viewport to an offset of the list.
    func scroll(to value: Double) {
        guard let adjustment else { return }
        let page = gtk_adjustment_get_page_size(adjustment)
        gtk_adjustment_set_value(adjustment, isMirrored ? -value - page : value)
    }

    /// Follows the text direction of the area. Keeps the rows in place.
    private func directionChanged() {
        guard let area, !isVertical else { return }
        let isNew = gtk_widget_get_direction(UnsafeMutablePointer(area)) == GTK_TEXT_DIR_RTL
        guard isNew != isMirrored else { return }
        let value = value
        isMirrored = isNew
        configure(value)
        gtk_widget_queue_allocate(UnsafeMutablePointer(area))
    }

    /// Returns the anchor, which is the row that stays in place. Chooses another anchor when the previous anchor is no
    /// longer settled and fully visible.
    private func chooseAnchor() -> Int {
        if isAtEnd {
            // The position behind the last row: every change is above it.
            anchor = layout.count
            return layout.count
        }
        let row = layout.anchor(
            value: value, page: Double(page), previous: anchor, isSettled: { settled.contains($0) })
        anchor = row
        return row
    }

    /// Chooses the anchor again after rows were measured, if `previous` was not kept. Rows that were settled by this
    /// measurement are now the first that the user sees. If one of the rows below was the anchor, these would move when
    /// a row between them changes.
    private func chooseAnchorAfterMeasuring(unless previous: Int?) {
        guard anchor != previous else { return }
        anchor = nil
        _ = chooseAnchor()
    }

    // MARK: Rows

    /// Calls `body` with the layout and the anchor, and shows the changed layout. `positions` maps each old position to
    /// the new position; nil means that the row was removed or must be requested again.
    private func change(_ positions: (Int) -> Int?, _ body: (inout FittingLayout, _ anchor: Int) -> Void) {
        let old = chooseAnchor()
        body(&layout, old)
        anchor = positions(old)
        let selected = selection.selected
        selection.follow(positions)
        settled = Set(settled.compactMap(positions))
        let rows = bound
        bound = [:]
        loader.reset()
        for (position, row) in rows {
            if let new = positions(position) {
                bound[new] = row
                row.move(to: new)
                webimage_list_row_set_place(row.container, gint(new), gint(layout.count))
            } else {
                release(row)
            }
        }
        if !isChanging {
            isChanging = true
            DispatchQueue.main.async { [weak self] in MainActor.assumeIsolated { self?.changesEnded() } }
        }
        arrange()
        if selection.selected != selected { onSelectionChange?(selection.selected) }
    }

    /// Sets the number of rows and requests the content of every row again.
    func reload(count: Int) {
        change({ _ in nil }) { layout, anchor in
            if count < layout.count { layout.remove(count..<layout.count, keeping: anchor) }
            let new = count - layout.count
            if new > 0 { layout.insert(new, extent: defaultExtent + spacing, at: layout.count, keeping: anchor) }
        }
    }

    func insert(_ count: Int, at position: Int) {
        change({ $0 < position ? $0 : $0 + count }) { layout, anchor in
            layout.insert(count, extent: defaultExtent + spacing, at: position, keeping: anchor)
        }
    }

    func remove(_ positions: Range<Int>) {
        change({ positions.contains($0) ? nil : $0 < positions.lowerBound ? $0 : $0 - positions.count }) {
            layout, anchor in layout.remove(positions, keeping: anchor)
        }
    }

    private func changesEnded() {
        isChanging = false
        arrange()
    }

    private func take(_ position: Int) -> RowLoad {
        let load = spareRow(for: position) ?? makeRow()
        gtk_widget_set_child_visible(UnsafeMutablePointer(load.container), 1)
        bound[position] = load
        webimage_list_row_set_place(load.container, gint(position), gint(layout.count))
        markSelection(of: load, position)
        bind(load.row, position)
        loader.bind(load, at: position)
        giveFocusBack(to: position)
        return load
    }

    /// Returns an unused row. Prefers the row that last had the position, because after a reload of the list this row
    /// still shows the picture.
    private func spareRow(for position: Int) -> RowLoad? {
        guard let own = spare.lastIndex(where: { $0.lastPosition == position }) else { return spare.popLast() }
        return spare.remove(at: own)
    }

    private func makeRow() -> RowLoad {
        let row = make()
        row.fittingView?.onChange = { [weak self] in self?.schedule() }
        let container = webimage_list_row_new(row.widget)
        if let area {
            gtk_widget_set_parent(UnsafeMutablePointer(container), UnsafeMutablePointer<GtkWidget>(area))
        }
        return RowLoad(row, in: container)
    }

    private func release(_ load: RowLoad) {
        loader.unbind(load)
        keepFocus(of: load)
        gtk_widget_set_child_visible(UnsafeMutablePointer(load.container), 0)
        spare.append(load)
    }

    // MARK: Extents

    /// Receives the size of an image before its row has widgets, so that the row appears with its final extent.
    private func hasSize(_ size: PixelSize, _ position: Int) {
        guard breadth > 0, bound[position] == nil, position < layout.count, size.width > 0, size.height > 0 else {
            return
        }
        let ratio = isVertical ? Double(size.height) / Double(size.width) : Double(size.width) / Double(size.height)
        let extent = Int(min((Double(breadth) * ratio).rounded(), Double(Self.longest))) + frame + spacing
        layout.setExtent(extent, of: position, keeping: chooseAnchor())
        schedule()
    }

    /// Returns a row's side across the list: the list's side, or the row's least one if it is larger.
    ///
    /// The list can be too narrow for a row that is new or has changed, until GTK has measured the list again.
    private func breadth(of load: RowLoad) -> gint {
        var least: gint = 0
        gtk_widget_measure(
            UnsafeMutablePointer(load.container), isVertical ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL,
            -1, &least, nil, nil, nil)
        return max(gint(breadth), least)
    }

    private func measured(_ load: RowLoad) -> Int {
        let row = load.row
        let breadth = breadth(of: load)
        var natural: gint = 0
        gtk_widget_measure(
            UnsafeMutablePointer(load.container), isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL,
            breadth, nil, &natural, nil, nil)
        if let picture = row.fittingView?.widget {
            var own: gint = 0
            gtk_widget_measure(
                UnsafeMutablePointer(picture), isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL,
                breadth, nil, &own, nil, nil)
            frame = Int(max(natural - own, 0))
        }
        return Int(max(natural, 1)) + spacing
    }

    /// Sets each bound row's extent to its natural extent, without moving the anchor.
    private func measure(keeping anchor: Int) {
        for (position, load) in bound {
            layout.setExtent(measured(load), of: position, keeping: anchor)
            if load.row.fittingView?.isFitting ?? true { settled.insert(position) }
        }
    }

    // MARK: Arranging

    private func hasScrolled() {
        guard !isArranging else { return }
        // A list that has no size yet was not scrolled by the user: its scrolled window has given it an adjustment.
        if page > 0 { isAtEnd = staysAtEnd && value + Double(page) >= Double(layout.end - spacing) - 1 }
        arrange()
    }

    /// Arranges the rows before the next layout.
    func schedule() {
        guard link == nil, !isArranging, let area else { return }
        let link = GTKDisplayLink(area)
        self.link = link
        link.start { [weak self] _ in
            self?.endSchedule()
            self?.arrange()
        }
    }

    private func endSchedule() {
        link?.stop()
        link = nil
    }

    /// Binds and measures the rows that are visible or at most half a screen away, and releases all other rows. Moves
    /// the beginning of the list as needed.
    func arrange() {
        guard let area, breadth > 0, page > 0, !isArranging else { return }
        isArranging = true
        defer {
            isArranging = false
            // While the list scrolls fast, rows that pass are not loaded. Check again in the next frame, so that the
            // rows load when the list slows down.
            if loader.isRacing { schedule() }
        }
        let previous = self.anchor
        let anchor = chooseAnchor()
        if isAtEnd { configure() }
        var near = 0..<0
        // If rows are smaller than assumed, more rows are needed to fill the area. Each pass binds at least one row.
        // Eight passes are usually enough to fill a screen. Otherwise the next frame binds the missing rows.
        for _ in 0..<8 {
            let over = Double(page) / 2
            near = layout.rows(from: value - over, to: value + Double(page) + over)
            let isComplete = near.allSatisfy { bound[$0] != nil }
            for (position, load) in bound where !near.contains(position) {
                bound[position] = nil
                settled.remove(position)
                release(load)
            }
            for position in near where bound[position] == nil { _ = take(position) }
            measure(keeping: anchor)
            if isComplete { break }
        }
        chooseAnchorAfterMeasuring(unless: previous)
        configure()
        if !isChanging {
            loader.update(visible: layout.rows(from: value, to: value + Double(page)), count: layout.count)
        }
        gtk_widget_queue_allocate(UnsafeMutablePointer(area))
    }

    /// Sets the range of the scroll axis; `value` is the offset of the list at which the viewport begins, by default the
    /// present one.
    private func configure(_ value: Double? = nil) {
        guard let adjustment else { return }
        let (lower, page) = (Double(layout.origin), Double(page))
        let upper = max(Double(layout.end - (layout.count > 0 ? spacing : 0)), lower + page)
        let value = value ?? (isAtEnd ? upper - page : self.value)
        if isMirrored {
            gtk_adjustment_configure(adjustment, -value - page, -upper, -lower, page * 0.1, page * 0.9, page)
        } else {
            gtk_adjustment_configure(adjustment, value, lower, upper, page * 0.1, page * 0.9, page)
        }
    }

    private func allocate(_ width: Int, _ height: Int) {
        let (newBreadth, newPage) = isVertical ? (width, height) : (height, width)
        let wasArranging = isArranging
        isArranging = true
        let previous = self.anchor
        let anchor = chooseAnchor()
        var needsRows = false
        if newBreadth != breadth, newBreadth > 0 {
            let old = breadth
            breadth = newBreadth
            // Scale all extents in proportion to the breadth. For rows without widgets, the result is an estimate. It
            // is corrected when these rows are measured.
            if old > 0 {
                layout.changeAll(keeping: anchor) { max(1, ($0 - spacing) * newBreadth / old) + spacing }
            }
            needsRows = true
        }
        if newPage != page {
            page = newPage
            needsRows = true
        }
        if breadth > 0 {
            measure(keeping: anchor)
            chooseAnchorAfterMeasuring(unless: previous)
            configure()
            place()
        }
        isArranging = wasArranging
        // If rows became smaller, more rows are visible. Bind them before the next layout.
        let sight = layout.rows(from: value, to: value + Double(page))
        if needsRows || !sight.allSatisfy({ bound[$0] != nil }) { schedule() }
    }

    private func place() {
        let value = Int(value.rounded())
        for (position, load) in bound {
            let start = gint(clamping: layout.start(of: position) - value)
            let extent = gint(clamping: max(layout.extents[position] - spacing, 1))
            let breadth = breadth(of: load)
            var allocation =
                isVertical
                ? GtkAllocation(x: 0, y: start, width: breadth, height: extent)
                : GtkAllocation(
                    x: isMirrored ? gint(page) - start - extent : start, y: 0, width: extent, height: breadth)
            gtk_widget_size_allocate(UnsafeMutablePointer(load.container), &allocation, -1)
        }
    }

    private func areaWasDestroyed() {
        endSchedule()
        area = nil
        let rows = bound.values
        bound = [:]
        spare = []
        for row in rows { loader.unbind(row) }
        loader.end()
    }
}
