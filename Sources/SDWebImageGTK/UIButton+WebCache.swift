public import Foundation
public import SDWebImage
public import WebImageGTK

extension Button {
    /// Shows the placeholder, or nothing, and then the image of a URL for a state.
    @preconcurrency public func sd_setImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: context,
            completed: Bridging.completed(completedBlock))
    }

    /// Shows the placeholder, or nothing, and then the picture of a URL for a state, and reports progress.
    @preconcurrency public func sd_setImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: context,
            progress: Bridging.progress(progressBlock), completed: Bridging.completed(completedBlock))
    }

    /// Shows the placeholder, or nothing, and then the picture of a URL as a state's background.
    @preconcurrency public func sd_setBackgroundImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setBackgroundImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: context,
            completed: Bridging.completed(completedBlock))
    }

    /// Shows the placeholder, or nothing, and then the picture of a URL as a state's background, and reports progress.
    @preconcurrency public func sd_setBackgroundImage(
        with url: URL?, for state: UIControl.State, placeholderImage placeholder: UIImage? = nil,
        options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setBackgroundImage(
            with: url, for: state, placeholderImage: placeholder, options: options, context: context,
            progress: Bridging.progress(progressBlock), completed: Bridging.completed(completedBlock))
    }

    /// The URL last requested for a state's picture.
    public func sd_imageURL(for state: UIControl.State) -> URL? { imageURL(for: state) }
    /// The URL last requested for a state's background picture.
    public func sd_backgroundImageURL(for state: UIControl.State) -> URL? {
        backgroundImageURL(for: state)
    }
    /// The picture URL of the current state, else of the normal state.
    public var sd_currentImageURL: URL? { currentImageURL }
    /// The background URL of the current state, else of the normal state.
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
