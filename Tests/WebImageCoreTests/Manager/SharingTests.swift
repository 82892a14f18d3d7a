import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests which loads share work and which loads must not share work.
@Suite(.timeLimit(minutes: 1))
struct SharingTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    @Test func transformerPipelinesShareTheirCommonFirstSteps() async throws {
        let first = NamedTransformer("A")
        let second = NamedTransformer("B")
        let third = NamedTransformer("C")
        async let short = fixture.result([], [.imageTransformer: Pipeline(transformers: [first, second])])
        async let long = fixture.result([], [.imageTransformer: Pipeline(transformers: [first, second, third])])
        async let single = fixture.result([], [.imageTransformer: first])
        #expect(await eventually { fixture.manager.subscriberCount(of: fixture.url) == 3 })
        #expect(await eventually { fixture.manager.sharedTaskCount == 8 })
        fixture.answer()
        _ = try await (short, long, single)
        #expect(fixture.coder.decodeCount == 1)
        #expect(first.keys == ["http://host/picture-A.png"])
        #expect(second.keys == ["http://host/picture-A-B.png"])
        #expect(third.keys == ["http://host/picture-A-B-C.png"])
        #expect(
            fixture.cache.memoryKeys == [
                "http://host/picture-A.png", "http://host/picture-A-B.png", "http://host/picture-A-B-C.png",
            ])
    }

    @Test func sharedLoadHasTheHighestPriorityOfItsSubscribers() async throws {
        let low = fixture.load(.lowPriority)
        #expect(await eventually { !fixture.loader.loads.isEmpty })
        let handle = try #require(fixture.loader.loads.first?.priorityHandle)
        #expect(handle.priority == .low)
        let high = fixture.load(.highPriority)
        #expect(await eventually { handle.priority == .high })
        high.operation?.cancel()
        #expect(await eventually { handle.priority == .low })
        low.operation?.priority = .normal
        #expect(await eventually { handle.priority == .normal })
        fixture.answer()
        _ = await low.end()
        #expect(fixture.loader.requests.count == 1)
    }

    @Test func priorityReachesAJobThatWaitsForTheDecodePool() async throws {
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let gate = DispatchSemaphore(value: 0)
        let order = Locked<[String]>([])
        let moving = LoadPriorityHandle(.low)
        let blocker = Task { try await pool.run { () throws(WebImageError) in gate.wait() } }
        #expect(await eventually { pool.runningCount == 1 })
        let late = Task {
            try await pool.run(priority: moving) { () throws(WebImageError) in order.withLock { $0.append("moved") } }
        }
        #expect(await eventually { pool.waitingCount == 1 })
        let normal = Task {
            try await pool.run { () throws(WebImageError) in order.withLock { $0.append("normal") } }
        }
        #expect(await eventually { pool.waitingCount == 2 })
        moving.priority = .high
        gate.signal()
        _ = try await (blocker.value, late.value, normal.value)
        #expect(order.withLock { $0 } == ["moved", "normal"])
    }

    @Test func twoScopesOfOneURLShareNothing() async throws {
        async let first = fixture.result([], [.cacheScope: "ada"])
        async let second = fixture.result([], [.cacheScope: "bob"])
        #expect(await eventually { fixture.loader.requests.count == 2 })
        fixture.answer()
        #expect(try await first.image !== second.image)
        let keys = ["ada", "bob"].compactMap {
            fixture.manager.cacheKey(for: fixture.url, context: [.cacheScope: $0])
        }
        #expect(Set(keys).count == 2 && fixture.cache.memoryKeys == Set(keys))
        #expect(Set(fixture.cache.disk.keys) == Set(keys))
        #expect(try await fixture.result([], [.cacheScope: "ada"]).cacheType == .memory)
        #expect(try await fixture.result([], [.cacheScope: "eve"]).cacheType == .none)
    }

    /// A scope that was ignored would let one user receive the picture of another one.
    @Test func scopeAsAValueIsHonoured() async throws {
        func key(_ scope: any Sendable) -> String? {
            fixture.manager.cacheKey(for: fixture.url, context: [.cacheScope: scope])
        }
        #expect(key(CacheScope.scoped("ada")) == key("ada") && key("ada") != key("bob"))
        #expect(key(CacheScope.shared) == fixture.manager.cacheKey(for: fixture.url))
        #expect(key(CacheScope.unstored) == nil)
        for scope in [CacheScope.scoped("ada"), .shared, .unstored] {
            let request = ImageRequest(url: fixture.url, context: [.cacheScope: scope])
            #expect(request.cacheScope == (scope == .scoped("ada") ? "ada" : nil))
            #expect(fixture.manager.cacheKey(for: fixture.url, context: request.context) == key(scope))
        }
        async let first = fixture.result([], [.cacheScope: CacheScope.unstored])
        async let second = fixture.result([], [.cacheScope: CacheScope.unstored])
        #expect(await eventually { fixture.loader.requests.count == 2 })
        fixture.answer()
        #expect(try await first.image !== second.image)
        #expect(fixture.cache.memoryKeys.isEmpty && fixture.cache.disk.isEmpty)
    }

    @Test func unsharableLoadsAreNeitherSharedNorStored() async throws {
        let loader = PrivateLoader()
        let manager = WebImageManager(cache: fixture.cache, loader: loader)
        async let first = manager.image(for: fixture.url, context: fixture.context)
        async let second = manager.image(for: fixture.url, context: fixture.context)
        #expect(try await first !== second)
        #expect(loader.count == 2 && fixture.cache.memoryKeys.isEmpty && fixture.cache.disk.isEmpty)
    }

    @Test func cancelledLoadStartsNoFurtherStage() async throws {
        let transformer = NamedTransformer()
        let gate = GatedCoder()
        let load = fixture.load([], [.imageTransformer: transformer, .imageCoder: gate])
        fixture.answer()
        #expect(await eventually { gate.startedCount == 1 })
        load.operation?.cancel()
        gate.open()
        #expect(await eventually { fixture.manager.sharedTaskCount == 0 })
        #expect(load.completions.count == 1 && transformer.keys.isEmpty)
        // The downloaded bytes are stored for a later load but are not decoded.
        #expect(await eventually { fixture.cache.disk == [fixture.key: FakeCoder.file()] })
        #expect(fixture.cache.memoryKeys.isEmpty)
        #expect(!fixture.manager.isRunning && fixture.cache.diskReadCount == 2)
    }

    private static let cancellable: [WebImageLoadStage] = [.disk, .download, .decode, .transform, .store]

    /// One load is cancelled when a stage begins. If a second load shares the work, the second load continues.
    @Test(arguments: cancellable, [false, true])
    func cancelAtAnyStageStartsNoFurtherStage(_ stage: WebImageLoadStage, _ isShared: Bool) async throws {
        let canceller = StageCanceller(stage)
        fixture.manager.listener = canceller
        let context: WebImageContext = [.imageTransformer: NamedTransformer()]
        let load = fixture.load([], context)
        let other = isShared ? fixture.load([], context) : nil
        #expect(await eventually { fixture.manager.subscriberCount(of: fixture.url) == (isShared ? 2 : 1) })
        canceller.operation = load.operation
        fixture.answer()
        _ = await load.end()
        _ = await other?.end()
        #expect(await eventually { fixture.manager.sharedTaskCount == 0 && !fixture.manager.isRunning })
        #expect(load.completions.count == 1 && load.ends[0].error?.code == .cancelled)
        if let other {
            #expect(other.completions.count == 1 && other.ends[0].image?.isTransformed == true)
            #expect(fixture.loader.requests.count == 1 && fixture.coder.decodeCount == 1)
        } else {
            #expect(canceller.begunAfterwards.isEmpty)
        }
    }

    @Test func twoSizesFromALoaderThatDecodesAreTwoRequests() async throws {
        let loader = DecodingLoader()
        let manager = WebImageManager(cache: fixture.cache, loader: ImageLoadersManager(loaders: [loader]))
        async let small = manager.image(
            for: fixture.url, context: [.imageThumbnailPixelSize: CGSize(width: 2, height: 2)])
        async let full = manager.image(for: fixture.url)
        #expect(try await (small.pixelSize.width, full.pixelSize.width) == (2, 8))
    }
}

/// A loader that completes immediately. The identity of its loads forbids loads to share the work and caches to store
/// the bytes.
private final class PrivateLoader: ImageLoader {
    private let requests = Locked(0)
    var count: Int { requests.withLock { $0 } }

    func identity(of load: ImageDataLoad) -> LoadIdentity { LoadIdentity(sharing: nil, cacheScope: .unstored) }
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        requests.withLock { $0 += 1 }
        return ImageDataResult(data: FakeCoder.file(), response: WebImageResponse(url: load.url))
    }
    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
}

/// A loader that returns images instead of bytes. The width of an image is the thumbnail width in the context.
private struct DecodingLoader: ImageLoader {
    var capabilities: LoaderCapabilities { LoaderCapabilities(returnsImages: true) }
    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let width = (load.context?[.imageThumbnailPixelSize] as? CGSize)?.width ?? 8
        guard let image = try? TestImages.solid(width: Int(width)) else { throw .badData("test", "no picture") }
        return ImageDataResult(image: image, url: load.url)
    }
}
