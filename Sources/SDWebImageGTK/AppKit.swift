public import Foundation
public import SDWebImage
public import WebImageGTK

// AppKit's names of pictures, colours and views.

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
