public import Foundation
public import WebImage

/// A whole cache with SDWebImage's signatures.
///
/// Called on any thread; every completion must be called exactly once.
@preconcurrency public protocol SDImageCacheProtocol: ImageCaching {
    /// Looks an image up in all layers.
    func queryImage(
        forKey key: String?, options: SDWebImageOptions, context: SDWebImageContext?,
        completion completionBlock: SDImageCacheQueryCompletionBlock?
    ) -> (any SDWebImageOperation)?
    /// Stores an image, its bytes, or both.
    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock?
    )
    /// Stores with the load's options and context; unless implemented, they are not passed on.
    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions,
        context: SDWebImageContext?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock?
    )
}

extension SDImageCacheProtocol {
    /// Queries all layers, unless implemented.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        queryImage(forKey: key, options: options, context: context, completion: completion)
    }

    /// Stores without options and context.
    public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions,
        context: SDWebImageContext?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock?
    ) {
        store(image, imageData: imageData, forKey: key, cacheType: cacheType, completion: completionBlock)
    }

    /// Stores an image for callers that use ``WebImageCore/ImageCaching``.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    ) {
        store(
            image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
            completion: completion)
    }

    /// Does nothing unless implemented.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        completion?()
    }

    /// Reports no layer unless implemented.
    public func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        completion?(.none)
    }

    /// Does nothing unless implemented.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) { completion?() }
}
