import CWebImageGTK
import CWebImageGTKShim

/// Finds the GTK list that contains a row, and determines which rows of the list are visible.
@MainActor final class ListViewport {
    /// The `GtkListView` or `GtkGridView`; nil after it was destroyed.
    private var list: OpaquePointer?
    private let changed: @MainActor () -> Void
    private var watched: [(object: OpaquePointer, connection: UInt)] = []
    private var connections: [UInt] = []
    private var link: GTKDisplayLink?
    private var paints: (clock: OpaquePointer, connection: UInt)?
    /// `isAskedAgain` is true if a check was requested after the last frame began. `isDue` is true if a check must run
    /// when the current frame ends.
    private var isAskedAgain = false
    private var isDue = false

    /// Finds the list that contains a row's widget. Returns nil if no list contains the widget.
    init?(around row: OpaquePointer, changed: @escaping @MainActor () -> Void) {
        guard let list = Self.list(around: row) else { return nil }
        self.list = list
        self.changed = changed
        connections = [Signal.connect(list, "destroy") { [weak self] _ in self?.listWasDestroyed() }]
        for name in ["notify::vadjustment", "notify::hadjustment", "notify::model", "map"] {
            connections.append(Signal.connect(list, name) { [weak self] _ in self?.watch() })
        }
        watch()
    }

    isolated deinit {
        endFrames()
        unwatch()
        guard let list else { return }
        for connection in connections { Signal.disconnect(list, connection) }
    }

    /// The number of rows in the list's model.
    var count: Int { model.map { Int(g_list_model_get_n_items($0)) } ?? 0 }

    private var model: OpaquePointer? {
        guard let list else { return nil }
        let isGrid = Self.isInstance(list, gtk_grid_view_get_type())
        return isGrid ? gtk_grid_view_get_model(list) : gtk_list_view_get_model(list)
    }

    /// Returns the positions with at least one pixel inside the list's area, which is as large as the viewport. `rows`
    /// must be ordered by position.
    func visible(_ rows: [PlacedRow]) -> Range<Int> {
        guard let list else { return 0..<0 }
        // In a vertical list, each row is below the previous row, so a binary search finds the first visible row. In a
        // horizontal list, the order depends on the text direction, so every row is examined.
        let isDown = gtk_orientable_get_orientation(list) == GTK_ORIENTATION_VERTICAL
        let start = isDown ? firstInSight(rows) : nil
        let area = UnsafeMutablePointer<GtkWidget>(list)
        let (width, height) = (Float(gtk_widget_get_width(area)), Float(gtk_widget_get_height(area)))
        var (first, last) = (Int.max, -1)
        for row in rows[(start ?? 0)...] {
            guard let bounds = bounds(of: row.widget) else { continue }
            if start != nil, bounds.origin.y >= height { break }
            guard bounds.origin.y < height, bounds.origin.y + bounds.size.height > 0, bounds.origin.x < width,
                bounds.origin.x + bounds.size.width > 0
            else { continue }
            (first, last) = (min(first, row.position), max(last, row.position))
        }
        return first > last ? 0..<0 : first..<last + 1
    }

    /// Returns the index of the first row that ends below the upper edge of the list; nil if a row has no bounds yet.
    private func firstInSight(_ rows: [PlacedRow]) -> Int? {
        var (index, end) = (0, rows.count)
        while index < end {
            let middle = (index + end) / 2
            guard let bounds = bounds(of: rows[middle].widget) else { return nil }
            if bounds.origin.y + bounds.size.height > 0 { end = middle } else { index = middle + 1 }
        }
        return index
    }

    private func bounds(of row: OpaquePointer) -> graphene_rect_t? {
        guard let list, gtk_widget_get_mapped(UnsafeMutablePointer(row)) != 0 else { return nil }
        var bounds = graphene_rect_t()
        let isKnown = gtk_widget_compute_bounds(UnsafeMutablePointer(row), UnsafeMutablePointer(list), &bounds) != 0
        return isKnown ? bounds : nil
    }

