import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Loads of a manager whose cache is an ``ImageCachesManager``.
@Suite(.timeLimit(minutes: 1))
struct CacheLayersTests {
    let fixture: ManagerFixture
    let low = FakeImageCache()
    let high = FakeImageCache()
    let caches: ImageCachesManager
    let manager: WebImageManager

    init() throws {
        fixture = try ManagerFixture()
        caches = ImageCachesManager(caches: [low, high])
        manager = WebImageManager(cache: caches, loader: fixture.loader)
    }

    private var context: WebImageContext { [.imageCoder: fixture.coder, .callbackQueue: CallbackQueue.invoking] }

    private func result(_ options: WebImageOptions = []) async throws -> WebImageResult {
        try await manager.result(for: fixture.url, options: options, context: context)
    }

    @Test(arguments: [false, true]) func memoryHitInAListOfCachesIsSynchronous(isLow: Bool) throws {
        (isLow ? low : high).storeImageToMemory(try TestImages.solid(), forKey: fixture.key)
        let ends = Locked<[ImageCacheType]>([])
        _ = manager.loadImage(with: fixture.url, options: [], context: context, progress: nil) { _, _, _, type, _, _ in
            ends.withLock { $0.append(type) }
        }
        #expect(ends.withLock { $0 } == [.memory])
        #expect(fixture.loader.requests.isEmpty)
    }

    @Test(arguments: [false, true]) func bytesOnDiskAreDecodedByTheLoad(isLow: Bool) async throws {
        (isLow ? low : high).disk = [fixture.key: FakeCoder.file()]
        let result = try await result()
        #expect(result.cacheType == .disk && fixture.coder.decodeCount == 1 && fixture.loader.requests.isEmpty)
        // The store policy is `.highestOnly`.
        #expect(high.memoryKeys == [fixture.key] && low.memoryKeys.isEmpty)
        #expect(try await self.result().cacheType == .memory)
    }

    @Test func loadedImageIsStoredByThePolicyOfTheList() async throws {
        caches.storeOperationPolicy = .concurrent
        fixture.answer()
        _ = try await result(.waitStoreCache)
        #expect(
            [low, high].allSatisfy { $0.memoryKeys == [fixture.key] && $0.disk == [fixture.key: FakeCoder.file()] })
    }

    @Test func policyOfTheQueryChoosesTheCaches() async throws {
        caches.queryOperationPolicy = .highestOnly
        low.disk = [fixture.key: FakeCoder.file()]
        fixture.answer()
        #expect(try await result().cacheType == .none)
    }

    @Test func cacheWithoutLayersKeepsTheQueryOfTheList() async throws {
        caches.addCache(BytesCache(bytes: [:]))
        low.storeImageToMemory(try TestImages.solid(), forKey: fixture.key)
        #expect(try await result().cacheType == .memory)
        #expect(fixture.loader.requests.isEmpty)
    }

    // MARK: Caches that return only bytes

    @Test(arguments: [nil, 2.0]) func bytesOfACustomCacheAreDecoded(side: Double?) async throws {
        let bytes = BytesCache(bytes: [fixture.key: FakeCoder.file()])
        let manager = WebImageManager(cache: bytes, loader: fixture.loader)
        var context = context
        context[.imageThumbnailPixelSize] = side.map { CGSize(width: $0, height: $0) }
        let result = try await manager.result(for: fixture.url, context: context)
        #expect(result.cacheType == .disk && fixture.loader.requests.isEmpty)
        #expect(result.image.pixelSize.width == (side == nil ? 4 : 2))
    }

    @Test func undecodableBytesOfACustomCacheAreAMiss() async throws {
        let bytes = BytesCache(bytes: [fixture.key: Data("no picture".utf8)])
        fixture.answer()
        let result = try await WebImageManager(cache: bytes, loader: fixture.loader).result(
            for: fixture.url, context: context)
        #expect(result.cacheType == .none && fixture.loader.requests == [fixture.url])
    }

    @Test func shutdownFlushesTheCachesOfAList() async {
        var config = ImageCacheConfig()
        config.diskCacheClass = FlushCountingDisk.self
        let cache = ImageCache(namespace: "flush", diskCacheDirectory: "/nowhere", config: config)
        let manager = WebImageManager(cache: ImageCachesManager(caches: [cache, low]), loader: fixture.loader)
        #expect(await manager.shutdown())
        #expect((cache.diskCache as? FlushCountingDisk)?.flushes.withLock { $0 } == 1)
    }
}

/// A cache that returns bytes and no image.
private final class BytesCache: ImageCaching {
    private let bytes: [String: Data]

    init(bytes: [String: Data]) { self.bytes = bytes }

    func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        bytes[request.key].map { ImageCacheHit(image: nil, data: $0, layer: .disk) }
    }
    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {}
    func remove(_ key: String, from layers: ImageCacheType) async {}
    func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType {
        bytes[key] == nil ? .none : .disk
    }
    func removeAll(from layers: ImageCacheType) async {}
}

/// An empty disk layer that counts its flushes.
private final class FlushCountingDisk: DiskCaching {
    let flushes = Locked(0)

    init?(cachePath: String, config: ImageCacheConfig) {}

    func flush() { flushes.withLock { $0 += 1 } }
    func containsData(forKey key: String) -> Bool { false }
    func data(forKey key: String) -> Data? { nil }
    func setData(_ data: Data?, forKey key: String) {}
    func extendedData(forKey key: String) -> Data? { nil }
    func setExtendedData(_ data: Data?, forKey key: String) {}
    func removeData(forKey key: String) {}
    func removeAllData() {}
    func removeExpiredData() {}
    func cachePath(forKey key: String) -> String? { nil }
    func totalCount() -> Int { 0 }
    func totalSize() -> Int { 0 }
}
