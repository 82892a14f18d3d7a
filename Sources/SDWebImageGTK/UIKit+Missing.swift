public import Foundation
import SDWebImage
public import WebImageGTK

// Classes of UIKit that have no counterpart in GTK, with the members that image code often uses. The members exist so that
// the compiler reports the message of the class, and not that a member is missing.

/// Not available: each widget has the scale of its monitor.
@available(*, unavailable, message: "Use gtk_widget_get_scale_factor(view.widget)")
@MainActor public final class UIScreen {
    /// The screen.
    public static var main: UIScreen { UIScreen() }
    /// Pixels per point.
    public var scale: CGFloat { 1 }
    /// The size of the screen.
    public var bounds: CGRect { .zero }
    private init() {}
}

/// Not available: GTK provides the windows and pages.
@available(*, unavailable, message: "Use a GtkWindow or an AdwNavigationPage and put `widget` into it")
@MainActor open class UIViewController {
    /// The main view.
    public var view: UIView {
        get { fatalError() }
        set {}
    }
    /// The title.
    public var title: String?
    /// Makes a controller.
    public init() {}
    /// Called when the view is loaded.
    open func viewDidLoad() {}
    /// Called before the view appears.
    open func viewWillAppear(_ animated: Bool) {}
    /// Called after the view has appeared.
    open func viewDidAppear(_ animated: Bool) {}
    /// Called before the view disappears.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Called after the view has disappeared.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Called after the views have their places.
    open func viewDidLayoutSubviews() {}
    /// Called when memory is short.
    open func didReceiveMemoryWarning() {}
}

/// Not available: the factory of a list creates the rows.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableViewCell: UIView {
    /// The picture of the row.
    public var imageView: UIImageView? { nil }
    /// Called before the row is used again.
    open func prepareForReuse() {}
}

/// Not available: the factory of a grid creates the cells.
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class UICollectionViewCell: UIView {
    /// The view with the content.
    public var contentView: UIView { self }
    /// Called before the cell is used again.
    open func prepareForReuse() {}
}

/// Not available: GTK's lists take the place of tables.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableView: UIView {
    /// Returns a row that is used again.
    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        fatalError()
    }
    /// Returns a row that is used again.
    public func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { nil }
    /// Reads all rows again.
    public func reloadData() {}
}

/// Not available: GTK's lists take the place of tables.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableViewController: UIViewController {
    /// The table.
    public var tableView: UITableView {
        get { fatalError() }
        set {}
    }
}

/// Not available: GTK's grids take the place of collections.
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class UICollectionView: UIView {
    /// Returns a cell that is used again.
    public func dequeueReusableCell(
        withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionViewCell { fatalError() }
    /// Reads all cells again.
    public func reloadData() {}
}

/// Not available: GTK's grids take the place of collections.
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class UICollectionViewController: UIViewController {
    /// The grid.
    public var collectionView: UICollectionView {
        get { fatalError() }
        set {}
    }
}

/// Not available: widgets receive events through controllers.
@available(*, unavailable, message: "Add a GtkGestureClick with gtk_widget_add_controller(_:_:)")
@MainActor open class UITapGestureRecognizer {
    /// Makes a recogniser.
    public init(target: Any? = nil, action: Any? = nil) {}
}

/// Not available: views have no constraints.
@available(
    *, unavailable,
    message: "GTK lays out by containers: set the alignment, the margins or the size request of `widget`"
)
@MainActor public final class NSLayoutConstraint {
    /// Whether the constraint applies.
    public var isActive = false
    /// The distance.
    public var constant: CGFloat = 0
    /// Lets constraints apply.
    public static func activate(_ constraints: [NSLayoutConstraint]) {}
    /// Ends constraints.
    public static func deactivate(_ constraints: [NSLayoutConstraint]) {}
}

/// Not available: views have no constraints.
@available(
    *, unavailable,
    message: "GTK lays out by containers: set the alignment, the margins or the size request of `widget`"
)
@MainActor public final class NSLayoutAnchor {
    /// A constraint between two places or lengths.
    public func constraint(equalTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0)
        -> NSLayoutConstraint
    {
        NSLayoutConstraint()
    }
    /// A constraint of a length.
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint { NSLayoutConstraint() }
    /// A constraint between two places or lengths.
    public func constraint(greaterThanOrEqualTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0)
        -> NSLayoutConstraint
    {
        NSLayoutConstraint()
    }
    /// A constraint of a length.
    public func constraint(greaterThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint {
        NSLayoutConstraint()
    }
    /// A constraint between two places or lengths.
    public func constraint(lessThanOrEqualTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0)
        -> NSLayoutConstraint
    {
        NSLayoutConstraint()
    }
    /// A constraint of a length.
    public func constraint(lessThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint { NSLayoutConstraint() }
}

extension WidgetView {
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "Use gtk_widget_set_size_request(_:_:_:) with `widget`")
    public var widthAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "Use gtk_widget_set_size_request(_:_:_:) with `widget`")
    public var heightAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var leadingAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var trailingAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var leftAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var rightAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var topAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var bottomAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var centerXAnchor: NSLayoutAnchor { NSLayoutAnchor() }
    /// Not available: views have no constraints.
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var centerYAnchor: NSLayoutAnchor { NSLayoutAnchor() }
}

extension Button {
    /// The look of a button in UIKit.
    public enum ButtonType: Sendable {
        /// No look of its own.
        case custom
        /// A text in the tint colour.
        case system
        /// An icon for details.
        case detailDisclosure
        /// An icon for information, on a light ground.
        case infoLight
        /// An icon for information, on a dark ground.
        case infoDark
        /// An icon for a new contact.
        case contactAdd
        /// An icon for closing.
        case close
    }

    /// Not available: the theme decides how a button looks.
    @available(*, unavailable, message: "Use UIButton(); a CSS class such as flat or suggested-action sets its look")
    public convenience init(type: ButtonType) { self.init() }
}
