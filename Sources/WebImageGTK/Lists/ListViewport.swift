import CWebImageGTK
import CWebImageGTKShim
import WebImageCore

/// The GTK list that contains a row, and its visible rows.
@MainActor final class ListViewport {
    /// The `GtkListView` or `GtkGridView`; nil once it is destroyed.
    private var list: OpaquePointer?
    private let changed: @MainActor () -> Void
    private var watched: [(object: OpaquePointer, connection: UInt)] = []
    private var connections: [UInt] = []
    private var link: GTKDisplayLink?
    private var paints: (clock: OpaquePointer, connection: UInt)?
    /// Whether a change happened since the last frame began and the last check.
    private var isAskedAgain = false
    private var isDue = false

    /// Finds the list that contains a row's widget; nil if there is none.
    init?(around row: OpaquePointer, changed: @escaping @MainActor () -> Void) {
        guard let list = Self.list(around: row) else { return nil }
        self.list = list
        self.changed = changed
        connections = [Signal.connect(list, "destroy") { [weak self] _ in self?.listWasDestroyed() }]
        for name in ["notify::vadjustment", "notify::hadjustment", "map"] {
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

    /// The number of rows of the list's model.
    var count: Int {
        guard let list else { return 0 }
        let isGrid = Self.isInstance(list, gtk_grid_view_get_type())
        guard let model = isGrid ? gtk_grid_view_get_model(list) : gtk_list_view_get_model(list) else { return 0 }
        return Int(g_list_model_get_n_items(model))
    }

    /// Returns the positions with at least one pixel inside the list, whose allocation is the visible area. `rows` are
    /// in order.
    func visible(_ rows: [PlacedRow]) -> Range<Int> {
        guard let list else { return 0..<0 }
        // In a vertical list rows follow each other, so that a few checks find the visible ones. In a horizontal list
        // the text direction determines the order.
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

    /// Returns the first row that ends below the upper edge; nil if a row has no position.
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

    /// Schedules `changed` after the next frame's layout and drawing.
    ///
    /// Before that, rows still have the places of their previous positions.
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
        // Each window has a frame clock of its own.
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

    /// Sets the list's scroll position again.
    ///
    /// If a list of GTK 4.8 was never scrolled and its first scroll goes beyond the bound rows, it shows no rows: it
    /// binds those of the new position only at the next scroll.
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
            let object = OpaquePointer(adjustment)
            for signal in ["value-changed", "changed"] {
                g_object_ref(UnsafeMutableRawPointer(object))
                watched.append((object, Signal.connect(object, signal) { [weak self] _ in self?.scheduleCheck() }))
            }
        }
        scheduleCheck()
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
            // A column view contains a list view.
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
