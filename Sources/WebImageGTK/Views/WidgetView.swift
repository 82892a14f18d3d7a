import CGTK
import CGTKShim
public import WebImageCore

/// A handle over any GTK widget that may load pictures; what `UIView` is to the original.
///
/// What a widget shows and loads belongs to the widget and dies with it, so several handles over one widget agree, and a
/// handle may be dropped as soon as a container holds the widget. Main actor only; the GLib loop is attached by the first
/// view (see ``MainLoop/attach()``).
@MainActor open class WidgetView {
    /// The `GtkWidget`: put it into a container.
    public let widget: OpaquePointer

    let state: ImageWidgetState

    /// A handle over a `GtkWidget` made elsewhere; nil where the class is of no use for it.
    public required convenience init?(adopting widget: OpaquePointer) {
        self.init(widget, key: "View")
    }

    /// A handle over a `GtkWidget` made elsewhere; nil where the class is of no use for it.
    public static func adopting(_ widget: OpaquePointer) -> Self? { Self(adopting: widget) }

    init(_ widget: OpaquePointer, key: String) {
        Self.prepare()
        self.widget = widget
        state = ImageWidgetState.of(widget, key: key)
        g_object_ref_sink(UnsafeMutableRawPointer(widget))
        HandleLedger.opened("GtkWidget")
    }

    /// Another handle over a widget that has state.
    init(state: ImageWidgetState) {
        widget = state.widget
        self.state = state
        g_object_ref_sink(UnsafeMutableRawPointer(widget))
        HandleLedger.opened("GtkWidget")
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(widget))
        HandleLedger.closed("GtkWidget")
    }

    static func made(_ widget: UnsafeMutablePointer<GtkWidget>?) -> WidgetView {
        guard let widget else { preconditionFailure("GTK makes no widgets: is there a display?") }
        return WidgetView(OpaquePointer(widget), key: "View")
    }

    static func made(_ widget: OpaquePointer) -> WidgetView { WidgetView(widget, key: "View") }

    /// What every view needs before its first widget.
    static func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        MainLoop.attach()
        if gtk_is_initialized() == 0 { gtk_init_check() }
    }

    private static var isPrepared = false

    // MARK: Looks

    /// A map drawn around the middle of the view, which keeps its place in the layout; the identity at first.
    public var transform: CGAffineTransform {
        get { state.pose.transform }
        set { state.changePose { $0.transform = newValue } }
    }

    /// Opacity, 0…1; the widget's own at first.
    public var alpha: Double {
        get { state.pose.alpha }
        set { state.changePose { $0.alpha = min(max(newValue, 0), 1) } }
    }

    /// What screen readers say; nil says nothing.
    public var alternativeText: String? {
        didSet {
            if state.kind == .picture {
                gtk_picture_set_alternative_text(widget, alternativeText)
            } else {
                webimage_set_accessible_label(widget, alternativeText ?? "")
            }
        }
    }

    /// Whether the widget can be seen: mapped, not transparent, and inside the viewport of the scrolled windows around it.
    public var isVisible: Bool { !state.isDestroyed && state.visibility.isVisible }
}
