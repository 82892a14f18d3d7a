public import Foundation
public import SDWebImage
public import WebImageGTK

// Names of UIKit around images that have no meaning in GTK: the message says what to write instead.

extension WidgetView {
    /// What screen readers say; ``WebImageGTK/WidgetView/alternativeText``.
    public var accessibilityLabel: String? {
        get { alternativeText }
        set { alternativeText = newValue }
    }

    /// The container places views.
    @available(*, unavailable, message: "The container gives `widget` its size; use gtk_widget_get_width(_:)")
    public var bounds: CGRect {
        get { .zero }
        set {}
    }

    /// The container places views.
    @available(*, unavailable, message: "The container places `widget`; set its alignment or margins")
    public var center: CGPoint {
        get { .zero }
        set {}
    }

    /// There are no constraints.
    @available(*, unavailable, message: "GTK lays out by containers; remove the line")
    public var translatesAutoresizingMaskIntoConstraints: Bool {
        get { true }
        set {}
    }

    /// GTK colours symbols alone.
    @available(*, unavailable, message: "Use sd_tintedImage(with:) or SDImageTintTransformer")
    public var tintColor: UIColor? {
        get { nil }
        set {}
    }

    /// GTK's widgets take events by controllers.
    @available(*, unavailable, message: "Use gtk_widget_set_can_target(_:_:)")
    public var isUserInteractionEnabled: Bool {
        get { true }
        set {}
    }

    /// GTK's widgets take events by controllers.
    @available(*, unavailable, message: "Add a GtkGestureClick with gtk_widget_add_controller(_:_:)")
    public func addGestureRecognizer(_ recognizer: Any) {}

    /// The container is GTK's.
    @available(*, unavailable, message: "Remove `widget` from its GTK container, such as with gtk_box_remove(_:_:)")
    public func removeFromSuperview() {}

    /// GTK lays out by itself.
    @available(*, unavailable, message: "GTK lays out by itself; remove the line")
    public func setNeedsLayout() {}

    /// GTK lays out by itself.
    @available(*, unavailable, message: "GTK lays out by itself; remove the line")
    public func layoutIfNeeded() {}

    /// GTK draws by itself.
    @available(*, unavailable, message: "Views draw again by themselves; remove the line")
    public func setNeedsDisplay() {}

    /// Changes are not animated.
    @available(*, unavailable, message: "Set sd_imageTransition, or a CSS transition for the widget")
    public static func animate(withDuration duration: TimeInterval, animations: @escaping () -> Void) {}
}

extension SDViewLayer {
    /// Shadows are the theme's.
    @available(*, unavailable, message: "Give the widget a CSS class with box-shadow")
    public var shadowOpacity: Float {
        get { 0 }
        nonmutating set {}
    }

    /// Shadows are the theme's.
    @available(*, unavailable, message: "Give the widget a CSS class with box-shadow")
    public var shadowRadius: CGFloat {
        get { 0 }
        nonmutating set {}
    }
}

/// The scale is the monitor's of each widget.
@available(*, unavailable, message: "Use gtk_widget_get_scale_factor(view.widget)")
public enum UIScreen {}

/// Windows and pages are GTK's.
@available(*, unavailable, message: "Use a GtkWindow or an AdwNavigationPage and put `widget` into it")
public typealias UIViewController = WidgetView

/// Rows are a list's items.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
public typealias UITableViewCell = WidgetView

/// Cells are a grid's items.
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
public typealias UICollectionViewCell = WidgetView
