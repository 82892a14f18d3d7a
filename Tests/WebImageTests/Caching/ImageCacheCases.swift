import Foundation
import Testing
import WebImage
import WebImageCompatibility
import WebImageStore
import WebImageTestTraits
import WebImageTesting

/// SDWebImage's cache tests with real files and images. Each test uses a new folder.
@Suite(.timeLimit(minutes: 1))
struct ImageCacheCases {
    private let scratch: ScratchFolder
    var directory: String { scratch.path }
    let cache: ImageCache
    let key = "TestImageKey.jpg"

    init() throws {
        scratch = try ScratchFolder()
        cache = ImageCache(namespace: "default", diskCacheDirectory: scratch.path)
    }

    func opaque() throws -> Image { try TestImages.solid(width: 80, height: 60) }

    func store(_ image: Image?, _ data: Data? = nil, toDisk: Bool = true) async {
        await withCheckedContinuation { continuation in
            cache.storeImage(
                image, imageData: data, forKey: key, options: [], context: [.callbackQueue: CallbackQueue.invoking],
                cacheType: toDisk ? .all : .memory
            ) { continuation.resume() }
        }
    }

    func remove(fromDisk: Bool = true) async {
        await withCheckedContinuation { continuation in
            cache.removeImage(forKey: key, cacheType: fromDisk ? .all : .memory) { continuation.resume() }
        }
    }

    func jpeg() throws -> Data {
        try ImageCodersManager.shared.encode(opaque(), format: .jpeg, options: EncodingOptions())
    }

    // SDImageCacheTests.test01SharedImageCache, SDImageCacheTests.test02Singleton
    // SDImageCacheTests.test03ImageCacheCanBeInstantiated
    @Test
    func sharedCacheIsASingleton() {
        #expect(ImageCache.shared === ImageCache.shared)
        #expect(cache !== ImageCache.shared)
    }

    @Test func clearingDiskKeepsMemory() async throws {  // SDImageCacheTests.test04ClearDiskCache
        let image = try opaque()
        await store(image)
        await cache.clearDisk()
        #expect(cache.imageFromMemoryCache(forKey: key) === image)
        #expect(!cache.diskImageDataExists(withKey: key))
        #expect(await cache.diskUsage() == (0, 0))
    }

    @Test func clearingMemoryKeepsDisk() async throws {  // SDImageCacheTests.test05ClearMemoryCache
        await store(try opaque())
        cache.clearMemory()
        #expect(cache.imageFromMemoryCache(forKey: key) == nil)
        #expect(cache.diskImageDataExists(withKey: key))
    }

    @Test  // SDImageCacheTests.test06InsertionOfImage, SDImageCacheTests.test07InsertionOfImageForcingDiskStorage
    func storedImageIsInMemoryAtOnceAndOnDiskAtTheCompletion() async throws {
        let image = try opaque()
        cache.storeImage(image, forKey: key)
        #expect(cache.imageFromMemoryCache(forKey: key) === image)
        await store(image)
        #expect(cache.diskImageDataExists(withKey: key))
    }

    @Test func memoryOnlyImageIsNotOnDisk() async throws {  // SDImageCacheTests.test08InsertionOfImageOnlyInMemory
        let image = try opaque()
        await store(image, toDisk: false)
        #expect(!cache.diskImageDataExists(withKey: key))
        #expect(cache.imageFromMemoryCache(forKey: key) === image)
        cache.storeImageToMemory(image, forKey: key)
        cache.clearMemory()
        #expect(cache.imageFromMemoryCache(forKey: key) == nil)
    }

    @Test func queryReturnsTheStoredObject() async throws {  // SDImageCacheTests.test09RetrieveImageThroughNSOperation
        let image = try opaque()
        await store(image)
        let calls = Calls<Image?>()
        cache.queryCacheOperation(forKey: key) { found, _, _ in calls.append(found) }
        #expect(calls.all.first.flatMap { $0 } === image)
    }

