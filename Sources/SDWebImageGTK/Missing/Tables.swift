public import Foundation
import SDWebImage
public import WebImageGTK

// UIKit's tables and collections, with the members that image code often uses. GTK's lists take their place. The members
// exist so that the compiler reports the message of the class, and not that a member is missing.

/// Not available: the factory of a list creates the rows.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableViewCell: UIView {
    /// The texts of a row.
    public enum CellStyle: Sendable {
        /// One text.
        case `default`
        /// A text below another.
        case subtitle
        /// A text at each end.
        case value1
        /// Two texts side by side.
        case value2
    }
    /// How a selected row looks.
    public enum SelectionStyle: Sendable {
        /// As before.
        case none
        /// With another background.
        case `default`
    }
    /// What the end of a row shows.
    public enum AccessoryType: Sendable {
        /// Nothing.
        case none
        /// An arrow.
        case disclosureIndicator
        /// A mark.
        case checkmark
    }
    /// The picture of the row.
    public var imageView: UIImageView? { nil }
    /// The view with the content.
    public var contentView: UIView { self }
    /// The text.
    public var textLabel: UILabel? { nil }
    /// The second text.
    public var detailTextLabel: UILabel? { nil }
    /// How the selected row looks.
    public var selectionStyle = SelectionStyle.default
    /// What the end of the row shows.
    public var accessoryType = AccessoryType.none
    /// Makes a row.
    public init(style: CellStyle, reuseIdentifier: String?) { super.init(frame: .zero) }
    /// Makes a row from a file.
    public required init?(coder: NSCoder) { super.init(frame: .zero) }
    /// Called before the row is used again.
    open func prepareForReuse() {}
    /// Called after the row is selected.
    open func setSelected(_ selected: Bool, animated: Bool) {}
}

/// Not available: the factory of a grid creates the cells.
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class UICollectionViewCell: UIView {
    /// The view with the content.
    public var contentView: UIView { self }
    /// Makes a cell.
    public override init(frame: CGRect) { super.init(frame: frame) }
    /// Makes a cell from a file.
    public required init?(coder: NSCoder) { super.init(frame: .zero) }
    /// Called before the cell is used again.
    open func prepareForReuse() {}
}

/// Not available: GTK's lists take the place of tables.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableView: UIView {
    /// The look of a table.
    public enum Style: Sendable {
        /// Rows below each other.
        case plain
        /// Rows in groups.
        case grouped
        /// Rows in groups with margins.
        case insetGrouped
    }
    /// The height of rows that have their own.
    public nonisolated static let automaticDimension: CGFloat = -1
    /// The source of the rows.
    public weak var dataSource: (any UITableViewDataSource)?
    /// Receives the selection.
    public weak var delegate: (any UITableViewDelegate)?
    /// Receives the rows ahead.
    public weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
    /// The height of rows.
    public var rowHeight: CGFloat = 0
    /// The height of rows that are not yet known.
    public var estimatedRowHeight: CGFloat = 0
    /// Makes a table.
    public init(frame: CGRect, style: Style) { super.init(frame: frame) }
    /// Makes a table.
    public override init(frame: CGRect) { super.init(frame: frame) }
    /// Names the class of rows.
    public func register(_ type: AnyClass?, forCellReuseIdentifier identifier: String) {}
    /// Returns a row that is used again.
    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        fatalError()
    }
    /// Returns a row that is used again.
    public func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { nil }
    /// Returns a row on the screen.
    public func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { nil }
    /// Ends the selection of a row.
    public func deselectRow(at indexPath: IndexPath, animated: Bool) {}
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
    /// The source of the cells.
    public weak var dataSource: (any UICollectionViewDataSource)?
    /// Receives the selection.
    public weak var delegate: (any UICollectionViewDelegate)?
    /// Receives the cells ahead.
    public weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
    /// Makes a collection.
    public init(frame: CGRect, collectionViewLayout: UICollectionViewLayout) { super.init(frame: frame) }
    /// Names the class of cells.
    public func register(_ type: AnyClass?, forCellWithReuseIdentifier identifier: String) {}
    /// Returns a cell that is used again.
    public func dequeueReusableCell(
        withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionViewCell { fatalError() }
    /// Returns a cell on the screen.
    public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { nil }
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

/// Not available: a grid lays its cells out itself.
@available(*, unavailable, message: "Use a GtkGridView, or FittingList for rows with the proportions of their images")
@MainActor open class UICollectionViewLayout {
    /// Makes a layout.
    public init() {}
}

/// Not available: a grid lays its cells out itself.
@available(*, unavailable, message: "Use a GtkGridView, or FittingList for rows with the proportions of their images")
@MainActor open class UICollectionViewFlowLayout: UICollectionViewLayout {
    /// The size of cells.
    public var itemSize = CGSize.zero
    /// The distance between rows.
    public var minimumLineSpacing: CGFloat = 0
    /// The distance between cells.
    public var minimumInteritemSpacing: CGFloat = 0
}

/// Not available: the model of a list supplies the rows.
@available(*, unavailable, message: "Give the items to a GListModel, and bind rows in ImageListFactory")
public protocol UITableViewDataSource: AnyObject {}

/// Not available: the list view reports the selection.
@available(*, unavailable, message: "Connect the signal `activate` of the GtkListView")
public protocol UITableViewDelegate: AnyObject {}

/// Not available: the model of a grid supplies the cells.
@available(*, unavailable, message: "Give the items to a GListModel, and bind cells in ImageListFactory")
public protocol UICollectionViewDataSource: AnyObject {}

/// Not available: the grid view reports the selection.
@available(*, unavailable, message: "Connect the signal `activate` of the GtkGridView")
public protocol UICollectionViewDelegate: AnyObject {}

/// Not available: a grid lays its cells out itself.
@available(*, unavailable, message: "Set the columns of the GtkGridView, and the size request of its cells")
public protocol UICollectionViewDelegateFlowLayout: AnyObject {}

/// Not available: the model of a list receives prefetches from the scroll position.
@available(*, unavailable, message: "ImageListFactory prefetches the rows ahead by itself; remove the conformance")
public protocol UITableViewDataSourcePrefetching: AnyObject {}

/// Not available: the model of a grid receives prefetches from the scroll position.
@available(*, unavailable, message: "ImageListFactory prefetches the cells ahead by itself; remove the conformance")
public protocol UICollectionViewDataSourcePrefetching: AnyObject {}

/// Not available: a list is refreshed by its model.
@available(*, unavailable, message: "Add a GtkButton that loads the model again")
@MainActor public final class UIRefreshControl {
    /// Makes a control.
    public init() {}
    /// Shows that the list is refreshed.
    public func beginRefreshing() {}
    /// Shows that the list is refreshed no longer.
    public func endRefreshing() {}
}

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
