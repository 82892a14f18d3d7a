import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// Swift tasks of the host program run even while many jobs of the library block their threads.
///
/// On Linux, concurrent dispatch queues (including the global queues) use the threads of Swift's cooperative
/// pool. While a block on such a queue blocks its thread, the host's `async` functions cannot use this thread.
@Suite(.serialized, .timeLimit(minutes: 3))
struct HostTaskTests {
    /// Blocks each thread that calls `block()` until the test calls `open()`.
    ///
    /// The threads spin and do not sleep. Once a second, libdispatch looks for sleeping threads and starts
    /// additional threads to replace them.
    private final class Blocker: Sendable {
        private let state = Locked((count: 0, isOpen: false))

        var blockedCount: Int { state.withLock { $0.count } }

        func block() {
            state.withLock { $0.count += 1 }
            while !state.withLock({ $0.isOpen }) { sched_yield() }
        }

        func open() { state.withLock { $0.isOpen = true } }
    }

    /// The number of jobs, which is greater than the number of threads in the cooperative pool.
    private let many = 4 * ProcessInfo.processInfo.activeProcessorCount

    /// Starts jobs and waits until `count` jobs block their threads. Then runs a Swift task of every priority and
    /// expects that each task ends.
    ///
    /// This function waits on a separate thread. If the jobs block the cooperative pool, a Swift task would never
    /// run and could not report the failure.
    private func expectTasksRun(
        besideBlocked count: Int, _ start: @escaping @Sendable (Blocker) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let blocker = Blocker()
        let seen = await withCheckedContinuation { continuation in
            Thread {
                start(blocker)
                _ = eventually { blocker.blockedCount >= count }
                let blocked = blocker.blockedCount
                var answers = 0
                for priority in [TaskPriority.high, .medium, .low, .background] {
                    let answered = DispatchSemaphore(value: 0)
                    Task.detached(priority: priority) { answered.signal() }
                    if answered.wait(timeout: .now() + 10) == .success { answers += 1 }
                }
                blocker.open()
                continuation.resume(returning: (blocked, answers))
            }.start()
        }
        #expect(seen.0 >= count, "fewer jobs blocked than were started", sourceLocation: sourceLocation)
        #expect(seen.1 == 4, "a task of the host got no thread", sourceLocation: sourceLocation)
    }

    @Test func diskLayersThatBlock() async {
        let caches = (0..<many).map { _ in
            let disk = DictionaryDiskCache(cachePath: "/nowhere", config: .default)
            disk?.setData(FakeCoder.file(), forKey: "key")
            return (disk, ImageCache(memoryCache: MemoryCache(config: .default), diskCache: disk))
        }
        await expectTasksRun(besideBlocked: many) { blocker in
            for (disk, cache) in caches {
                disk?.beforeReading.withLock { $0 = { blocker.block() } }
                Task { await cache.disk.run { $0?.data(forKey: "key") } }
            }
        }
    }

    @Test func filesThatBlock() async throws {
        let folder = try ScratchFolder()
        let file = folder.url.appending(path: "picture")
        try FakeCoder.file().write(to: file)
        let loader = FileImageLoader()
        // The progress block runs on the thread that reads the file.
        await expectTasksRun(besideBlocked: 4) { blocker in
            for _ in 0..<many {
                Task { try? await loader.loadData(for: ImageDataLoad(url: file)) { _, _, _ in blocker.block() } }
            }
        }
    }

    @Test func keyFiltersOfAPrefetcherThatBlock() async throws {
        let url = try #require(URL(string: "http://host/picture.png"))
        let prefetchers = (0..<many).map { _ in
            WebImagePrefetcher(imageManager: WebImageManager(cache: FakeImageCache(), loader: FakeDataLoader()))
        }
        await expectTasksRun(besideBlocked: many) { blocker in
            let filter = WebImageCacheKeyFilter { _ in
                blocker.block()
                return "key"
            }
            for prefetcher in prefetchers {
                prefetcher.prefetchURLs(
                    [url], options: [], context: [.cacheKeyFilter: filter], progress: nil, completed: nil)
            }
        }
        for prefetcher in prefetchers { prefetcher.cancelPrefetching() }
    }

    @Test func coding() async throws {
        let url = try #require(URL(string: "http://host/picture.png"))
        // `width` is the number of threads of the decode pool.
        let width = max(2, ProcessInfo.processInfo.activeProcessorCount)
        let loads = Locked<[Task<Void, any Error>]>([])
        await expectTasksRun(besideBlocked: width) { blocker in
            for number in 0..<many {
                let loader = FakeDataLoader()
                loader.answer(url, with: .success(FakeCoder.file()))
                let manager = WebImageManager(cache: FakeImageCache(), loader: loader)
                let load: @Sendable () async throws -> Void
                switch number % 4 {
                case 0:
                    load = { _ = try await manager.image(for: url, context: [.imageCoder: BlockingCoder(blocker)]) }
                case 1:
                    load = {
                        let transformer = NamedTransformer(output: { image in
                            blocker.block()
                            return image
                        })
                        _ = try await manager.image(
                            for: url, context: [.imageCoder: FakeCoder(), .imageTransformer: transformer])
                    }
                case 2:
                    load = {
                        let serializer = WebImageCacheSerializer { _, data, _ in
                            blocker.block()
                            return data
                        }
                        _ = try await manager.image(
                            for: url, options: .waitStoreCache,
                            context: [.imageCoder: FakeCoder(), .cacheSerializer: serializer])
                    }
                default:
                    load = {
                        let animation = BlockingAnimation(blocker)
                        let registry = FrameStoreRegistry(budget: 1 << 20)
                        let store = registry.acquire(animation)
                        store.prefetch([0, 1])
                        _ = await eventually { store.decodeCount > 0 }
                        registry.release(store)
                    }
                }
                loads.withLock { $0.append(Task { try await load() }) }
            }
        }
        for load in loads.withLock({ $0 }) { _ = try? await load.value }
    }

    /// No source file uses a queue that takes its threads from the cooperative pool. The search in the source files
    /// covers jobs that no other test starts.
    @Test func noSourceUsesAQueueOfTheCooperativePool() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let sources = root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            // Skip two files. The library never uses `CallbackQueue.global`; only users select this queue. The second
            // file belongs to the gallery, which is a program.
            if ["CallbackQueue.swift", "MainLoopCheck.swift"].contains(file.lastPathComponent) { continue }
            if file.path.contains("/WebImageTesting/") { continue }
            count += 1
            let text = try String(contentsOf: file, encoding: .utf8)
            for name in ["DispatchQueue.global(", "OperationQueue()", "attributes: .concurrent"] {
                #expect(!text.contains(name), "\(file.lastPathComponent) uses \(name)")
            }
        }
        #expect(count > 300)
    }

    private struct BlockingCoder: ImageCoder {
        let blocker: Blocker
        init(_ blocker: Blocker) { self.blocker = blocker }

        func canDecode(from data: Data) -> Bool { true }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            blocker.block()
            return try TestImages.solid()
        }
    }

    private final class BlockingAnimation: AnimatedImageProvider {
        let blocker: Blocker
        init(_ blocker: Blocker) { self.blocker = blocker }

        var animatedImageData: Data? { nil }
        var animatedImageFrameCount: Int { 3 }
        var animatedImageLoopCount: Int { 0 }
        func animatedImageDuration(at index: Int) -> TimeInterval { 0.1 }
        func animatedImageFrame(at index: Int) -> Image? {
            blocker.block()
            return try? TestImages.solid()
        }
    }
}