    /// Calls `changed` after the next frame was laid out and drawn.
    ///
    /// Before that time, the bounds of a row still belong to its previous position.
    func scheduleCheck() {
        isAskedAgain = true
        guard link == nil, let list else { return }
        let link = GTKDisplayLink(list)
        self.link = link
        link.start { [weak self] _ in self?.frameBegins() }
    }

    private func frameBegins() {
        guard isAskedAgain, let list, let clock = gtk_widget_get_frame_clock(UnsafeMutablePointer(list)) else {
            return endFrames()
        }
        isAskedAgain = false
        isDue = true
        // A list that moved to another window has another frame clock.
        guard paints?.clock != clock else { return }
        stopPaints()
        g_object_ref(UnsafeMutableRawPointer(clock))
        paints = (clock, Signal.connect(clock, "after-paint") { [weak self] _ in self?.frameEnds() })
    }

    private func frameEnds() {
        guard isDue else { return }
        isDue = false
        changed()
    }

    private func endFrames() {
        link?.stop()
        link = nil
        stopPaints()
    }

    private func stopPaints() {
        guard let (clock, connection) = paints else { return }
        paints = nil
        Signal.disconnect(clock, connection)
        g_object_unref(UnsafeMutableRawPointer(clock))
    }

    /// Reports the scroll value to GTK again.
    ///
    /// Works around GTK 4.8: a list that has never moved shows no rows after a scroll beyond its bound rows. GTK binds
    /// the rows at the new offset only with the next scroll.
    func repeatScroll() {
        guard let list, gtk_widget_get_mapped(UnsafeMutablePointer(list)) != 0 else { return }
        let isVertical = gtk_orientable_get_orientation(list) == GTK_ORIENTATION_VERTICAL
        let adjustment = isVertical ? gtk_scrollable_get_vadjustment(list) : gtk_scrollable_get_hadjustment(list)
        if let adjustment { webimage_repeat_scroll(OpaquePointer(adjustment)) }
    }

    private func watch() {
        unwatch()
        guard let list else { return }
        for adjustment in [gtk_scrollable_get_hadjustment(list), gtk_scrollable_get_vadjustment(list)] {
            guard let adjustment else { continue }
            for signal in ["value-changed", "changed"] { watch(OpaquePointer(adjustment), signal) }
        }
        // After a sort, GTK 4.18 gives each item the row that it had: no row is bound, and the adjustments can stay the
        // same. Rows that have become visible would then not be loaded before the next scroll.
        if let model { watch(model, "items-changed") }
        scheduleCheck()
    }

    private func watch(_ object: OpaquePointer, _ signal: String) {
        g_object_ref(UnsafeMutableRawPointer(object))
        watched.append((object, Signal.connect(object, signal) { [weak self] _ in self?.scheduleCheck() }))
    }

    private func unwatch() {
        for (object, connection) in watched {
            Signal.disconnect(object, connection)
            g_object_unref(UnsafeMutableRawPointer(object))
        }
        watched = []
    }

    private func listWasDestroyed() {
        endFrames()
        unwatch()
        list = nil
    }

    private static func list(around row: OpaquePointer) -> OpaquePointer? {
        var ancestor = gtk_widget_get_parent(UnsafeMutablePointer(row))
        while let current = ancestor {
            let widget = OpaquePointer(current)
            // A column view contains its own list view.
            if isInstance(widget, gtk_list_view_get_type()) || isInstance(widget, gtk_grid_view_get_type()) {
                return widget
            }
            ancestor = gtk_widget_get_parent(current)
        }
        return nil
    }

    private static func isInstance(_ object: OpaquePointer, _ type: GType) -> Bool {
        g_type_check_instance_is_a(UnsafeMutablePointer<GTypeInstance>(object), type) != 0
    }
}
