public import Foundation
public import WebImage
import WebImageCompatibility

/// A complete cache (memory and disk) with SDWebImage's signatures. The methods that are optional in SDWebImage have
/// default implementations, so callers write no question mark after their names. The methods of ``ImageCaching`` call them.
///
/// Its methods are called on any thread. Each method must call its completion exactly once.
@preconcurrency public protocol SDImageCacheProtocol: ImageCaching {
    /// Looks an image up in all layers.
    func queryImage(
        forKey key: String?, options: SDWebImageOptions, context: SDWebImageContext?,
        completion completionBlock: SDImageCacheQueryCompletionBlock?
    ) -> (any SDWebImageOperation)?
    /// Looks an image up in some layers. The default implementation looks in all layers.
    func queryImage(
        forKey key: String?, options: SDWebImageOptions, context: SDWebImageContext?, cacheType: SDImageCacheType,
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
    /// Removes an image from some layers. The default implementation removes nothing and calls the completion.
    func removeImage(
        forKey key: String?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock?)
    /// Reports the layer that contains an image. The default implementation reports `.none`.
    func containsImage(
        forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDImageCacheContainsCompletionBlock?)
    /// Removes all images from some layers. The default implementation removes nothing and calls the completion.
    func clear(with cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock?)
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

// The role of a manager's cache.
extension SDImageCacheProtocol {
    /// Calls the method that queries.
    @_disfavoredOverload public func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        await ImageCacheHit.answer { completion in
            queryImage(
                forKey: request.key, options: request.options, context: request.invokingCallbacks.context,
                cacheType: request.layers, completion: completion)
        }
    }

    /// Calls the method that stores with options and context.
    @_disfavoredOverload public func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
        await done {
            store(
                image, imageData: data, forKey: request.key, options: request.options,
                context: request.invokingCallbacks.context, cacheType: request.layers, completion: $0)
        }
    }

    /// Calls the method that removes an image.
    @_disfavoredOverload public func remove(_ key: String, from layers: ImageCacheType) async {
        await done { removeImage(forKey: key, cacheType: layers, completion: $0) }
    }

    /// Calls the method that reports the layer.
    @_disfavoredOverload
    public func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType {
        await withCheckedContinuation { continuation in
            let completion = Completion<ImageCacheType> { continuation.resume(returning: $0) }
            containsImage(forKey: key, cacheType: layers) { completion.complete(with: $0) }
        }
    }

    /// Calls the method that removes all images.
    @_disfavoredOverload public func removeAll(from layers: ImageCacheType) async {
        await done { clear(with: layers, completion: $0) }
    }
}

// Calls without the arguments that have defaults in SDWebImage. A default of the whole argument list would be a default
// implementation of the requirement.
extension SDImageCacheProtocol {
    /// Looks an image up in all layers, without options.
    @discardableResult
    public func queryImage(
        forKey key: String?, context: SDWebImageContext?, completion completionBlock: SDImageCacheQueryCompletionBlock?
    ) -> (any SDWebImageOperation)? {
        queryImage(forKey: key, options: [], context: context, completion: completionBlock)
    }

    /// Looks an image up in all layers, without a completion.
    @discardableResult
    public func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: SDWebImageContext?
    ) -> (any SDWebImageOperation)? {
        queryImage(forKey: key, options: options, context: context, completion: nil)
    }

    /// Looks an image up in some layers.
    @discardableResult
    public func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: SDWebImageContext?, cacheType: SDImageCacheType
    ) -> (any SDWebImageOperation)? {
        queryImage(forKey: key, options: options, context: context, cacheType: cacheType, completion: nil)
    }

    /// Stores an image, its bytes, or both.
    public func store(_ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType) {
        store(image, imageData: imageData, forKey: key, cacheType: cacheType, completion: nil)
    }

    /// Stores an image, its bytes, or both. Returns when they are stored.
    public func store(_ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType) async {
        await done { store(image, imageData: imageData, forKey: key, cacheType: cacheType, completion: $0) }
    }

    /// Stores an image with the load's options and context.
    public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions = [],
        context: SDWebImageContext?, cacheType: SDImageCacheType
    ) {
        store(
            image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
            completion: nil)
    }

    /// Stores an image with the load's options and context. Returns when it is stored.
    public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions = [],
        context: SDWebImageContext?, cacheType: SDImageCacheType
    ) async {
        await done {
            store(
                image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
                completion: $0)
        }
    }

    /// Removes an image from some layers.
    public func removeImage(forKey key: String?, cacheType: SDImageCacheType) {
        removeImage(forKey: key, cacheType: cacheType, completion: nil)
    }

    /// Removes an image from some layers. Returns when it is removed.
    public func removeImage(forKey key: String?, cacheType: SDImageCacheType) async {
        await done { removeImage(forKey: key, cacheType: cacheType, completion: $0) }
    }

    /// Returns the layer that contains an image; `.none` if no layer contains it.
    public func containsImage(forKey key: String?, cacheType: SDImageCacheType) async -> SDImageCacheType {
        await withCheckedContinuation { continuation in
            containsImage(forKey: key, cacheType: cacheType) { continuation.resume(returning: $0) }
        }
    }

    /// Removes all images from some layers.
    public func clear(with cacheType: SDImageCacheType) { clear(with: cacheType, completion: nil) }

    /// Removes all images from some layers. Returns when they are removed.
    public func clear(with cacheType: SDImageCacheType) async { await done { clear(with: cacheType, completion: $0) } }

    private func done(_ start: (@escaping @Sendable () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in
            // A cache that calls its completion twice ends no program.
            let completion = Completion<Void> { continuation.resume() }
            start { completion.complete(with: ()) }
        }
    }
}

