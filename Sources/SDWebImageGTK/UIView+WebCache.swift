public import Foundation
public import SDWebImage
public import WebImageGTK

extension WidgetView {
    /// The URL of the newest load.
    public var sd_imageURL: URL? { imageURL }
    /// The operation key of the newest load.
    public var sd_latestOperationKey: String { latestOperationKey }
    /// The newest load's progress in bytes. The property `updates` of the progress reports each change.
    public var sd_imageProgress: Progress {
        get { imageProgress }
        set { imageProgress = newValue }
    }
    /// The transition with which loaded pictures appear.
    public var sd_imageTransition: SDWebImageTransition? {
        get { imageTransition }
        set { imageTransition = newValue }
    }
    /// The indicator that is shown while the view loads an image.
    public var sd_imageIndicator: (any SDWebImageIndicator)? {
        get { imageIndicator }
        set { imageIndicator = newValue }
    }
    /// Cancels the newest load.
    public func sd_cancelLatestImageLoad() { cancelLatestImageLoad() }

    /// Loads an image and passes the image to `setImageBlock`. If `setImageBlock` is nil, the view shows the image.
    @preconcurrency @discardableResult
    public func sd_internalSetImage(
        with url: URL?, placeholderImage placeholder: UIImage?, options: SDWebImageOptions = [],
        context: SDWebImageContext?, setImageBlock: SDSetImageBlock?,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDInternalCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        internalSetImage(
            with: url, placeholderImage: placeholder, options: options, context: context,
            setImageBlock: setImageBlock, progress: Bridging.progress(progressBlock)
        ) { image, data, error, cacheType, finished, imageURL in
            completedBlock?(image, data, error.map(SDWebImageError.init), cacheType, finished, imageURL)
        }
    }

    /// The operation that is stored under a key; nil if no operation runs.
    public func sd_imageLoadOperation(forKey key: String?) -> (any SDWebImageOperation)? {
        imageLoadOperation(forKey: key)
    }
    /// Stores an operation under a key and cancels the key's previous operation. Nil changes nothing.
    public func sd_setImageLoadOperation(_ operation: (any SDWebImageOperation)?, forKey key: String?) {
        setImageLoadOperation(operation, forKey: key)
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
