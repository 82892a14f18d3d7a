public import Foundation
public import SDWebImage
public import WebImageGTK

extension Button {
    /// Shows the placeholder, then the image of a URL, in one state of the button. If `placeholder` is nil, the button
    /// shows no image until an image arrives.
    @preconcurrency public func sd_setImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: Bridging.sized(context),
            completed: Bridging.completed(completedBlock))
    }

    /// Shows the placeholder, then the image of a URL, in one state of the button. If `placeholder` is nil, the button
    /// shows no image until an image arrives. Reports progress.
    @preconcurrency public func sd_setImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: Bridging.sized(context),
            progress: Bridging.progress(progressBlock), completed: Bridging.completed(completedBlock))
    }

    /// Shows the placeholder, then the image of a URL, as the background in one state of the button. If `placeholder`
    /// is nil, the button shows no background image until an image arrives.
    @preconcurrency public func sd_setBackgroundImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setBackgroundImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: Bridging.sized(context),
            completed: Bridging.completed(completedBlock))
    }

    /// Shows the placeholder, then the image of a URL, as the background in one state of the button. If `placeholder`
    /// is nil, the button shows no background image until an image arrives. Reports progress.
    @preconcurrency public func sd_setBackgroundImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setBackgroundImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: Bridging.sized(context),
            progress: Bridging.progress(progressBlock), completed: Bridging.completed(completedBlock))
    }

    /// The URL of the newest load for a state's picture.
    public func sd_imageURL(for state: UIControl.State) -> URL? { imageURL(for: state) }
    /// The URL of the newest load for a state's background picture.
    public func sd_backgroundImageURL(for state: UIControl.State) -> URL? {
        backgroundImageURL(for: state)
    }
    /// The URL of the newest load for the current state's picture. If the current state has no such URL, the URL for
    /// the normal state's picture.
    public var sd_currentImageURL: URL? { currentImageURL }
    /// The URL of the newest load for the current state's background picture. If the current state has no such URL, the
    /// URL for the normal state's background picture.
    public var sd_currentBackgroundImageURL: URL? { currentBackgroundImageURL }
    /// The operation key of a state's image.
    public func sd_imageOperationKey(for state: UIControl.State) -> String {
        imageOperationKey(for: state)
    }
    /// The operation key of a state's background picture.
    public func sd_backgroundImageOperationKey(for state: UIControl.State) -> String {
        backgroundImageOperationKey(for: state)
    }
    /// Cancels the load of a state's image.
    public func sd_cancelImageLoad(for state: UIControl.State) { cancelImageLoad(for: state) }
    /// Cancels the load of a state's background picture.
    public func sd_cancelBackgroundImageLoad(for state: UIControl.State) {
        cancelBackgroundImageLoad(for: state)
    }
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

    /// An event of a control in UIKit.
    public enum Event: Sendable {
        /// A tap.
        case touchUpInside
        /// A touch.
        case touchDown
        /// A changed value.
        case valueChanged
    }
}