extension ImageCache: SDImageCacheProtocol {
    /// Stores an image, its bytes, or both. `cacheType` selects the layers.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock?
    ) {
        storeImage(
            image, imageData: imageData, forKey: key, options: [], context: nil, cacheType: cacheType,
            completion: completionBlock)
    }
}

extension ImageCachesManager: SDImageCacheProtocol {
    /// Stores an image, its bytes, or both in the caches that the manager's store policy selects.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock?
    ) {
        storeImage(
            image, imageData: imageData, forKey: key, options: [], context: nil, cacheType: cacheType,
            completion: completionBlock)
    }

    /// Stores an image, its bytes, or both in the caches that the manager's store policy selects, with the load's
    /// options and context.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions = [],
        context: SDWebImageContext?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        storeImage(
            image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
            completion: completionBlock)
    }

    /// The caches. The cache that was added last has the highest priority. Setting nil removes all caches.
    public var caches: [any SDImageCacheProtocol]? {
        get { ownCaches.map(AdoptedCache.adopting) }
        set { ownCaches = (newValue ?? []).map(AdoptedCache.native) }
    }

    /// Adds a cache with the highest priority.
    public func addCache(_ cache: any SDImageCacheProtocol) { addCache(AdoptedCache.native(cache)) }

    /// Removes a cache. Does nothing if the manager does not have it.
    public func removeCache(_ cache: any SDImageCacheProtocol) { removeCache(AdoptedCache.native(cache)) }
}

extension WebImageManager {
    /// The cache of the manager.
    public var imageCache: any SDImageCacheProtocol { AdoptedCache.adopting(ownImageCache) }

    /// The cache of ``shared``. Nil means `SDImageCache.shared`. Has no effect after the first use of ``shared``.
    public static var defaultImageCache: (any SDImageCacheProtocol)? {
        get { ownDefaultImageCache.map(AdoptedCache.adopting) }
        set { ownDefaultImageCache = newValue.map(AdoptedCache.native) }
    }
}

/// Gives SDWebImage's signatures to a cache that was written for `WebImage`.
private final class AdoptedCache: SDImageCacheProtocol {
    private let own: any ImageCaching
    private let registered: RegisteredCache

    private init(_ own: any ImageCaching) { (self.own, registered) = (own, RegisteredCache(own)) }

    static func adopting(_ cache: any ImageCaching) -> any SDImageCacheProtocol {
        cache as? any SDImageCacheProtocol ?? AdoptedCache(cache)
    }

    static func native(_ cache: any SDImageCacheProtocol) -> any ImageCaching {
        (cache as? AdoptedCache)?.own ?? cache
    }

    func queryImage(
        forKey key: String?, options: SDWebImageOptions, context: SDWebImageContext?,
        completion completionBlock: SDImageCacheQueryCompletionBlock?
    ) -> (any SDWebImageOperation)? {
        queryImage(forKey: key, options: options, context: context, cacheType: .all, completion: completionBlock)
    }

    func queryImage(
        forKey key: String?, options: SDWebImageOptions, context: SDWebImageContext?, cacheType: SDImageCacheType,
        completion: SDImageCacheQueryCompletionBlock?
    ) -> (any SDWebImageOperation)? {
        guard let key else {
            completion?(nil, nil, .none)
            return nil
        }
        return registered.query(
            ImageCacheRequest(key: key, layers: cacheType, options: options, context: context)
        ) { completion?($0?.image, $0?.data, $0?.layer ?? .none) }
    }

    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock?
    ) {
        store(
            image, imageData: imageData, forKey: key, options: [], context: nil, cacheType: cacheType,
            completion: completionBlock)
    }

    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions,
        context: SDWebImageContext?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock?
    ) {
        guard let key else {
            completionBlock?()
            return
        }
        let request = ImageCacheRequest(key: key, layers: cacheType, options: options, context: context)
        registered.store(image, data: imageData, for: request, completion: completionBlock)
    }

    func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        guard let key else {
            completion?()
            return
        }
        registered.run(on: .main, { await $0.remove(key, from: cacheType) }, { completion?() })
    }

    func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        guard let key else {
            completion?(.none)
            return
        }
        registered.run(on: .main, { await $0.layer(of: key, among: cacheType) }, { completion?($0) })
    }

    func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        registered.run(on: .main, { await $0.removeAll(from: cacheType) }, { completion?() })
    }
}
