import Dispatch
import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Each public `async` function that is not isolated to the main actor returns even while the main thread is blocked.
@Suite(.serialized, .timeLimit(minutes: 1))
struct BlockedMainTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let call: @Sendable (ManagerFixture, ImageCache) async throws -> Void
        init(_ name: String, _ call: @escaping @Sendable (ManagerFixture, ImageCache) async throws -> Void) {
            testDescription = name
            self.call = call
        }
    }

    static let rows = [
        Row("WebImageManager.cachedImageExists") { fixture, _ in
            _ = await fixture.manager.cachedImageExists(for: fixture.url)
        },
        Row("WebImageManager.diskImageExists") { fixture, _ in
            _ = await fixture.manager.diskImageExists(for: fixture.url)
        },
        Row("WebImageManager.cachedImageExists over ImageCache") { fixture, cache in
            _ = await WebImageManager(cache: cache, loader: fixture.loader).cachedImageExists(for: fixture.url)
        },
        Row("WebImageManager.diskImageExists over ImageCache") { fixture, cache in
            _ = await WebImageManager(cache: cache, loader: fixture.loader).diskImageExists(for: fixture.url)
        },
        Row("WebImageManager.diskImageExists over several caches") { fixture, cache in
            let caches = ImageCachesManager(caches: [cache, FakeImageCache()])
            _ = await WebImageManager(cache: caches, loader: fixture.loader).diskImageExists(for: fixture.url)
        },
        Row("WebImageManager.image") { fixture, _ in
            _ = try await fixture.manager.image(for: fixture.url, context: [.imageCoder: fixture.coder])
        },
        Row("WebImageManager.image for a text") { fixture, _ in
            _ = try await fixture.manager.image(for: fixture.key, context: [.imageCoder: fixture.coder])
        },
        Row("WebImageManager.result over ImageCache") { fixture, cache in
            let manager = WebImageManager(cache: cache, loader: fixture.loader)
            _ = try await manager.result(
                for: fixture.url, options: .waitStoreCache, context: [.imageCoder: fixture.coder])
        },
        Row("WebImageManager.result over several caches") { fixture, cache in
            let caches = ImageCachesManager(caches: [cache, FakeImageCache()])
            let manager = WebImageManager(cache: caches, loader: fixture.loader)
            _ = try await manager.result(
                for: fixture.url, options: .waitStoreCache, context: [.imageCoder: fixture.coder])
        },
        Row("WebImageManager.events") { fixture, _ in
            for try await _ in fixture.manager.events(for: fixture.url, context: [.imageCoder: fixture.coder]) {}
        },
        Row("ImageTask.image") { fixture, _ in
            let request = ImageRequest(url: fixture.url, context: [.imageCoder: fixture.coder])
            _ = try await fixture.manager.imageTask(for: request).image
            _ = try await fixture.manager.loadImage(with: request) { _ in }.image
        },
        Row("ImageTask.events") { fixture, _ in
            let request = ImageRequest(url: fixture.url, context: [.imageCoder: fixture.coder])
            for try await _ in fixture.manager.imageTask(for: request).events {}
        },
        Row("WebImageManager.shutdown") { fixture, _ in _ = await fixture.manager.shutdown(deadline: .seconds(5)) },
        Row("ImageCache.diskImageData") { _, cache in _ = await cache.diskImageData(forKey: "key") },
        Row("ImageCache.diskResource") { _, cache in _ = await cache.diskResource(forKey: "key") },
        Row("ImageCache.diskUsage") { _, cache in _ = await cache.diskUsage() },
        Row("ImageCache.clearDisk") { _, cache in await cache.clearDisk() },
        Row("ImageCache.deleteOldFiles") { _, cache in await cache.deleteOldFiles() },
        Row("ImageCache.verifyDisk") { _, cache in _ = await cache.verifyDisk() },
        Row("ImageCache.importImages") { _, cache in _ = await cache.importImages(fromDirectory: "/nowhere") },
        Row("ImageCache.flush") { _, cache in await cache.flush() },
        Row("WebImagePrefetcher.prefetch") { fixture, _ in
            let prefetcher = WebImagePrefetcher(imageManager: fixture.manager)
            prefetcher.context = [.imageCoder: fixture.coder]
            _ = await prefetcher.prefetch([fixture.url])
        },
    ]

    @Test(arguments: rows)
    func loadsCompleteWhileMainIsBlocked(row: Row) async throws {
        let fixture = try ManagerFixture()
        fixture.answer()
        let cache = ImageCache(
            memoryCache: MemoryCache(config: ImageCacheConfig()),
            diskCache: DictionaryDiskCache(cachePath: "/", config: ImageCacheConfig()))
        let block = MainBlock()
        #expect(await eventually { block.isHeld })
        let isDone = Locked(false)
        let work = Task.detached {
            try await row.call(fixture, cache)
            isDone.withLock { $0 = true }
        }
        let answered = await eventually(within: 15) { isDone.withLock { $0 } }
        #expect(block.isHeld)
        block.open()
        #expect(answered)
        try await work.value
    }
}

/// Blocks the main thread until `open()` is called.
private final class MainBlock: Sendable {
    private let state = Locked((isHeld: false, isOpen: false))
    private let gate = DispatchSemaphore(value: 0)

    init() {
        let (state, gate) = (state, gate)
        DispatchQueue.main.async {
            state.withLock { $0.isHeld = true }
            gate.wait()
            state.withLock { $0.isHeld = false }
        }
    }

    deinit { open() }

    var isHeld: Bool { state.withLock { $0.isHeld } }

    func open() {
        let isFirst = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        if isFirst { gate.signal() }
    }
}
