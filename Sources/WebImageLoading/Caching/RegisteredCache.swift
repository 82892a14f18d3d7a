package import Foundation
package import WebImageCore

/// A cache with its layers and its kind. They are found once: when a manager is created with the cache, when the cache is added
/// to an ``ImageCachesManager``, or when a load names it. The code of a load therefore casts no cache.
package final class RegisteredCache: Sendable {
    let role: any ImageCaching
    private let own: (any ImageCacheLayers)?
    /// The cache if it is an ``ImageCache``; otherwise nil.
    let imageCache: ImageCache?
    private let manager: ImageCachesManager?

    package init(_ role: any ImageCaching) {
        self.role = role
        own = role.layers
        imageCache = role as? ImageCache
        manager = role as? ImageCachesManager
    }

    /// The cache if its layers can be used separately; otherwise nil. For an ``ImageCachesManager``, the layers of its
    /// current caches if all of them have layers.
    package var layers: (any ImageCacheLayers)? {
        guard let manager else { return own }
        return CacheLayers(manager)
    }

    /// The ``ImageCache`` that records the versions of the originals in this cache; nil for a custom cache.
    var versioned: ImageCache? { imageCache ?? manager.flatMap { CacheLayers($0)?.versioned } }

    /// The cache itself; for an ``ImageCachesManager``, all its caches.
    var parts: [RegisteredCache] { manager?.registeredCaches.flatMap(\.parts) ?? [self] }

    /// The layered caches that a query uses, the highest first.
    var queriedLayers: [RegisteredCache] {
        manager?.queriedCaches.flatMap(\.queriedLayers) ?? (own == nil ? [] : [self])
    }

    /// Whether ``flush()`` has something to wait for. Custom caches cannot be flushed.
    var isFlushable: Bool { parts.contains { $0.imageCache != nil } }

    /// Waits until all entries are on disk. They then survive the end of the process.
    func flush() async {
        for part in parts { await part.imageCache?.flush() }
    }

    // MARK: Calls with completions

    /// Looks an image up. The look-up begins before this method returns, and a hit in memory completes before too. The
    /// result nil means that the look-up cannot be cancelled any more.
    package func query(
        _ request: ImageCacheRequest, _ completion: @escaping @Sendable (ImageCacheHit?) -> Void
    ) -> (any WebImageOperation)? {
        if let imageCache {
            return imageCache.queryImage(
                forKey: request.key, options: request.options, values: request.values, cacheType: request.layers
            ) { completion(ImageCacheHit($0, data: $1, layer: $2)) }
        }
        if let manager { return manager.query(request, completion) }
        return run(on: request.values.callbackQueue ?? .main, { await $0.cachedImage(for: request) }, completion)
    }

    /// Stores an image. The store begins before this method returns.
    package func store(
        _ image: Image?, data: Data?, for request: ImageCacheRequest, completion: (@Sendable () -> Void)?
    ) {
        let callbacks = request.values.callbackQueue ?? .main
        if let imageCache {
            return imageCache.storeImage(
                image, imageData: data, forKey: request.key, options: request.options, values: request.values,
                identity: request.values.entryIdentity, cacheType: request.layers, callbacks: callbacks,
                completion: completion)
        }
        if let manager { return manager.store(image, data: data, for: request, completion: completion) }
        run(on: callbacks, { await $0.store(image, data: data, for: request) }) { completion?() }
    }

    /// Calls the cache; its part before the first suspension runs before this method returns. If all of it does, the
    /// completion is called before too; otherwise on `callbacks`.
    @discardableResult
    package func run<Value: Sendable>(
        on callbacks: CallbackQueue, _ call: @escaping @Sendable (any ImageCaching) async -> Value,
        _ completion: @escaping @Sendable (Value) -> Void
    ) -> any WebImageOperation {
        let (caller, isCalling) = (pthread_self(), Locked(true))
        defer { isCalling.withLock { $0 = false } }
        let role = role
        return TaskOperation(
            task: Task.immediate {
                let value = await call(role)
                if pthread_equal(caller, pthread_self()) != 0, isCalling.withLock({ $0 }) {
                    completion(value)
                } else {
                    callbacks.async { completion(value) }
                }
            })
    }

    private struct TaskOperation: WebImageOperation {
        let task: Task<Void, Never>
        var isCancelled: Bool { task.isCancelled }
        func cancel() { task.cancel() }
    }
}

extension ImageCacheHit {
    /// The answer of a query with a completion; nil for a miss.
    init?(_ image: Image?, data: Data?, layer: ImageCacheType) {
        if image == nil && data?.isEmpty ?? true { return nil }
        self.init(image: image, data: data, layer: layer)
    }

    /// Waits for a query with a completion. A cancel of the task cancels the query and is answered with a miss.
    package static func found(
        by begin: (@escaping @Sendable (ImageCacheHit?) -> Void) -> (any WebImageOperation)?
    ) async -> ImageCacheHit? {
        let query = Completion<ImageCacheHit?>()
        return await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                query.whenCompleted { continuation.resume(returning: $0) }
                let operation = begin { query.complete(with: $0) }
                if let operation { query.whenCancelled { operation.cancel() } }
            }
        } onCancel: {
            query.cancel(with: nil)
        }
    }

    /// Does the same for a query with the completion of SDWebImage.
    package static func answer(
        of begin: (@escaping ImageCacheQueryCompletionBlock) -> (any WebImageOperation)?
    ) async -> ImageCacheHit? {
        await found { found in begin { found(ImageCacheHit($0, data: $1, layer: $2)) } }
    }
}

extension ImageCacheRequest {
    /// The same request with completions that run on the thread of the result.
    package var invokingCallbacks: ImageCacheRequest {
        var values = values
        values.callbackQueue = .invoking
        return ImageCacheRequest(key: key, layers: layers, options: options, values: values)
    }
}
