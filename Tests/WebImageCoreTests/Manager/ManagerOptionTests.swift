import Foundation
import Testing
import WebImageCompatibility
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Each option that the manager handles has a test that fails when the option is ignored.
@Suite(.timeLimit(minutes: 1))
struct ManagerOptionTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    @Test func fromLoaderOnlySkipsBothLayersAndStillStores() async throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(), forKey: fixture.key)
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 9)]
        fixture.answer(width: 5)
        let result = try await fixture.result(.fromLoaderOnly)
        #expect(result.cacheType == .none && result.image.pixelSize.width == 5)
        #expect(fixture.cache.disk == [fixture.key: FakeCoder.file(width: 5)])
        #expect(fixture.cache.imageFromMemoryCache(forKey: fixture.key) === result.image)
    }

    @Test func queryMemoryDataAddsTheBytesToAMemoryHit() async throws {
        let image = try TestImages.solid()
        fixture.cache.storeImageToMemory(image, forKey: fixture.key)
        fixture.cache.disk = [fixture.key: FakeCoder.file()]
        #expect(try await fixture.result().data == nil)
        let result = try await fixture.result(.queryMemoryData)
        #expect(result.image === image && result.data == FakeCoder.file() && result.cacheType == .memory)
    }

    @Test func queryMemoryDataSyncAnswersBeforeReturning() throws {
        fixture.cache.storeImageToMemory(try TestImages.solid(), forKey: fixture.key)
        fixture.cache.disk = [fixture.key: FakeCoder.file()]
        let load = fixture.load([.queryMemoryData, .queryMemoryDataSync])
        #expect(load.ends.first?.data == FakeCoder.file() && load.ends.first?.isOnThisThread == true)
    }

    @Test func queryDiskDataSyncAnswersBeforeReturningAlsoAtAnotherSize() throws {
        fixture.cache.disk = [fixture.key: FakeCoder.file(width: 8, height: 8)]
        let full = fixture.load(.queryDiskDataSync)
        #expect(full.ends.first?.image?.pixelSize.width == 8 && full.ends.first?.data != nil)
        #expect(full.ends.first?.isOnThisThread == true)
        let small = fixture.load(
            .queryDiskDataSync, [.imageThumbnailPixelSize: CGSize(width: 4, height: 4)])
        #expect(small.ends.first?.image?.pixelSize.width == 4)
        #expect(small.ends.first?.data == nil && small.ends.first?.cacheType == .disk)
        #expect(small.ends.first?.isOnThisThread == true)
    }

    @Test func queryDiskDataSyncFindsWhatATransformerStored() throws {
        fixture.cache.disk = ["http://host/picture-Naming.png": FakeCoder.file(width: 6)]
        let load = fixture.load(.queryDiskDataSync, [.imageTransformer: NamedTransformer()])
        #expect(load.ends.first?.image?.isTransformed == true)
        #expect(load.ends.first?.image?.pixelSize.width == 6)
    }

    @Test func decodeFirstFrameOnlyReachesTheCoder() async throws {
        fixture.answer()
        let result = try await fixture.result([.decodeFirstFrameOnly, .fromLoaderOnly])
        #expect(result.image.decodingOptions?.firstFrameOnly == true)
    }

    // SDWebImageManagerTests.test13ThatScaleDownLargeImageUseThumbnailDecoding
    @Test func scaleDownLargeImagesLimitsTheDecodeAndIsNotServedToOtherLoads() async throws {
        fixture.answer(width: 100, height: 100)
        let context: WebImageContext = [.imageScaleDownLimitBytes: 10_000]
        let bounded = try await fixture.result([], context)
        #expect(bounded.image.pixelSize == PixelSize(width: 50, height: 50))
        #expect(try await fixture.result([], context).cacheType == .memory)
        // The load of the scaled-down image and the load of the whole image have the same key. The load of the whole
        // image must not receive the scaled-down image.
        let whole = try await fixture.result()
        #expect(whole.image.pixelSize.width == 100 && whole.cacheType == .disk)
        // The whole image in memory is a hit for loads with and without a scale-down limit.
        #expect(try await fixture.result(.scaleDownLargeImages).cacheType == .memory)
    }

    /// The default limit is far larger than the test images and does not change their size. The test therefore checks
    /// the decoding options.
    @Test func scaleDownLargeImagesUsesTheDefaultLimit() async throws {
        fixture.answer()
        let bounded = try await fixture.result(.scaleDownLargeImages)
        #expect(bounded.image.decodingOptions?.scaleDownLimitBytes == ImageScaling.defaultScaleDownLimitBytes)
        #expect(try await fixture.result(.fromLoaderOnly).image.decodingOptions?.scaleDownLimitBytes == nil)
    }

    @Test func forceDecodeOptionsChangeNothing() async throws {
        fixture.answer()
        let plain = try await fixture.result(.fromLoaderOnly)
        let avoiding = try await fixture.result([.fromLoaderOnly, .avoidDecodeImage])
        let never = try await fixture.result(.fromLoaderOnly, [.imageForceDecodePolicy: ImageForceDecodePolicy.never])
        #expect([avoiding, never].allSatisfy { $0.image.decodingOptions == plain.image.decodingOptions })
        #expect(fixture.coder.decodeCount == 3 && fixture.cache.memoryKeys == [fixture.key])
    }

    @Test func hdrImageIsNotServedForAStandardRequest() async throws {
        fixture.answer()
        let high = try await fixture.result([], [.imageDecodeToHDR: 1])
        #expect(high.image.decodingOptions?.decodesToHDR == true)
        #expect(try await fixture.result([], [.imageDecodeToHDR: 1]).cacheType == .memory)
        #expect(try await fixture.result().image.decodingOptions?.decodesToHDR == false)
    }

    @Test func onlyWaitStoreCacheCompletesAfterTheStores() async throws {
        let slow = SlowStoreCache()
        let manager = WebImageManager(cache: slow, loader: fixture.loader)
        fixture.answer()
        let context = fixture.context([.queryCacheType: ImageCacheType.none])
        _ = try await manager.image(for: fixture.url, options: .fromLoaderOnly, context: context)
        #expect(slow.completedCount == 0)
        let waiting = Task {
            try await manager.image(for: fixture.url, options: [.fromLoaderOnly, .waitStoreCache], context: context)
        }
        #expect(await eventually { slow.askedCount >= 2 })
        #expect(manager.isRunning)
        slow.completeAll()
        _ = try await waiting.value
        #expect(slow.completedCount >= 2)
    }

    @Test(arguments: [false, true]) func animatedImagesAreTransformedOnRequestAlone(_ wanted: Bool) async throws {
        try await expectTransform(of: MovingImage(pixels: TestImages.solid().pixels), .transformAnimatedImage, wanted)
    }

    @Test(arguments: [false, true]) func vectorImagesAreTransformedOnlyOnRequest(_ wanted: Bool) async throws {
        let vector = try TestImages.solid()
        vector.imageFormat = .svg
        try await expectTransform(of: vector, .transformVectorImage, wanted)
    }

    private func expectTransform(of image: Image, _ option: WebImageOptions, _ wanted: Bool) async throws {
        let transformer = NamedTransformer()
        let context: WebImageContext = [.imageTransformer: transformer, .imageCoder: FixedCoder(image: image)]
        fixture.answer()
        let result = try await fixture.result(wanted ? option : [], context)
        #expect(result.image.isTransformed == wanted && transformer.keys.count == (wanted ? 1 : 0))
    }

    private static let priorities: [(WebImageOptions, LoadPriority)] = [
        (.lowPriority, .low), (.highPriority, .high), ([], .normal), ([.highPriority, .lowPriority], .high),
    ]

    @Test(arguments: priorities)
    func priorityOptionsReachTheLoader(_ options: WebImageOptions, _ priority: LoadPriority) async throws {
        fixture.answer()
        _ = try await fixture.result(options)
        #expect(fixture.loader.loads.map(\.priority) == [priority])
    }

    @Test func optionsForTheLoaderReachIt() async throws {
        fixture.answer()
        let options: WebImageOptions = [.handleCookies, .allowInvalidSSLCertificates, .continueInBackground]
        _ = try await fixture.result(options)
        #expect(fixture.loader.loads.first?.options.isSuperset(of: options) == true)
    }
}

