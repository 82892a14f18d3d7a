import CWebImageGTK
import CWebImageGTKShim
public import Foundation
public import WebImageCore

/// A handle of a GTK widget of any class. It adds the loading of images to the widget, as `UIView` does in SDWebImage.
///
/// The image and the loads belong to the widget and end with the widget. Therefore all handles of one widget have the
/// same image and loads. A handle can be released as soon as the widget is in a container. Main actor only. The first
/// view attaches the GLib loop (see ``MainLoop/attach()``).
///
/// A handle can also be temporary, as in `gtk_box_append(box, ImageView(image).gtkWidget())`: the widget stays valid
/// until the main loop has run once more after the release of its last handle. Then the widget belongs to its parent;
/// without a parent, it is destroyed. The reason for the delay: Swift releases a temporary handle before the function
/// receives the pointer.
@MainActor open class WidgetView {
    /// Owns one reference of a widget. The view has no `deinit` itself, so that a subclass may have one that is not
    /// isolated, as subclasses for UIKit have.
    @MainActor private final class WidgetReference {
        private let widget: OpaquePointer

        init(_ widget: OpaquePointer) {
            self.widget = widget
            g_object_ref_sink(UnsafeMutableRawPointer(widget))
            HandleLedger.opened("GtkWidget")
        }

        isolated deinit { DeferredRelease.release(widget, "GtkWidget") }
    }

    /// The `GtkWidget`. Put this widget into a container. It is valid as long as a handle exists, and afterwards until
    /// the main loop has run once more.
    public let widget: OpaquePointer

    let state: ImageWidgetState

    private let reference: WidgetReference

    /// The existing widget that the next view of the given class is a handle of. The convenience initialisers set this
    /// property for the designated initialiser, so that subclasses need to override only that one.
    private static var adopted: (widget: OpaquePointer, type: ObjectIdentifier)?

    /// Makes a view with a new widget and requests the frame's size for it, in points. The container places the widget,
    /// so the frame's position has no effect. A view with the size zero requests no size.
    public init(frame: CGRect) {
        Self.prepare()
        if let adopted = WidgetView.adopted, adopted.type == ObjectIdentifier(Self.self) {
            WidgetView.adopted = nil
            widget = adopted.widget
        } else {
            widget = Self.makeWidget()
        }
        state = ImageWidgetState.of(widget, key: String(reflecting: Self.self))
        reference = WidgetReference(widget)
        if frame.size != .zero { requestSize(frame.size) }
    }

    /// Makes a view with a new widget.
    public convenience init() { self.init(frame: .zero) }

    /// Makes a view for an existing `GtkWidget`; nil if this view class does not support the widget.
    public convenience init?(adopting widget: OpaquePointer) {
        Self.prepare()
        guard Self.canAdopt(widget) else { return nil }
        self.init(widget)
    }

    /// Makes a view for an existing `GtkWidget`; nil if this view class does not support the widget.
    public class func adopting(_ widget: OpaquePointer) -> WidgetView? { WidgetView(adopting: widget) }

    /// Makes a handle of an existing widget.
    convenience init(_ widget: OpaquePointer) {
        WidgetView.adopted = (widget, ObjectIdentifier(Self.self))
        self.init(frame: .zero)
    }

    /// Makes the widget of a new view: an empty `GtkBox`, which shows nothing by itself.
    class func makeWidget() -> OpaquePointer {
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else {
            preconditionFailure("GTK cannot make widgets; is there a display?")
        }
        return OpaquePointer(box)
    }

    /// Whether this view class supports an existing widget.
    class func canAdopt(_ widget: OpaquePointer) -> Bool { true }

    /// Makes a view for the result of a GTK constructor. Stops the program for a null result, which means that there is no
    /// display.
    static func view(ofNew widget: UnsafeMutablePointer<GtkWidget>?) -> WidgetView {
        guard let widget else { preconditionFailure("GTK cannot make widgets; is there a display?") }
        return WidgetView(OpaquePointer(widget))
    }

    /// Attaches the main loop and initialises GTK, before the first widget is made.
    static func prepare() {
        guard !isPrepared else { return }
        isPrepared = true
        MainLoop.attach()
        if gtk_is_initialized() == 0 { gtk_init_check() }
    }

    private static var isPrepared = false

    // MARK: Appearance

    /// An affine map that is applied around the centre of the view when the view is drawn. It does not affect the
    /// layout. The default is the identity.
    public var transform: CGAffineTransform {
        get { state.pose.transform }
        set { state.changePose { $0.transform = newValue } }
    }

    /// The opacity of the widget, 0…1; a value that is not a number counts as 0.
    public var alpha: Double {
        get {
            state.readOpacity()
            return state.pose.alpha
        }
        set { state.changePose { $0.alpha = newValue > 0 ? min(newValue, 1) : 0 } }
    }

    /// Whether the widget is hidden; a hidden widget takes no space in the layout.
    public var isHidden: Bool {
        get { gtk_widget_get_visible(UnsafeMutablePointer(widget)) == 0 }
        set { gtk_widget_set_visible(UnsafeMutablePointer(widget), newValue ? 0 : 1) }
    }

    /// The size of the view in points, in every container: neither its picture nor its container makes the view smaller
    /// or larger. A side of 0, the default, is not fixed.
    ///
    /// ```swift
    /// avatar.fixedSize = CGSize(width: 48, height: 48)
    /// ```
    ///
    /// If only one side is fixed, a view of pictures computes the other side from the proportions of its picture. The
    /// alignment of the widget decides where the view is in its area; `GTK_ALIGN_FILL` along a fixed side becomes
    /// `GTK_ALIGN_CENTER`.
    public var fixedSize: CGSize {
        get { state.fixedSize }
        set { state.fixedSize = newValue }
    }

    /// Sets the minimum size that the widget requests from its container, in points; a side that is not positive
    /// requests no minimum. A view without an image otherwise has no size of its own. The view can be larger:
    /// ``fixedSize`` also sets the maximum.
    public func requestSize(_ size: CGSize) {
        gtk_widget_set_size_request(
            UnsafeMutablePointer(widget), Self.side(size.width) ?? -1, Self.side(size.height) ?? -1)
    }

    /// Returns a length in whole points; nil if it is not positive.
    static func side(_ length: CGFloat) -> gint? {
        length.isFinite && length > 0 ? gint(min(length.rounded(.up), 32_000)) : nil
    }

    /// The natural size of the widget, in points.
    package var naturalSize: CGSize {
        var (width, height): (gint, gint) = (0, 0)
        gtk_widget_measure(UnsafeMutablePointer(widget), GTK_ORIENTATION_HORIZONTAL, -1, nil, &width, nil, nil)
        gtk_widget_measure(UnsafeMutablePointer(widget), GTK_ORIENTATION_VERTICAL, -1, nil, &height, nil, nil)
        return CGSize(width: Int(width), height: Int(height))
    }

    /// The text for screen readers; nil for none.
    public var alternativeText: String? {
        get { state.alternativeText }
        set {
            state.alternativeText = newValue
            if state.kind == .picture {
                gtk_picture_set_alternative_text(widget, newValue)
            } else {
                webimage_set_accessible_label(widget, newValue ?? "")
            }
        }
    }

    /// Whether the widget is visible: mapped, not transparent, and inside the viewport of the scrolled windows around
    /// it.
    public var isVisible: Bool { !state.isDestroyed && state.visibility.isVisible }
}
