public import Foundation
public import WebImageCore

/// Queries of the manager's cache by URL. The manager derives the cache key from the URL.
extension WebImageManager {
    /// Reports on the main queue whether a URL's full-size image is in memory or on disk.
    public func cachedImageExists(for url: URL?, completion: (@Sendable (Bool) -> Void)?) {
        contains(url, cacheType: .all, completion: completion)
    }

    /// Reports on the main queue whether a URL's full-size image is on disk.
    public func diskImageExists(for url: URL?, completion: (@Sendable (Bool) -> Void)?) {
        contains(url, cacheType: .disk, completion: completion)
    }

    /// Whether a URL's full-size image is in memory or on disk.
    public func cachedImageExists(for url: URL?) async -> Bool {
        await contains(url, cacheType: .all)
    }

    /// Whether a URL's full-size image is on disk.
    public func diskImageExists(for url: URL?) async -> Bool {
        await contains(url, cacheType: .disk)
    }

    /// Stores an image in memory and, encoded, on disk, under the cache key of a URL. Later loads of the URL find this
    /// image.
    public func saveImage(toCache image: Image?, for url: URL?) {
        guard let image, let url else { return }
        let keys = LoadKeys(ImageRequest(url: url), settings)
        forgetFailure(of: url, in: keys.scope)
        guard let key = keys.original?.string else { return }
        settings.roles.cache.store(image, data: nil, for: ImageCacheRequest(key: key), completion: nil)
    }

    /// Removes a picture and everything that was made from it: thumbnails, transformed images and encoded images, in
    /// memory and on disk. Also allows a failed URL to be tried again. Returns after everything was removed.
    ///
    /// The images are removed from memory before this function suspends. A load that is running may store its image
    /// again. In a custom cache, only the entry of the full-size image is removed.
    ///
    /// - Parameter context: Names the scope, the cache and the key filter, as in the loads of the picture. The size and
    ///   the transformer have no effect.
    public func removeImage(for url: URL?, context: WebImageContext? = nil) async {
        guard let url else { return }
        let plan = LoadPlan(ImageRequest(url: url, context: context), settings, host: self)
        removeFailedURL(url)
        guard let key = plan.keys.original else { return }
        for cache in [plan.cache, plan.originalCache].flatMap(\.parts) {
            await cache.imageCache?.removeVariants(of: key.sourceFingerprint, cacheType: .all)
            await cache.role.remove(key.string, from: .all)
        }
        for cache in encodedCaches { await cache.removeImages(of: key.sourceFingerprint) }
    }

    private func contains(_ url: URL?, cacheType type: ImageCacheType, completion: (@Sendable (Bool) -> Void)?) {
        Task.immediate {
            let exists = await contains(url, cacheType: type)
            CallbackQueue.main.async { completion?(exists) }
        }
    }

    private func contains(_ url: URL?, cacheType type: ImageCacheType) async -> Bool {
        guard let key = url.flatMap({ cacheKey(for: $0) }) else { return false }
        return await settings.roles.cache.role.layer(of: key, among: type) != .none
    }
}

// Keys.
extension WebImageManager {
    /// Returns the cache key of the full-size, untransformed image of a URL. The key includes the cache scope, which
    /// depends on the loader's credentials and request modifier. Nil if a load of the URL would store nothing; empty if
    /// the URL is nil.
    public func cacheKey(for url: URL?) -> String? {
        guard let url else { return "" }
        return LoadKeys(ImageRequest(url: url), settings).original?.string
    }

    /// Returns the cache key of the image that a URL and a context describe. The key includes thumbnail size,
    /// transformer and cache scope. Nil if a load would store nothing; empty if the URL is nil.
    public func cacheKey(for url: URL?, context: WebImageContext?) -> String? {
        guard let url else { return "" }
        return LoadKeys(ImageRequest(url: url, context: context), settings).variant?.string
    }
}

extension WebImageManager {
    /// The number of shared tasks that have subscribers.
    package var sharedTaskCount: Int { pipeline.taskCount }

    /// Returns the number of subscribers that wait for a variant of this URL.
    package func subscriberCount(of url: URL) -> Int {
        pipeline.variants.subscriberCount { $0.decoded.key.original.key.url == url }
    }
}