    // SDImageCacheTests.test10RemoveImageForKeyWithCompletion
    // SDImageCacheTests.test11RemoveImageforKeyNotFromDiskWithCompletion
    // SDImageCacheTests.test12RemoveImageforKeyFromDiskWithCompletion
    @Test
    func removalReachesTheNamedLayers() async throws {
        await store(try opaque())
        await remove(fromDisk: false)
        #expect(cache.imageFromMemoryCache(forKey: key) == nil)
        #expect(cache.diskImageDataExists(withKey: key))
        await store(try opaque())
        await remove()
        #expect(cache.imageFromCache(forKey: key) == nil)
    }

    @Test func oldFilesAreDeletedOnDemand() async throws {  // SDImageCacheTests.test13DeleteOldFiles
        await store(try opaque())
        cache.config.maxDiskAge = 0
        await cache.deleteOldFiles()
        #expect(cache.totalDiskCount() == 0)
    }

    @Test  // SDImageCacheTests.test15CancelQueryShouldCallbackOnceInSync
    func cancelOnMainCompletesBeforeItReturns() async {
        await MainActor.run {
            let calls = Calls<ImageCacheType>()
            let token = cache.queryCacheOperation(forKey: "absent") { _, _, type in calls.append(type) }
            #expect(token != nil)
            #expect(calls.all.isEmpty)
            token?.cancel()
            token?.cancel()
            #expect(calls.all == [.none])
        }
    }

    @Test  // SDImageCacheTests.test20InitialCacheSize, SDImageCacheTests.test21InitialDiskCount
    func sizesAndCountsMatchTheStoredEntries() async throws {
        #expect(cache.totalDiskSize() == 0)
        await store(nil, Data(count: 1000))
        #expect(cache.totalDiskCount() == 1)
        #expect(cache.totalDiskSize() == 1000)
        let calls = Calls<[Int]>()
        cache.calculateSize { calls.append([$0, $1]) }
        #expect(await calls.wait() == [1, 1000])
    }

    // SDImageCacheTests.test31CachePathForAnyKey, SDImageCacheTests.test32CachePathForNilKey
    // SDImageCacheTests.test33CachePathForExistingKey
    @Test
    func pathIsThatOfTheEntrysFile() async {
        #expect(cache.cachePath(forKey: nil) == nil)
        #expect(cache.cachePath(forKey: "absent") == nil)
        await store(nil, Data(count: 200_000))
        let path = cache.cachePath(forKey: key)
        #expect(path.flatMap { FileManager.default.contents(atPath: $0) } == Data(count: 200_000))
    }

    @Test func storedBytesAreDecodedFromDisk() async throws {  // SDImageCacheTests.test40InsertionOfImageData
        let data = try jpeg()
        cache.storeImageDataToDisk(data, forKey: key)
        #expect(cache.diskImageDataExists(withKey: key))
        #expect(cache.imageFromMemoryCache(forKey: key) == nil)
        #expect(cache.diskImageDataSync(forKey: key) == data)
        let image = cache.imageFromDiskCache(forKey: key)
        #expect(image?.pixelSize == PixelSize(width: 80, height: 60))
        let calls = Calls<Bool>()
        cache.diskImageExists(withKey: key) { calls.append($0) }
        #expect(await calls.wait() == true)
    }

