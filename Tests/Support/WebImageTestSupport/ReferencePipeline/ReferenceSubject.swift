package import Foundation
import WebImageCore
package import WebImageLoading
import WebImageTesting

/// A manager under test, with the operations that a history needs in addition to loads.
package struct ReferenceSubject: Sendable {
    /// The manager.
    package var manager: WebImageManager
    /// Purges the memory cache.
    package var clearMemory: @Sendable () async -> Void
    /// Purges the disk cache.
    package var clearDisk: @Sendable () async -> Void
    /// Waits until all work has ended and stored entries are visible to later loads.
    package var settle: @Sendable () async -> Void
    /// Waits until all stored entries are written.
    package var flush: @Sendable () async -> Void
    /// Makes a new manager with a new cache in the same folder, as after a restart of the process.
    package var restart: @Sendable () async throws -> ReferenceSubject
    /// Returns the bytes that the disk cache contains for a key. Nil for a cache without such a function.
    package var diskData: (@Sendable (String) -> Data?)?
    /// Queries the disk cache with a key and returns the found image. Nil for a cache without such a function.
    package var query:
        (
            @Sendable (_ key: String, _ options: WebImageOptions, _ context: WebImageContext) async
                -> ReferencePicture?
        )?
    /// Loads a URL in another process with the same folder, with `refreshCached`, and waits until its entries are
    /// written. Nil for a cache without such a function.
    package var refreshInAnotherProcess: (@Sendable (URL) async -> Void)?
    /// Lets all entries on disk expire and removes them. Nil for a cache without such a function.
    package var expire: (@Sendable () async -> Void)?
    /// Purges the disk cache in another process with the same folder. Nil for a cache without such a function.
    package var clearInAnotherProcess: (@Sendable () async -> Void)?
    /// Whether the cache may lose entries or return outdated entries. An example is a cache of several layers that are
    /// purged separately.
    package var mayLoseEntries = false

    /// Makes a subject from its parts.
    package init(
        manager: WebImageManager, clearMemory: @escaping @Sendable () async -> Void,
        clearDisk: @escaping @Sendable () async -> Void, settle: @escaping @Sendable () async -> Void,
        flush: @escaping @Sendable () async -> Void,
        restart: @escaping @Sendable () async throws -> ReferenceSubject
    ) {
        self.manager = manager
        self.clearMemory = clearMemory
        self.clearDisk = clearDisk
        self.settle = settle
        self.flush = flush
        self.restart = restart
    }

    /// Makes a manager with a loader and an ``ImageCache``.
    ///
    /// - Parameters:
    ///   - isIdle: Returns whether the loader has no work left, including the work of cancelled loads.
    ///   - makeCache: Opens the cache. It is called at the start and at each restart, and always uses the same folder.
    package static func layered(
        loader: any ImageLoader, isIdle: @escaping @Sendable () -> Bool, makeCache: @escaping @Sendable () -> ImageCache
    ) -> ReferenceSubject {
        let cache = makeCache()
        let manager = WebImageManager(cache: cache, loader: loader)
        let settle: @Sendable () async -> Void = { await settled { !manager.isRunning && isIdle() } }
        var subject = ReferenceSubject(
            manager: manager, clearMemory: { cache.clearMemory() }, clearDisk: { await cache.clearDisk() },
            settle: settle, flush: { await cache.flush() }
        ) {
            await settle()
            await cache.flush()
            return layered(loader: loader, isIdle: isIdle, makeCache: makeCache)
        }
        subject.refreshInAnotherProcess = { url in
            await settle()
            await cache.flush()
            // A second cache with its own connection to the index. It has no memory in common with the first one.
            let other = makeCache()
            let manager = WebImageManager(cache: other, loader: loader)
            _ = try? await manager.image(for: url, options: [.refreshCached, .waitStoreCache])
            await other.flush()
        }
        subject.expire = {
            await settle()
            await cache.flush()
            let age = cache.config.maxDiskAge
            cache.config.maxDiskAge = 0.000_001
            await cache.deleteOldFiles()
            cache.config.maxDiskAge = age
        }
        subject.clearInAnotherProcess = {
            await settle()
            await cache.flush()
            await makeCache().clearDisk()
        }
        subject.diskData = { cache.diskImageDataSync(forKey: $0) }
        subject.query = { key, options, context in
            var context = context
            context[.callbackQueue] = CallbackQueue.invoking
            let request = RequestContext(context)
            return await withCheckedContinuation { continuation in
                _ = cache.queryImage(
                    forKey: key, options: options, context: request.dictionary, cacheType: .disk
                ) { image, _, _ in continuation.resume(returning: image.flatMap { ReferencePicture($0) }) }
            }
        }
        return subject
    }

    /// Makes a manager with a loader and two caches. A hit in the lower cache is also stored in the higher cache.
    ///
    /// ``clearMemory`` purges the memory and the disk of the higher cache.
    package static func stacked(
        loader: any ImageLoader, isIdle: @escaping @Sendable () -> Bool,
        makeCaches: @escaping @Sendable () -> (lower: ImageCache, higher: ImageCache)
    ) -> ReferenceSubject {
        let (lower, higher) = makeCaches()
        let caches = ImageCachesManager(caches: [lower, higher])
        caches.storeOperationPolicy = .concurrent
        caches.fillsHigherCaches = true
        let manager = WebImageManager(cache: caches, loader: loader)
        let settle: @Sendable () async -> Void = { await settled { !manager.isRunning && isIdle() } }
        let flush: @Sendable () async -> Void = {
            await lower.flush()
            await higher.flush()
        }
        let clearHigher: @Sendable () async -> Void = {
            higher.clearMemory()
            await higher.clearDisk()
        }
        var subject = ReferenceSubject(
            manager: manager, clearMemory: clearHigher,
            clearDisk: {
                await clearHigher()
                lower.clearMemory()
                await lower.clearDisk()
            }, settle: settle, flush: flush
        ) {
            await settle()
            await flush()
            return stacked(loader: loader, isIdle: isIdle, makeCaches: makeCaches)
        }
        subject.mayLoseEntries = true
        return subject
    }

    /// Waits for a condition that becomes true soon.
    static func settled(_ condition: () -> Bool) async {
        for _ in 0..<200 where !condition() { await Task.yield() }
        _ = await eventually(condition)
    }
}
