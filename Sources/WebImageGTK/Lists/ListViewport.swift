import CGTK
import CGTKShim
import WebImageCore

/// The GTK list around a row, and which of its rows can be seen.
@MainActor final class ListViewport {
    /// The `GtkListView` or `GtkGridView`; nil once it is destroyed.
    private var list: OpaquePointer?
    private let changed: @MainActor () -> Void
    private var watched: [(object: OpaquePointer, connection: UInt)] = []
    private var connections: [UInt] = []
    private var link: GTKDisplayLink?
    private var framesToWait = 0
    private var isAskedAgain = false

    /// Finds the list that a row's widget stands in; nil while it stands in none.
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
        link?.stop()
        unwatch()
        guard let list else { return }
        for connection in connections { g_signal_handler_disconnect(UnsafeMutableRawPointer(list), connection) }
    }

    /// How many rows the list's model has.
    var count: Int {
        guard let list else { return 0 }
        let isGrid = Self.isInstance(list, gtk_grid_view_get_type())
        guard let model = isGrid ? gtk_grid_view_get_model(list) : gtk_list_view_get_model(list) else { return 0 }
        return Int(g_list_model_get_n_items(model))
    }

    /// Whether a pixel of the row is inside the list, which is as large as what is seen of it.
    func shows(_ row: OpaquePointer) -> Bool {
        guard let list, gtk_widget_get_mapped(UnsafeMutablePointer(row)) != 0 else { return false }
        let (row, area) = (UnsafeMutablePointer<GtkWidget>(row), UnsafeMutablePointer<GtkWidget>(list))
        var bounds = graphene_rect_t()
        guard gtk_widget_compute_bounds(row, area, &bounds) != 0 else { return false }
        return bounds.origin.y < Float(gtk_widget_get_height(area)) && bounds.origin.y + bounds.size.height > 0
            && bounds.origin.x < Float(gtk_widget_get_width(area)) && bounds.origin.x + bounds.size.width > 0
    }

    /// Asks for `changed` after the next layout.
    func scheduleCheck() {
        isAskedAgain = true
        guard link == nil, let list else { return }
        // A frame begins with its callbacks and lays out after them: the second one sees what the first laid out.
        framesToWait = 2
        let link = GTKDisplayLink(list)
        self.link = link
        link.start { [weak self] _ in self?.hasFrame() }
    }

    /// Tells GTK again where the list stands.
    ///
    /// A list of GTK 4.8 that has never moved answers a scroll that goes beyond the rows it has bound by showing none: it
    /// binds the new place's rows with the next scroll only.
    func repeatScroll() {
        guard let list, gtk_widget_get_mapped(UnsafeMutablePointer(list)) != 0 else { return }
        let isVertical = gtk_orientable_get_orientation(list) == GTK_ORIENTATION_VERTICAL
        let adjustment = isVertical ? gtk_scrollable_get_vadjustment(list) : gtk_scrollable_get_hadjustment(list)
        if let adjustment { webimage_repeat_scroll(OpaquePointer(adjustment)) }
    }

    private func hasFrame() {
        framesToWait -= 1
        guard framesToWait <= 0 else {
            isAskedAgain = false
            return
        }
        // A list that goes on moving is looked at in every frame, and once more when it has stopped.
        if !isAskedAgain {
            link?.stop()
            link = nil
        }
        isAskedAgain = false
        changed()
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
            g_signal_handler_disconnect(UnsafeMutableRawPointer(object), connection)
            g_object_unref(UnsafeMutableRawPointer(object))
        }
        watched = []
    }

    private func listWasDestroyed() {
        link?.stop()
        link = nil
        unwatch()
        list = nil
    }

    private static func list(around row: OpaquePointer) -> OpaquePointer? {
        var ancestor = gtk_widget_get_parent(UnsafeMutablePointer(row))
        while let current = ancestor {
            let widget = OpaquePointer(current)
            // A column view holds a list view of its own.
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
