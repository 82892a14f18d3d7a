public import Foundation
public import SDWebImage
public import WebImageGTK

extension ImageView {
    /// Creates a view that shows a picture.
    public convenience init(image: UIImage?) {
        self.init()
        self.image = image
    }

    /// Shows the placeholder, then the image of a URL. If `placeholder` is nil, the view shows no image until an
    /// image arrives.
    ///
    /// The completion runs on the main actor. The error that it receives is an ``SDWebImage/SDWebImageError``.
    @preconcurrency public func sd_setImage(
        with url: URL?, placeholderImage placeholder: UIImage? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setImage(
            with: url, placeholderImage: placeholder, options: options, context: Bridging.sized(context), progress: nil,
            completed: Bridging.completed(completedBlock))
    }

    /// Shows the placeholder, then the image of a URL. If `placeholder` is nil, the view shows no image until an
    /// image arrives. Reports progress on the main actor.
    @preconcurrency public func sd_setImage(
        with url: URL?, placeholderImage placeholder: UIImage? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setImage(
            with: url, placeholderImage: placeholder, options: options, context: Bridging.sized(context),
            progress: Bridging.progress(progressBlock), completed: Bridging.completed(completedBlock))
    }

    /// The URL of the newest load for the view's normal picture.
    public var sd_currentImageURL: URL? { currentImageURL }

    /// Loads the image that the view shows while it is highlighted.
    @preconcurrency public func sd_setHighlightedImage(
        with url: URL?, options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setHighlightedImage(
            with: url, options: options, context: Bridging.sized(context), completed: Bridging.completed(completedBlock)
        )
    }

    /// Loads the image that the view shows while it is highlighted. Reports progress on the main actor.
    @preconcurrency public func sd_setHighlightedImage(
        with url: URL?, options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDExternalCompletionBlock? = nil
    ) {
        setHighlightedImage(
            with: url, options: options, context: Bridging.sized(context), progress: Bridging.progress(progressBlock),
            completed: Bridging.completed(completedBlock))
    }

    /// The URL of the newest load for the highlighted picture.
    public var sd_currentHighlightedImageURL: URL? { currentHighlightedImageURL }

    /// Cancels the load of the highlighted image.
    public func sd_cancelCurrentHighlightedImageLoad() { cancelCurrentHighlightedImageLoad() }
}