/// An image that reports two frames.
final class MovingImage: Image, @unchecked Sendable {
    // Unchecked is safe because the class adds no state to its superclass.
    override var imageFrameCount: Int { 2 }
}

/// A coder that decodes all data to one fixed image.
struct FixedCoder: ImageCoder {
    let image: Image
    func canDecode(from data: Data) -> Bool { true }
    var describesFiles: Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        throw .badData("fake", "")
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image { image }
}

/// A cache without memory and disk layers. A store completes when the test calls `completeAll()`.
final class SlowStoreCache: ImageCaching {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var asked = 0
        var completed = 0
        var encoding: [Int] = []
    }

    private let state = Locked(State())
    var askedCount: Int { state.withLock { $0.asked } }
    var completedCount: Int { state.withLock { $0.completed } }
    /// The maximum file sizes in bytes that the encoding options of the stores contained.
    var encodeLimits: [Int] { state.withLock { $0.encoding } }

    func completeAll() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.completed += state.waiting.count
            return state.waiting
        }
        for completion in waiting { completion() }
    }

    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.asked += 1
                state.encoding += request.encoding.maxFileSize.map { [$0] } ?? []
                state.waiting.append { continuation.resume() }
            }
        }
    }

    func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? { nil }
    func remove(_ key: String, from layers: ImageCacheType) async {}
    func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType { .none }
    func removeAll(from layers: ImageCacheType) async {}
}
