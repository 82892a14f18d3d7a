import CWebImageGTK

/// Determines whether a widget is visible, and reports possible changes of the visibility.
///
/// A widget is visible if it is mapped, if the widget and all its ancestors have an opacity above 0, and if at least
/// one of its pixels is inside the viewport of every scrolled window around the widget.
@MainActor final class WidgetVisibility {
    private let widget: OpaquePointer
    private let changed: @MainActor () -> Void
    private var watched: [(object: OpaquePointer, connection: UInt)] = []

    init(_ widget: OpaquePointer, changed: @escaping @MainActor () -> Void) {
        self.widget = widget
        self.changed = changed
        Signal.connect(widget, "map") { [weak self] _ in
            self?.watch()
            self?.changed()
        }
        Signal.connect(widget, "unmap") { [weak self] _ in self?.unwatch() }
        if gtk_widget_get_mapped(UnsafeMutablePointer(widget)) != 0 { watch() }
    }

    isolated deinit { disconnect() }

    var isVisible: Bool {
        let widget = UnsafeMutablePointer<GtkWidget>(widget)
        guard gtk_widget_get_mapped(widget) != 0 else { return false }
        var ancestor: UnsafeMutablePointer<GtkWidget>? = widget
        while let current = ancestor {
            if gtk_widget_get_opacity(current) <= 0 { return false }
            if Self.isScrolled(current), !isInside(current) { return false }
            ancestor = gtk_widget_get_parent(current)
        }
        return true
    }

    private func isInside(_ viewport: UnsafeMutablePointer<GtkWidget>) -> Bool {
        let widget = UnsafeMutablePointer<GtkWidget>(widget)
        var bounds = graphene_rect_t()
        // A widget has no bounds before its first allocation. Such a widget counts as visible until it is checked again
        // with the next frame.
        guard gtk_widget_get_width(widget) > 0, gtk_widget_compute_bounds(widget, viewport, &bounds) != 0 else {
            return true
        }
        let (width, height) = (Float(gtk_widget_get_width(viewport)), Float(gtk_widget_get_height(viewport)))
        return bounds.origin.x < width && bounds.origin.x + bounds.size.width > 0
            && bounds.origin.y < height && bounds.origin.y + bounds.size.height > 0
    }

    private func watch() {
        disconnect()
        var ancestor: UnsafeMutablePointer<GtkWidget>? = UnsafeMutablePointer(widget)
        while let current = ancestor {
            listen(OpaquePointer(current), "notify::opacity")
            if Self.isScrolled(current) {
                let window = OpaquePointer(current)
                for adjustment in [
                    gtk_scrolled_window_get_hadjustment(window), gtk_scrolled_window_get_vadjustment(window),
                ] {
                    guard let adjustment else { continue }
                    listen(OpaquePointer(adjustment), "value-changed")
                    listen(OpaquePointer(adjustment), "changed")
                }
            }
            ancestor = gtk_widget_get_parent(current)
        }
    }

    private func unwatch() {
        disconnect()
        changed()
    }

    private func listen(_ object: OpaquePointer, _ signal: String) {
        let connection = Signal.connect(object, signal) { [weak self] _ in self?.scheduleCheck() }
        // Retain each watched object except the widget itself, because a retained widget would never be freed. The
        // objects are released at "unmap", before the ancestors are destroyed.
        if object != widget { g_object_ref(UnsafeMutableRawPointer(object)) }
        watched.append((object, connection))
    }

    /// Schedules a check after the next layout, because a scroll moves children during the layout.
    private func scheduleCheck() {
        isAskedAgain = true
        guard !isScheduled else { return }
        isScheduled = true
        framesToWait = 2
        gtk_widget_add_tick_callback(
            UnsafeMutablePointer(widget),
            { _, _, box in
                guard let box else { return 0 }
                let visibility = Unmanaged<WidgetVisibility>.fromOpaque(box).takeUnretainedValue()
                return MainActor.assumeIsolated { visibility.hasFrame() } ? 1 : 0
            },
            Unmanaged.passRetained(self).toOpaque(),
            { box in
                guard let box else { return }
                let visibility = Unmanaged<WidgetVisibility>.fromOpaque(box).takeRetainedValue()
                MainActor.assumeIsolated { visibility.isScheduled = false }
            })
    }

    /// Checks the layout of the previous frame, because tick callbacks run before the layout of their own frame.
    /// Returns true if GTK must call this function again.
    private func hasFrame() -> Bool {
        framesToWait -= 1
        guard framesToWait <= 0 else {
            isAskedAgain = false
            return true
        }
        // During a scroll, each frame checks the layout of the previous frame. After the scroll has ended, one more
        // frame checks the last layout.
        let goesOn = isAskedAgain
        isAskedAgain = false
        if !watched.isEmpty { changed() }
        return goesOn
    }

    private var framesToWait = 0
    /// Whether a check was requested since the last frame.
    private var isAskedAgain = false
    private var isScheduled = false

    private func disconnect() {
        for (object, connection) in watched {
            Signal.disconnect(object, connection)
            if object != widget { g_object_unref(UnsafeMutableRawPointer(object)) }
        }
        watched = []
    }

    private static func isScrolled(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        widget.withMemoryRebound(to: GTypeInstance.self, capacity: 1) {
            g_type_check_instance_is_a($0, gtk_scrolled_window_get_type()) != 0
        }
    }
}
