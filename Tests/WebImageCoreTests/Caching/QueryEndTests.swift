import Dispatch
import Foundation
import Testing
import WebImageCompatibility
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@testable import WebImageLoading

/// Tests cache queries that are cancelled after the disk has answered, and the entries that thumbnail queries store in
/// higher caches.
@Suite(.timeLimit(minutes: 1))
struct QueryEndTests {
    let coder = ToyCoder()
    let cache = ImageCache(
        memoryCache: MemoryCache(config: ImageCacheConfig()),
        diskCache: DictionaryDiskCache(cachePath: "/", config: ImageCacheConfig()))

    /// A queue that runs no blocks until the test calls `open()`.
    private final class HeldQueue: Sendable {
        let queue = DispatchQueue(label: "held")
        init() { queue.suspend() }
        func open() { queue.resume() }
    }

    @Test func cancelAfterTheDiskReadDeliversCancelled() async throws {
        cache.storeImageDataToDisk(ToyCoder.data(width: 8, height: 8), forKey: "key")
        let held = HeldQueue()
        let calls = Locked<[Bool]>([])
        let token = try #require(
            cache.queryCacheOperation(
                forKey: "key",
                context: [
                    .imageCoder: coder, .callbackQueue: CallbackQueue(queue: held.queue, policy: .dispatch),
                ]
            ) { image, _, type in calls.withLock { $0.append(image != nil || type != .none) } })
        // The image in the memory cache shows that the disk has answered. The delivery still waits in the held queue.
        #expect(await eventually { cache.imageFromMemoryCache(forKey: "key") != nil })
        #expect(await eventually { DecodePool.shared.runningCount == 0 })
        token.cancel()
        #expect(token.isCancelled)
        held.open()
        #expect(await eventually { !calls.withLock { $0.isEmpty } })
        held.queue.sync {}
        #expect(calls.withLock { $0 } == [false])
    }

    @Test func cancelAfterTheCompletionChangesNothing() async throws {
        cache.storeImageDataToDisk(ToyCoder.data(width: 8, height: 8), forKey: "key")
        let calls = Locked(0)
        let token = cache.queryCacheOperation(
            forKey: "key", context: [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking]
        ) { _, _, _ in calls.withLock { $0 += 1 } }
        #expect(await eventually { calls.withLock { $0 } == 1 })
        token?.cancel()
        #expect(token?.isCancelled == false && calls.withLock { $0 } == 1)
    }

    /// Begins a query that waits in its decode, and returns the coder and the images that the query delivers.
    private func decodingQuery(of cache: any ImageCaching) async -> (gated: GatedCoder, images: Calls<Image?>) {
        let (gated, images) = (GatedCoder(), Calls<Image?>())
        let request = ImageCacheRequest(
            key: "key", layers: .all, options: [],
            context: [.imageCoder: gated, .callbackQueue: CallbackQueue.invoking])
        _ = RegisteredCache(cache).query(request) { images.append($0?.image) }
        #expect(await eventually { gated.startedCount == 1 })
        return (gated, images)
    }

    /// The calls that remove an image from memory.
    enum Removal: CaseIterable, Sendable {
        case image, imageFromMemory, allOfMemory, everything
    }

    /// A query decodes while its image is removed. It delivers the image, but does not store it again.
    @Test(arguments: Removal.allCases) func imageThatIsRemovedDuringItsQueryStaysRemoved(by removal: Removal) async {
        cache.storeImageDataToDisk(ToyCoder.data(width: 8, height: 8), forKey: "key")
        let (gated, images) = await decodingQuery(of: cache)
        switch removal {
        case .image: cache.removeImage(forKey: "key", cacheType: .all, completion: nil)
        case .imageFromMemory: cache.removeImageFromMemory(forKey: "key")
        case .allOfMemory: cache.clearMemory()
        case .everything: cache.clear(with: .all, completion: nil)
        }
        gated.open()
        #expect(await eventually { images.all.count == 1 })
        #expect(images.all.first??.pixelSize != nil)
        #expect(cache.imageFromMemoryCache(forKey: "key") == nil)
    }

    /// A lower cache decodes while the list of caches removes the image. The higher cache does not receive it.
    @Test(arguments: [true, false]) func imageThatIsRemovedDuringAQueryIsNotCopied(clears: Bool) async {
        cache.storeImageDataToDisk(ToyCoder.data(width: 8, height: 8), forKey: "key")
        let higher = ImageCache(
            memoryCache: MemoryCache(config: ImageCacheConfig()),
            diskCache: DictionaryDiskCache(cachePath: "/", config: ImageCacheConfig()))
        let manager = ImageCachesManager(caches: [cache, higher])
        manager.fillsHigherCaches = true
        let (gated, images) = await decodingQuery(of: manager)
        if clears {
            manager.clear(with: .all, completion: nil)
        } else {
            manager.removeImage(forKey: "key", cacheType: .all, completion: nil)
        }
        gated.open()
        #expect(await eventually { images.all.count == 1 })
        #expect(images.all.first??.pixelSize != nil)
        for cache in [cache, higher] {
            #expect(cache.imageFromMemoryCache(forKey: "key") == nil)
            #expect(await cache.diskImageData(forKey: "key") == nil)
        }
    }

    /// Only the query of the removed image is affected, and only one that began before the removal.
    @Test func removalOfAnotherImageAndAnEarlierRemovalChangeNothing() async {
        cache.storeImageDataToDisk(ToyCoder.data(width: 8, height: 8), forKey: "key")
        cache.removeImageFromMemory(forKey: "key")
        let (gated, _) = await decodingQuery(of: cache)
        cache.removeImage(forKey: "another", cacheType: .all, completion: nil)
        gated.open()
        #expect(await eventually { cache.imageFromMemoryCache(forKey: "key") != nil })
    }

    /// More removals than are remembered count as removals of all images.
    @Test func manyRemovalsAreBounded() {
        var removals = RecentRemovals()
        let start = removals.count
        removals.note("first")
        #expect(removals.include("first", after: start) && !removals.include("second", after: start))
        #expect(!removals.include("first", after: removals.count))
        for index in 0..<300 { removals.note("\(index)") }
        #expect(removals.include("first", after: start) && removals.include("second", after: start))
        #expect(!removals.include("second", after: removals.count))
    }

    @Test func aThumbnailQueryNeverFillsHigherCachesWithAThumbnail() async throws {
        cache.storeImageDataToDisk(ToyCoder.data(width: 80, height: 80), forKey: "key")
        let higher = ImageCache(
            memoryCache: MemoryCache(config: ImageCacheConfig()),
            diskCache: DictionaryDiskCache(cachePath: "/", config: ImageCacheConfig()))
        let manager = ImageCachesManager(caches: [cache, higher])
        manager.fillsHigherCaches = true
        let calls = Locked<[Image?]>([])
        _ = manager.queryImage(
            forKey: "key", options: [],
            context: [
                .imageCoder: coder, .callbackQueue: CallbackQueue.invoking,
                .imageThumbnailPixelSize: CGSize(width: 8, height: 8),
            ], cacheType: .all
        ) { image, _, _ in calls.withLock { $0.append(image) } }
        #expect(await eventually { !calls.withLock { $0.isEmpty } })
        #expect(calls.withLock { $0 }.first??.pixelSize == PixelSize(width: 8, height: 8))
        #expect(higher.imageFromMemoryCache(forKey: "key") == nil)
        // The higher cache stores the original's bytes under the original's key, not the thumbnail.
        #expect(await higher.diskImageData(forKey: "key") == ToyCoder.data(width: 80, height: 80))
        #expect(higher.imageFromCache(forKey: "key", context: [.imageCoder: coder])?.pixelSize.width == 80)
    }
}
