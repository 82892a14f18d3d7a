public import Foundation
public import SDWebImage
public import WebImageGTK

extension WidgetView {
    /// The URL of the newest load.
    public var sd_imageURL: URL? { imageURL }
    /// The operation key of the newest load.
    public var sd_latestOperationKey: String? { latestOperationKey }
    // The type is implicitly unwrapped as in SDWebImage. The getter never returns nil.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The newest load's progress in bytes. The property `updates` of the progress reports each change. Setting nil
    /// starts a new progress.
    public var sd_imageProgress: Progress! {
        get { imageProgress }
        set { imageProgress = newValue ?? .discreteProgress(totalUnitCount: 0) }
    }
    /// The transition with which loaded pictures appear.
    public var sd_imageTransition: SDWebImageTransition? {
        get { imageTransition }
        set { imageTransition = newValue }
    }
    /// Cancels the newest load.
    public func sd_cancelLatestImageLoad() { cancelLatestImageLoad() }

    /// Loads an image and passes the image to `setImageBlock`. If `setImageBlock` is nil, the view shows the image. The
    /// result is an ``SDWebImage/SDWebImageCombinedOperation`` while a manager loads the image.
    @preconcurrency @discardableResult
    public func sd_internalSetImage(
        with url: URL?, placeholderImage placeholder: UIImage?, options: SDWebImageOptions = [],
        context: SDWebImageContext?, setImageBlock: SDSetImageBlock?,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDInternalCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        let operation = internalSetImage(
            with: url, placeholderImage: placeholder, options: options, context: Bridging.sized(context),
            setImageBlock: setImageBlock, progress: Bridging.progress(progressBlock)
        ) { image, data, error, cacheType, finished, imageURL in
            completedBlock?(image, data, error.map(SDWebImageError.init), cacheType, finished, imageURL)
        }
        return SDWebImageCombinedOperation.ofView(operation)
    }

    /// The operation that is stored under a key; nil if no operation runs.
    public func sd_imageLoadOperation(forKey key: String?) -> (any SDWebImageOperation)? {
        SDWebImageCombinedOperation.ofView(imageLoadOperation(forKey: key))
    }
    /// Stores an operation under a key and cancels the key's previous operation. Nil changes nothing.
    public func sd_setImageLoad(_ operation: (any SDWebImageOperation)?, forKey key: String?) {
        setImageLoadOperation(operation, forKey: key)
    }
    /// The Objective-C name of ``sd_setImageLoad(_:forKey:)``.
    @available(*, deprecated, renamed: "sd_setImageLoad(_:forKey:)")
    public func sd_setImageLoadOperation(_ operation: (any SDWebImageOperation)?, forKey key: String?) {
        setImageLoadOperation(operation, forKey: key)
    }
    /// Cancels the load of the image of a ``UIImageView``. For another view, cancels the newest load.
    public func sd_cancelCurrentImageLoad() {
        if let view = self as? ImageView { view.cancelCurrentImageLoad() } else { cancelLatestImageLoad() }
    }
    /// Cancels the operation stored under a key.
    public func sd_cancelImageLoadOperation(withKey key: String?) {
        cancelImageLoadOperation(withKey: key)
    }
    /// Removes the operation stored under a key without cancelling it.
    public func sd_removeImageLoadOperation(withKey key: String?) {
        removeImageLoadOperation(withKey: key)
    }
    /// The stored state of a key's newest load.
    public func sd_imageLoadState(forKey key: String?) -> SDWebImageLoadState? {
        imageLoadState(forKey: key)
    }
    /// Replaces the stored state of a key's newest load.
    public func sd_setImageLoadState(_ loadState: SDWebImageLoadState?, forKey key: String?) {
        setImageLoadState(loadState, forKey: key)
    }
    /// Removes the stored state of a key's newest load.
    public func sd_removeImageLoadState(forKey key: String?) { removeImageLoadState(forKey: key) }
}
