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

    /// Not available: changes of properties are not animated.
    @available(*, unavailable, message: "Set sd_imageTransition, or a CSS transition for the widget")
    public static func animate(withDuration duration: TimeInterval, animations: @escaping () -> Void) {}
}

extension SDViewLayer {
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

/// Not available: a grid lays its cells out itself.
@available(*, unavailable, message: "Use a GtkGridView, or FittingList for rows with the proportions of their images")
public typealias UICollectionViewLayout = WidgetView

/// Not available: the model of a list supplies the rows.
@available(*, unavailable, message: "Give the items to a GListModel, and bind rows in ImageListFactory")
public protocol UITableViewDataSource {}

/// Not available: the list view reports the selection.
@available(*, unavailable, message: "Connect the signal `activate` of the GtkListView")
public protocol UITableViewDelegate {}

/// Not available: the model of a grid supplies the cells.
@available(*, unavailable, message: "Give the items to a GListModel, and bind cells in ImageListFactory")
public protocol UICollectionViewDataSource {}

/// Not available: the model of a list receives prefetches from the scroll position.
@available(*, unavailable, message: "ImageListFactory prefetches the rows ahead by itself; remove the conformance")
public protocol UITableViewDataSourcePrefetching {}

/// Not available: texts are widgets of GTK.
@available(*, unavailable, message: "Use a GtkLabel")
public typealias UILabel = WidgetView

/// Not available: containers are widgets of GTK.
@available(*, unavailable, message: "Use a GtkBox")
public typealias UIStackView = WidgetView

/// Not available: containers are widgets of GTK.
@available(*, unavailable, message: "Use a GtkScrolledWindow")
public typealias UIScrollView = WidgetView

/// Not available: windows are widgets of GTK.
@available(*, unavailable, message: "Use a GtkWindow")
public typealias UIWindow = WidgetView

extension IndexPath {
    /// Not available: a list of GTK has positions.
    @available(*, unavailable, message: "A row has a position: gtk_list_item_get_position(_:)")
    public var row: Int { 0 }
    /// Not available: a list of GTK has positions.
    @available(*, unavailable, message: "A cell has a position: gtk_list_item_get_position(_:)")
    public var item: Int { 0 }
    /// Not available: a list of GTK has positions.
    @available(*, unavailable, message: "A list has one section; use one GtkListView, or headers of a GtkListView")
    public var section: Int { 0 }
    /// Not available: a list of GTK has positions.
    @available(*, unavailable, message: "A row has a position: gtk_list_item_get_position(_:)")
    public init(row: Int, section: Int) { self.init() }
    /// Not available: a list of GTK has positions.
    @available(*, unavailable, message: "A cell has a position: gtk_list_item_get_position(_:)")
    public init(item: Int, section: Int) { self.init() }
}
