public import Foundation
public import WebImage

/// A complete cache (memory and disk) with SDWebImage's signatures.
///
/// Its methods are called on any thread. Each method must call its completion exactly once.
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
    /// Stores an image with the load's options and context. The default implementation ignores the options and the
    /// context.
    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions,
        context: SDWebImageContext?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock?
    )
}

extension SDImageCacheProtocol {
    /// The default implementation. Queries all layers.
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        queryImage(forKey: key, options: options, context: context, completion: completion)
    }

    /// The default implementation. Stores without options and context.
    public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions,
        context: SDWebImageContext?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock?
    ) {
        store(image, imageData: imageData, forKey: key, cacheType: cacheType, completion: completionBlock)
    }

    /// Implements the storing method of ``WebImageCore/ImageCaching``.
    public func storeImage(
        _ image: Image?, imageData: Data?, forKey key: String?, options: WebImageOptions, context: WebImageContext?,
        cacheType: ImageCacheType, completion: (@Sendable () -> Void)?
    ) {
        store(
            image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
            completion: completion)
    }

    /// The default implementation. Removes nothing and calls `completion`.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        completion?()
    }

    /// The default implementation. Reports that no layer contains the image.
    public func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        completion?(.none)
    }

    /// The default implementation. Removes nothing and calls `completion`.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) { completion?() }
}
