public import Foundation
public import SDWebImage
public import WebImageGTK

extension WidgetView {
    /// The URL last asked for.
    public var sd_imageURL: URL? { imageURL }
    /// The operation key of the newest load.
    public var sd_latestOperationKey: String { latestOperationKey }
    /// The newest load's progress in bytes; its `updates` tell of each change.
    public var sd_imageProgress: Progress {
        get { imageProgress }
        set { imageProgress = newValue }
    }
    /// How pictures that were waited for come onto the view.
    public var sd_imageTransition: SDWebImageTransition? {
        get { imageTransition }
        set { imageTransition = newValue }
    }
    /// Runs while the view waits.
    public var sd_imageIndicator: (any SDWebImageIndicator)? {
        get { imageIndicator }
        set { imageIndicator = newValue }
    }
    /// Cancels the newest load.
    public func sd_cancelLatestImageLoad() { cancelLatestImageLoad() }

    /// Loads a picture and gives it to a block, or to the view's own way where there is none.
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

    /// The operation under a key; nil when nothing runs.
    public func sd_imageLoadOperation(forKey key: String?) -> (any SDWebImageOperation)? {
        imageLoadOperation(forKey: key)
    }
    /// Stores an operation of the caller's, after cancelling the one before.
    public func sd_setImageLoadOperation(_ operation: (any SDWebImageOperation)?, forKey key: String?) {
        setImageLoadOperation(operation, forKey: key)
    }
    /// Cancels what runs under a key.
    public func sd_cancelImageLoadOperation(withKey key: String?) {
        cancelImageLoadOperation(withKey: key)
    }
    /// Forgets what runs under a key without ending it.
    public func sd_removeImageLoadOperation(withKey key: String?) {
        removeImageLoadOperation(withKey: key)
    }
    /// What is remembered of a key's newest load.
    public func sd_imageLoadState(forKey key: String?) -> SDWebImageLoadState? {
        imageLoadState(forKey: key)
    }
    /// Remembers something else.
    public func sd_setImageLoadState(_ loadState: SDWebImageLoadState?, forKey key: String?) {
        setImageLoadState(loadState, forKey: key)
    }
    /// Forgets a key's newest load.
    public func sd_removeImageLoadState(forKey key: String?) { removeImageLoadState(forKey: key) }
}