    @Test  // SDImageCacheTests.test41ThatCustomDecoderWorksForImageCache
    func coderOfTheContextEncodesAndDecodes() async throws {
        let coder = FixedCoder(image: try TestImages.solid(width: 3, height: 2))
        let context: WebImageContext = [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking]
        await withCheckedContinuation { continuation in
            cache.storeImage(
                try? opaque(), imageData: nil, forKey: key, options: [], context: context, cacheType: .disk
            ) { continuation.resume() }
        }
        #expect(cache.diskImageDataSync(forKey: key) == Data("TestEncode".utf8))
        #expect(
            cache.imageFromDiskCache(forKey: key, context: context)?.pixelSize == PixelSize(width: 3, height: 2))
    }

    @Test  // SDImageCacheTests.test41StoreImageDataToDiskWithCustomFileManager
    func unwritableFolderDoesNotFailTheStore() async throws {
        let cache = ImageCache(namespace: "test", diskCacheDirectory: "/proc/nowhere")
        cache.storeImageDataToDisk(Data([1]), forKey: key)
        await cache.flush()
        #expect(!cache.diskImageDataExists(withKey: key))
        let image = try opaque()
        cache.storeImage(image, forKey: key)
        #expect(cache.imageFromMemoryCache(forKey: key) === image)
    }

    final class OtherImage: Image, @unchecked Sendable {}

    @Test  // SDImageCacheTests.test14QueryCacheFirstFrameOnlyHitMemoryCache
    func firstFrameOnlyReturnsAStillOfAnAnimationInMemory() throws {
        let animated = MovingPicture(pixels: try opaque().pixels)
        cache.storeImageToMemory(animated, forKey: key)
        let calls = Calls<(image: Image?, type: ImageCacheType)>()
        for options in [WebImageOptions(), .decodeFirstFrameOnly] {
            cache.queryCacheOperation(forKey: key, options: options) { image, _, type in calls.append((image, type)) }
        }
        #expect(calls.all.map(\.type) == [.memory, .memory])
        #expect(calls.all.first?.image === animated)
        let still = try #require(calls.all.last?.image)
        #expect(!still.isAnimated && still !== animated && still.pixels === animated.pixels)
    }

    @Test  // SDImageCacheTests.test41MatchAnimatedImageClassWorks
    func memoryHitOfTheWrongClassIsAMissOnlyOnRequest() throws {
        let image = try opaque()
        cache.storeImageToMemory(image, forKey: key)
        let context: WebImageContext = [.animatedImageClass: OtherImage.self]
        let calls = Calls<Image?>()
        cache.queryCacheOperation(
            forKey: key, options: .matchAnimatedImageClass, context: context, cacheType: .memory
        ) { found, _, _ in calls.append(found) }
        cache.queryCacheOperation(forKey: key, context: context) { found, _, _ in calls.append(found) }
        #expect(calls.all.count == 2)
        #expect(calls.all.first.flatMap { $0 } == nil)
        #expect(calls.all.last.flatMap { $0 } === image)
        #expect(cache.imageFromCache(forKey: key, options: .matchAnimatedImageClass, context: context) == nil)
        #expect(cache.imageFromCache(forKey: key, context: context) === image)
    }

    @Test(arguments: [(UInt8(128), ImageFormat.png), (255, .jpeg)])
    // SDImageCacheTests.test42StoreCacheWithImageAndFormatWithoutImageData
    func imageWithoutFormatIsStoredAsPNGWithAlphaElseAsJPEG(alpha: UInt8, format: ImageFormat) async throws {
        await store(try TestImages.solid(width: 8, height: 8, alpha: alpha))
        let data = try #require(cache.diskImageDataSync(forKey: key))
        #expect(ImageFormat(sniffing: data) == format)
        cache.clearMemory()
        #expect(cache.imageFromDiskCache(forKey: key)?.imageFormat == format)
    }

    @Test func directoryIsConfigurableAndResets() {  // SDImageCacheTests.test43CustomDefaultCacheDirectory
        #expect(ImageCache(namespace: "Test", diskCacheDirectory: directory).diskCachePath == directory + "/Test")
        ImageCache.defaultDiskCacheDirectory = nil
        let standard: String = ImageCache.defaultDiskCacheDirectory
        ImageCache.defaultDiskCacheDirectory = directory + "/custom"
        #expect(ImageCache(namespace: "Test").diskCachePath == directory + "/custom/Test")
        ImageCache.defaultDiskCacheDirectory = nil
        #expect(ImageCache.defaultDiskCacheDirectory == standard)
    }

    final class OwnMemoryCache: MemoryCaching {
        init(config: ImageCacheConfig) {}
        func object(forKey key: String) -> Image? { nil }
        func setObject(_ object: Image?, forKey key: String, cost: Int) {}
        func removeObject(forKey key: String) {}
        func removeAllObjects() {}
    }

    @Test  // SDImageCacheTests.test42CustomMemoryCache, SDImageCacheTests.test43CustomDiskCache
    func layersMayBeOfCustomClasses() {
        var config = ImageCacheConfig()
        config.memoryCacheClass = OwnMemoryCache.self
        config.diskCacheClass = DiskCache.self
        let cache = ImageCache(namespace: "own", diskCacheDirectory: directory, config: config)
        #expect(cache.memoryCache is OwnMemoryCache)
        #expect(cache.diskCache is DiskCache)
    }

    @Test func expiredIsRemovedBySizeAndByAge() throws {  // SDImageCacheTests.test45DiskCacheRemoveExpiredData
        var config = ImageCacheConfig()
        config.maxDiskSize = 10
        let disk = try #require(DiskCache(cachePath: directory + "/disk", config: config))
        disk.setData(Data(count: 20), forKey: "20KB")
        disk.removeExpiredData()
        #expect(disk.totalSize() == 0)
        #expect(disk.totalCount() == 0)
        disk.setData(Data(count: 1), forKey: "1KB")
        #expect(disk.totalSize() == 1)
        config.maxDiskAge = 0
        disk.configDidChange(config)
        disk.removeExpiredData()
        #expect(disk.totalCount() == 0)
    }

    // SDImageCacheTests.test49SDImageCacheQueryOp, SDImageCacheTests.test50SDImageCacheQueryOp
    // SDImageCacheTests.test51SDImageCacheStoreOp, SDImageCacheTests.test52SDImageCacheRemoveOp
    // SDImageCacheTests.test53SDImageCacheContainsOp, SDImageCacheTests.test54SDImageCacheClearOp
    @Test
    func cachesManagerBehavesLikeOneCache() async throws {
        let manager = ImageCachesManager(caches: [cache])
        cache.storeImageDataToDisk(try jpeg(), forKey: key)
        let found = Calls<Image?>()
        let context: WebImageContext = [
            .storeCacheType: ImageCacheType.disk, .callbackQueue: CallbackQueue.invoking,
        ]
        _ = manager.queryImage(forKey: key, options: [], context: context, cacheType: .all) { image, _, _ in
            found.append(image)
        }
        #expect(await found.wait().flatMap { $0 } != nil)
        #expect(cache.imageFromMemoryCache(forKey: key) == nil)
        let inMemory = try opaque()
        cache.storeImageToMemory(inMemory, forKey: "memory only")
        let again = Calls<Image?>()
        _ = manager.queryImage(forKey: "memory only", options: [], context: context, cacheType: .all) { image, _, _ in
            again.append(image)
        }
        #expect(again.all.first.flatMap { $0 } === inMemory)
        let done = Calls<Bool>()
        manager.storeImage(
            try opaque(), imageData: nil, forKey: key, options: [], context: context, cacheType: .all
        ) { done.append(true) }
        #expect(await done.wait() == true)
        #expect(cache.imageFromMemoryCache(forKey: key) != nil)
        #expect(cache.diskImageDataExists(withKey: key))
        let removed = Calls<Bool>()
        manager.removeImage(forKey: key, cacheType: .disk) { removed.append(true) }
        #expect(await removed.wait() == true)
        #expect(cache.imageFromMemoryCache(forKey: key) != nil)
        #expect(!cache.diskImageDataExists(withKey: key))
        let contained = Calls<ImageCacheType>()
        manager.containsImage(forKey: key, cacheType: .all) { contained.append($0) }
        #expect(contained.all == [.memory])
        let cleared = Calls<Bool>()
        manager.clear(with: .all) { cleared.append(true) }
        #expect(await cleared.wait() == true)
        #expect(cache.imageFromMemoryCache(forKey: key) == nil)
    }
}

/// A coder that decodes any bytes to one image and encodes every image to the same ten bytes.
struct FixedCoder: ImageCoder {
    let image: Image
    func canDecode(from data: Data) -> Bool { true }
    func canEncode(to format: ImageFormat) -> Bool { true }
    var describesFiles: Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        throw .badData("fake", "")
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image { image }
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        Data("TestEncode".utf8)
    }
}

/// An image that reports two frames.
private final class MovingPicture: Image, @unchecked Sendable {
    // Unchecked is safe because the class adds no state to its superclass.
    override var imageFrameCount: Int { 2 }
}
