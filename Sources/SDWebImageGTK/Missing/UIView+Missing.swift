public import Foundation
public import SDWebImage
public import WebImageGTK

// UIKit members and types that image code often uses. Members and types without a counterpart in GTK are unavailable.
// The compiler's error message names the alternative.

extension WidgetView {
    /// The text for screen readers: ``WebImageGTK/WidgetView/alternativeText``.
    public var accessibilityLabel: String? {
        get { alternativeText }
        set { alternativeText = newValue }
    }

    /// Not available: GTK's containers place widgets.
    @available(*, unavailable, message: "The container gives `widget` its size; use gtk_widget_get_width(_:)")
    public var bounds: CGRect {
        get { .zero }
        set {}
    }

    /// Not available: GTK's containers place widgets.
    @available(*, unavailable, message: "The container places `widget`; set its alignment or margins")
    public var center: CGPoint {
        get { .zero }
        set {}
    }

    /// Not available: views have no constraints.
    @available(*, unavailable, message: "GTK lays out by containers; remove the line")
    public var translatesAutoresizingMaskIntoConstraints: Bool {
        get { true }
        set {}
    }

    /// Not available: GTK tints only symbolic icons.
    @available(*, unavailable, message: "Use sd_tintedImage(with:) or SDImageTintTransformer")
    public var tintColor: UIColor? {
        get { nil }
        set {}
    }

    /// Not available: widgets receive events through controllers.
    @available(*, unavailable, message: "Use gtk_widget_set_can_target(_:_:)")
    public var isUserInteractionEnabled: Bool {
        get { true }
        set {}
    }

    /// Not available: widgets receive events through controllers.
    @available(*, unavailable, message: "Add a GtkGestureClick with gtk_widget_add_controller(_:_:)")
    public func addGestureRecognizer(_ recognizer: Any) {}

    /// Not available: views are removed from GTK containers.
    @available(*, unavailable, message: "Remove `widget` from its GTK container, such as with gtk_box_remove(_:_:)")
    public func removeFromSuperview() {}

    /// Not available: GTK computes the layout automatically.
    @available(*, unavailable, message: "GTK lays out by itself; remove the line")
    public func setNeedsLayout() {}

    /// Not available: GTK computes the layout automatically.
    @available(*, unavailable, message: "GTK lays out by itself; remove the line")
    public func layoutIfNeeded() {}

    /// Not available: GTK redraws widgets automatically.
    @available(*, unavailable, message: "Views draw again by themselves; remove the line")
    public func setNeedsDisplay() {}

    /// Not available: the theme lays widgets out.
    @available(*, unavailable, message: "GTK lays out by itself; remove the override")
    public func layoutSubviews() {}

    /// Not available: views are made in code.
    @available(*, unavailable, message: "There are no nib files; do the work in init(frame:)")
    public func awakeFromNib() {}

    /// Not available: views are made in code.
    @available(*, unavailable, message: "There are no nib files; call super.init(frame:)")
    public convenience init?(coder: NSCoder) { nil }

    /// Not available: GTK's functions return the parent and the children of a widget.
    @available(*, unavailable, message: "Use gtk_widget_get_first_child(_:) and gtk_widget_get_next_sibling(_:)")
    public var subviews: [UIView] { [] }

    /// Not available: GTK's functions return the parent and the children of a widget.
    @available(*, unavailable, message: "Use gtk_widget_get_parent(_:)")
    public var superview: UIView? { nil }

    /// Not available: widgets have names.
    @available(*, unavailable, message: "Keep a property, or use gtk_widget_set_name(_:_:)")
    public var tag: Int {
        get { 0 }
        set {}
    }

    /// Not available: GTK computes sizes automatically.
    @available(*, unavailable, message: "GTK lays out by itself; fixedSize sets a size, requestSize(_:) a minimum")
    public func sizeToFit() {}

    /// Not available: changes of properties are not animated.
    @available(*, unavailable, message: "Set sd_imageTransition, or a CSS transition for the widget")
    public static func animate(
        withDuration duration: TimeInterval, delay: TimeInterval = 0, options: AnimationOptions = [],
        animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil
    ) {}

    /// Not available: a view animates how its picture appears.
    @available(*, unavailable, message: "Set sd_imageTransition before the load")
    public static func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {}
}

extension SDViewLayer {
    /// Not available: a view animates how its picture appears.
    @available(*, unavailable, message: "Set sd_imageTransition before the load")
    public func add(_ animation: CATransition, forKey key: String?) {}

    /// Not available: GTK has no layers.
    @available(*, unavailable, message: "Put the widgets into a GtkOverlay, or give the widget a CSS class")
    public func addSublayer(_ layer: CALayer) {}

    /// Not available: the theme draws shadows.
    @available(*, unavailable, message: "Give the widget a CSS class with box-shadow")
    public var shadowOpacity: Float {
        get { 0 }
        nonmutating set {}
    }

    /// Not available: the theme draws shadows.
    @available(*, unavailable, message: "Give the widget a CSS class with box-shadow")
    public var shadowRadius: CGFloat {
        get { 0 }
        nonmutating set {}
    }
}
