import CPhotoBrowserGTK
import Foundation
import WebImage
import WebImageGTK

/// The window: the grid, or one photo large.
///
/// Keys: the arrows move in the grid; Return opens a photo. In the large view, Left and Right (or Page Up and Page Down)
/// show the next photo, + and - zoom, 0 fits the photo, Escape returns to the grid. F11 is full screen, D the dark theme, Q
/// ends the program. Control and the wheel zoom as well.
@MainActor final class Browser {
    let window: OpaquePointer
    private let photos: [Photo]
    private let stack: OpaquePointer
    private let status = gtk_label_new(nil)
    private let large = LargeView()
    private var grid: PhotoGrid?
    private var isDark: Bool { didSet { applyTheme() } }
    private var isFullScreen = false
    private let ended: @MainActor () -> Void
    /// The photo in the large view. Nil while the grid is shown.
    private var position: Int?

    init(_ photos: [Photo], isDark: Bool, ended: @escaping @MainActor () -> Void) {
        self.photos = photos
        self.isDark = isDark
        self.ended = ended
        let window = gtk_window_new()
        self.window = OpaquePointer(window!)
        stack = OpaquePointer(gtk_stack_new()!)
        let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        let grid = PhotoGrid(photos) { [weak self] in self?.open($0) }
        self.grid = grid
        gtk_stack_add_named(stack, gtkCast(grid.widget), "grid")
        gtk_stack_add_named(stack, gtkCast(large.widget), "large")
        gtk_stack_set_transition_type(stack, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        gtk_widget_set_vexpand(gtkCast(stack), 1)
        gtk_label_set_ellipsize(OpaquePointer(status), PANGO_ELLIPSIZE_MIDDLE)
        gtk_widget_set_margin_top(status, 6)
        gtk_widget_set_margin_bottom(status, 6)
        gtk_box_append(gtkCast(column), gtkCast(stack))
        gtk_box_append(gtkCast(column), status)
        gtk_window_set_child(gtkCast(window), column)
        gtk_window_set_default_size(gtkCast(window), 980, 720)
        Signals.onChange(self.window, "destroy") { ended() }
        listen()
        applyTheme()
        describe()
        // Otherwise the first key would only move the focus into the grid.
        grid.select(0)
    }

    /// Shows a photo large.
    func open(_ position: Int, completed: (@MainActor (Image?, WebImageError?) -> Void)? = nil) {
        self.position = position
        grid?.stopSelecting()
        gtk_stack_set_visible_child_name(stack, "large")
        gtk_widget_grab_focus(gtkCast(large.widget))
        large.show(photos[position], completed: completed)
        // A click on an arrow key should show its photo at once.
        for next in [position + 1, position - 1] where photos.indices.contains(next) {
            WebImagePrefetcher.shared.prefetchURLs([photos[next].url])
        }
        describe()
    }

    /// Returns to the grid, with the focus on the photo that was shown.
    func close() {
        guard let position else { return }
        self.position = nil
        large.clear()
        gtk_stack_set_visible_child_name(stack, "grid")
        grid?.select(position)
        describe()
    }

    /// Whether an arrow key moves on from a photo of the grid.
    func isFocused(_ position: Int) -> Bool { self.position == nil && grid?.hasFocus(position) == true }

    private func listen() {
        let keys = gtk_event_controller_key_new()
        // Before the widgets, because the scrolled window uses the arrow keys as well.
        gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
        Signals.onKey(keys) { [weak self] in self?.press($0) ?? false }
        gtk_widget_add_controller(gtkCast(window), keys)
        let wheel = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)
        gtk_event_controller_set_propagation_phase(wheel, GTK_PHASE_CAPTURE)
        Signals.onScroll(wheel) { [weak self] steps in
            guard let self, position != nil else { return false }
            return zoom(by: steps < 0 ? 1.25 : 0.8)
        }
        gtk_widget_add_controller(gtkCast(large.widget), wheel)
    }

    /// Handles a key. Returns false for keys that the focused widget should handle.
    private func press(_ key: guint) -> Bool {
        switch Int32(key) {
        case GDK_KEY_q, GDK_KEY_Q: ended()
        case GDK_KEY_d, GDK_KEY_D: isDark.toggle()
        case GDK_KEY_F11:
            isFullScreen.toggle()
            isFullScreen ? gtk_window_fullscreen(gtkCast(window)) : gtk_window_unfullscreen(gtkCast(window))
        case GDK_KEY_Escape where position != nil, GDK_KEY_BackSpace where position != nil: close()
        case GDK_KEY_Left where position != nil, GDK_KEY_Page_Up where position != nil: step(by: -1)
        case GDK_KEY_Right where position != nil, GDK_KEY_Page_Down where position != nil: step(by: 1)
        case GDK_KEY_plus where position != nil, GDK_KEY_equal where position != nil,
            GDK_KEY_KP_Add where position != nil:
            return zoom(by: 1.25)
        case GDK_KEY_minus where position != nil, GDK_KEY_KP_Subtract where position != nil: return zoom(by: 0.8)
        case GDK_KEY_0 where position != nil:
            large.setZoom(1)
            describe()
        default: return false
        }
        return true
    }

    private func step(by amount: Int) {
        guard let next = position.map({ $0 + amount }), photos.indices.contains(next) else { return }
        open(next)
    }

    private func zoom(by factor: Double) -> Bool {
        large.changeZoom(by: factor)
        describe()
        return true
    }

    private func describe() {
        guard let position else {
            gtk_window_set_title(gtkCast(window), "Photos")
            gtk_label_set_text(OpaquePointer(status), "\(photos.count) photos · Return opens one, D is the dark theme")
            return
        }
        let name = photos[position].name
        gtk_window_set_title(gtkCast(window), name)
        let zoom = large.zoom > 1 ? " · \(Int(large.zoom * 100)) %" : ""
        gtk_label_set_text(OpaquePointer(status), "\(name) · \(position + 1) of \(photos.count)\(zoom)")
    }

    private func applyTheme() {
        var value = GValue()
        g_value_init(&value, GType(5 << 2))  // G_TYPE_BOOLEAN, which is a macro in C.
        g_value_set_boolean(&value, isDark ? 1 : 0)
        g_object_set_property(gtkCast(gtk_settings_get_default()), "gtk-application-prefer-dark-theme", &value)
        g_value_unset(&value)
    }
}
