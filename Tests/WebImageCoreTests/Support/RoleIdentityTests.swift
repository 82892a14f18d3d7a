import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Coders, loaders and animations can be value types. Two of these values are the same role only if they are equal.
@Suite(.timeLimit(minutes: 1))
struct RoleIdentityTests {
    let fixture: ManagerFixture

    init() throws { fixture = try ManagerFixture() }

    /// A coder that is a value type. It returns images that are filled with its `blue` value.
    struct PaintingCoder: ImageCoder {
        let blue: UInt8
        let gate: DispatchSemaphore?
        func canDecode(from data: Data) -> Bool { true }
        func canEncode(to format: ImageFormat) -> Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            ImageInfo(format: .undefined, storedSize: PixelSize(width: 4, height: 4))
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            try TestImages.solid(blue: blue)
        }
        func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
            throw WebImageError(.encodingFailed, stage: .encode)
        }
    }

    /// A loader that is a value type.
    struct NamedLoader: ImageLoader {
        let blue: UInt8
        let started: Locked<Int>
        let finish: Locked<[@Sendable () -> Void]>
        var capabilities: LoaderCapabilities { LoaderCapabilities(returnsImages: true) }
        func loadData(
            for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
        ) async throws(WebImageError) -> ImageDataResult {
            await withValueContinuation { continuation in
                finish.withLock { $0.append { continuation.resume(returning: ()) } }
                started.withLock { $0 += 1 }
            }
            guard let image = try? TestImages.solid(blue: blue) else { throw .badData("test", "no picture") }
            return ImageDataResult(image: image, url: load.url)
        }
        func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
    }

    /// An animation that is a value type.
    struct ValueAnimation: AnimatedImageProvider {
        let blue: UInt8
        var animatedImageData: Data? { nil }
        var animatedImageFrameCount: Int { 2 }
        var animatedImageLoopCount: Int { 0 }
        func animatedImageDuration(at index: Int) -> TimeInterval { 0.1 }
        func animatedImageFrame(at index: Int) -> Image? { try? TestImages.solid(blue: blue) }
    }

    private func blue(_ image: Image?) -> UInt8? { image?.pixels.withUnsafeBytes { $0.first } }

    @Test func twoCodersOfOneTypeAreDifferentCoders() async throws {
        let loads = (1...2).map {
            fixture.load(.fromLoaderOnly, [.imageCoder: PaintingCoder(blue: UInt8($0), gate: nil)])
        }
        #expect(await eventually { fixture.manager.subscriberCount(of: fixture.url) == 2 })
        fixture.answer()
        #expect(await blue(loads[0].end()?.image) == 1)
        #expect(await blue(loads[1].end()?.image) == 2)
    }

    @Test func twoLoadersOfOneTypeAreDifferentLoaders() async throws {
        let started = Locked(0)
        let finish = Locked<[@Sendable () -> Void]>([])
        let loads = (1...2).map {
            fixture.load(
                .fromLoaderOnly, [.imageLoader: NamedLoader(blue: UInt8($0), started: started, finish: finish)])
        }
        #expect(await eventually { fixture.manager.subscriberCount(of: fixture.url) == 2 })
        #expect(await eventually(within: 10) { started.withLock { $0 } == 2 })
        for body in finish.withLock({ $0 }) { body() }
        #expect(await blue(loads[0].end()?.image) == 1)
        #expect(await blue(loads[1].end()?.image) == 2)
    }

    @Test @MainActor func twoAnimationsOfOneTypeShareNoFrames() throws {
        let registry = FrameStoreRegistry(budget: 1 << 20)
        let players = [UInt8(1), 2].compactMap {
            AnimatedImagePlayer(
                provider: ValueAnimation(blue: $0), displayLink: ManualDisplayLink(), registry: registry)
        }
        for player in players { player.seekToFrame(at: 0, loopCount: 0) }
        #expect(players.map { blue($0.currentFrame) } == [1, 2])
    }

    @Test func oneOfTwoCachesOfOneTypeIsRemoved() {
        struct ValueCache: ImageCaching {
            let name: String
            func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? { nil }
            func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {}
            func remove(_ key: String, from layers: ImageCacheType) async {}
            func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType { .none }
            func removeAll(from layers: ImageCacheType) async {}
        }
        struct HashableCache: ImageCaching, Hashable {
            let name: String
            func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? { nil }
            func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {}
            func remove(_ key: String, from layers: ImageCacheType) async {}
            func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType { .none }
            func removeAll(from layers: ImageCacheType) async {}
        }
        let manager = ImageCachesManager(caches: [
            HashableCache(name: "a"), HashableCache(name: "b"), ValueCache(name: "c"),
        ])
        manager.removeCache(HashableCache(name: "a"))
        #expect(manager.caches?.compactMap { ($0 as? HashableCache)?.name } == ["b"])
        #expect(manager.caches?.count == 2)
    }

    @Test func removingAnIncomparableValueRemovesTheLastOfItsType() {
        let first = PaintingCoder(blue: 1, gate: nil)
        let second = PaintingCoder(blue: 2, gate: nil)
        let coders = ImageCodersManager(coders: [first])
        coders.addCoder(second)
        coders.removeCoder(second)
        #expect(coders.coders.map { ($0 as? PaintingCoder)?.blue } == [1])
        coders.removeCoder(first)
        #expect(coders.coders.isEmpty)
    }
}
