import CWebImageGTK
import CWebImageGTKShim
import Foundation
import WebImageCore

/// Lets the user repeat the failed loads of a widget: with a tap, with Return or the space bar, and with an action of a
/// screen reader.
///
/// The widget can have the focus only while a load can be repeated, so that pictures are not stops of the Tab key. A
/// `GtkButton` has all of this itself: a click repeats the load.
@MainActor final class RetryControl {
    private let widget: OpaquePointer
    /// The action `webimage.retry` of the widget; nil for a button.
    private var action: OpaquePointer?
    private var isEnabled = false
    /// Whether the widget could have the focus before it had this object.
    private let wasFocusable: Bool

    /// `retry` is called for every request of the user, also if no load can be repeated.
    init(_ state: ImageWidgetState, retry: @escaping @MainActor () -> Void) {
        widget = state.widget
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        wasFocusable = gtk_widget_get_focusable(own) != 0
        guard !UnsafeMutablePointer<GTypeInstance>(widget).isA(gtk_button_get_type()) else {
            Signal.connect(widget, "clicked") { _ in retry() }
            return
        }
        addAction(retry)
        guard let gesture = gtk_gesture_click_new() else { return }
        Signal.connect(gesture, "released") { _ in retry() }
        gtk_widget_add_controller(own, gesture)
    }

    isolated deinit { if let action { g_object_unref(UnsafeMutableRawPointer(action)) } }

    /// Shows whether a load can be repeated. `failure` is the reason, which a screen reader reads out.
    func update(isEnabled: Bool, failure: WebImageError?) {
        guard let action else { return }
        self.isEnabled = isEnabled
        g_simple_action_set_enabled(action, isEnabled ? 1 : 0)
        webimage_set_accessible_description(widget, isEnabled ? failure?.localizedDescription : nil)
        updateFocus()
    }

    private func addAction(_ retry: @escaping @MainActor () -> Void) {
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        guard let group = g_simple_action_group_new(), let action = g_simple_action_new("retry", nil) else { return }
        self.action = action
        g_simple_action_set_enabled(action, 0)
        Signal.connect(action, "activate") { _ in retry() }
        g_action_map_add_action(OpaquePointer(group), action)
        gtk_widget_insert_action_group(own, "webimage", OpaquePointer(group))
        g_object_unref(group)

        guard let keys = gtk_shortcut_controller_new() else { return }
        let trigger = gtk_shortcut_trigger_parse_string("Return|KP_Enter|space")
        gtk_shortcut_controller_add_shortcut(
            keys, gtk_shortcut_new(trigger, gtk_named_action_new("webimage.retry")))
        gtk_widget_add_controller(own, keys)

        // The theme draws no focus on pictures.
        Self.styleFocus
        gtk_widget_add_css_class(own, "webimage-retry")
        Signal.connect(widget, "notify::has-focus") { [weak self] _ in self?.updateFocus() }
    }

    /// A widget that has the focus keeps it while the repeated load runs, and after it.
    private func updateFocus() {
        let own = UnsafeMutablePointer<GtkWidget>(widget)
        let wanted = wasFocusable || isEnabled || gtk_widget_has_focus(own) != 0
        if wanted != (gtk_widget_get_focusable(own) != 0) { gtk_widget_set_focusable(own, wanted ? 1 : 0) }
    }

    private static let styleFocus: Void = {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else { return }
        webimage_css_provider_load(
            provider, ".webimage-retry:focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }")
        // The lowest priority: every theme and program can change the style.
        gtk_style_context_add_provider_for_display(display, OpaquePointer(provider), 1)
        g_object_unref(provider)
    }()
}
