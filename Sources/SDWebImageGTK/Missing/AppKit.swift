public import Foundation
public import SDWebImage
public import WebImageGTK

// AppKit's names: those of pictures, colours and views are aliases; the others have no counterpart.

/// An image. AppKit's name for ``WebImageCore/Image``.
public typealias NSImage = UIImage
/// A colour. AppKit's name for ``WebImageCore/ImageColor``.
public typealias NSColor = UIColor
/// A widget with its own loads. AppKit's name for ``WebImageGTK/WidgetView``.
public typealias NSView = UIView
/// A button with images. AppKit's name for ``WebImageGTK/Button``.
public typealias NSButton = UIButton
/// A widget that shows an image, under the name from AppKit: ``WebImageGTK/ImageView``.
public typealias NSImageView = ImageView

extension Button {
    /// Shows the placeholder, then the image of a URL, in the normal state, as an `NSButton` does.
    @preconcurrency public func sd_setImage(
        with url: URL?, placeholderImage placeholder: UIImage? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        sd_setImage(
            with: url, for: [], placeholderImage: placeholder, options: options, context: context,
            completed: completedBlock)
    }

    /// Shows the placeholder, then the image of a URL, in the normal state, as an `NSButton` does. Reports
    /// progress.
    @preconcurrency public func sd_setImage(
        with url: URL?, placeholderImage placeholder: UIImage? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        sd_setImage(
            with: url, for: [], placeholderImage: placeholder, options: options, context: context,
            progress: progressBlock, completed: completedBlock)
    }

    /// Shows the placeholder, then the image of a URL, while the button is pressed, as an `NSButton` does.
    @preconcurrency public func sd_setAlternateImage(
        with url: URL?, placeholderImage placeholder: UIImage? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        sd_setImage(
            with: url, for: .highlighted, placeholderImage: placeholder, options: options, context: context,
            completed: completedBlock)
    }

    /// Shows the placeholder, then the image of a URL, while the button is pressed, as an `NSButton` does. Reports
    /// progress.
    @preconcurrency public func sd_setAlternateImage(
        with url: URL?, placeholderImage placeholder: UIImage? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        sd_setImage(
            with: url, for: .highlighted, placeholderImage: placeholder, options: options, context: context,
            progress: progressBlock, completed: completedBlock)
    }

    /// Cancels the load of ``sd_setAlternateImage(with:placeholderImage:options:context:progress:completed:)``.
    public func sd_cancelCurrentAlternateImageLoad() { sd_cancelImageLoad(for: .highlighted) }
}

/// How a picture of AppKit is fitted into its view.
public enum NSImageScaling: UInt, Sendable {
    /// Smaller if it is too large.
    case scaleProportionallyDown
    /// In both directions.
    case scaleAxesIndependently
    /// As it is.
    case scaleNone
    /// As large as fits.
    case scaleProportionallyUpOrDown
}

extension ImageView {
    /// Not available: a view has a content mode.
    @available(*, unavailable, message: "Use contentMode: .fit, .fill, .cover or .center")
    public var imageScaling: NSImageScaling {
        get { .scaleProportionallyUpOrDown }
        set {}
    }
}

/// Not available: GTK provides the windows and pages.
@available(*, unavailable, message: "Use a GtkWindow or an AdwNavigationPage and put `widget` into it")
@MainActor open class NSViewController {
    /// The main view.
    public var view: NSView {
        get { fatalError() }
        set {}
    }
    /// Makes a controller.
    public init() {}
    /// Called when the view is loaded.
    open func viewDidLoad() {}
}

/// Not available: the factory of a list creates the rows.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class NSTableCellView: NSView {
    /// The picture of the row.
    public var imageView: NSImageView? { nil }
}

/// Not available: GTK's lists take the place of tables.
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class NSTableView: NSView {}

/// Not available: the factory of a grid creates the cells.
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class NSCollectionViewItem: NSViewController {
    /// The picture of the cell.
    public var imageView: NSImageView? { nil }
}

/// Not available: GTK's grids take the place of collections.
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class NSCollectionView: NSView {}

/// Not available: texts are widgets of GTK.
@available(*, unavailable, message: "Use a GtkLabel or a GtkEntry")
@MainActor open class NSTextField: NSView {}

/// Not available: each widget has the scale of its monitor.
@available(*, unavailable, message: "Use gtk_widget_get_scale_factor(view.widget)")
@MainActor public final class NSScreen {
    /// The screen.
    public static var main: NSScreen? { nil }
    /// Pixels per point.
    public var backingScaleFactor: CGFloat { 1 }
}
