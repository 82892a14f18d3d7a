import CWebImageGTK
import CWebImageGTKShim
package import Foundation
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

    /// A view over a widget of its own that shows nothing by itself, an empty `GtkBox`.
    public convenience init() {
        Self.prepare()
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else {
            preconditionFailure("GTK makes no widgets: is there a display?")
        }
        self.init(OpaquePointer(box), key: "View")
    }

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

    /// Whether the widget is hidden, which gives its place to others; the widget's own at first.
    public var isHidden: Bool {
        get { gtk_widget_get_visible(UnsafeMutablePointer(widget)) == 0 }
        set { gtk_widget_set_visible(UnsafeMutablePointer(widget), newValue ? 0 : 1) }
    }

    /// The least size the widget asks its container for, in points; sides that are not positive ask for nothing.
    package func requestSize(_ size: CGSize) {
        func side(_ length: CGFloat) -> gint {
            length.isFinite && length > 0 ? gint(min(length.rounded(.up), 32_000)) : -1
        }
        gtk_widget_set_size_request(UnsafeMutablePointer(widget), side(size.width), side(size.height))
    }

    /// The size the widget likes best, in points.
    package var naturalSize: CGSize {
        var (width, height): (gint, gint) = (0, 0)
        gtk_widget_measure(UnsafeMutablePointer(widget), GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
        gtk_widget_measure(UnsafeMutablePointer(widget), GTK_ORIENTATION_VERTICAL, -1, nil, &height, nil, nil)
        return CGSize(width: Int(width), height: Int(height))
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
