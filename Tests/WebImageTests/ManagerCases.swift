import Foundation
import Testing
import WebImage
import WebImageCompatibility
import WebImageTestTraits
import WebImageTesting

/// SDWebImage's manager tests that need real bytes, files and codecs.
@Suite(.timeLimit(minutes: 1))
struct ManagerCases {
    let journey: Journey
    let red: Data

    init() throws {
        journey = try Journey()
        red = try ImageCodersManager.shared.encode(
            TestImages.solid(width: 500, height: 500, blue: 0, green: 0, red: 255), format: .png,
            options: EncodingOptions())
    }

    private func memory(_ key: String?) -> Image? { journey.cache.imageFromMemoryCache(forKey: key) }
    private func disk(_ key: String?) -> Data? { journey.cache.diskImageDataSync(forKey: key) }
    private func size(of data: Data?) throws -> PixelSize {
        try ImageCodersManager.shared.imageInfo(of: #require(data), limits: .default).pixelSize
    }

    // SDWebImageManagerTests.test01ThatSharedManagerIsNotEqualToInitManager
    @Test func aNewManagerIsNotTheSharedOne() {
        #expect(WebImageManager() !== WebImageManager.shared)
        #expect(WebImageManager.shared === WebImageManager.shared)
    }

    // SDWebImageManagerTests.test02ThatDownloadInvokesCompletionBlockWithCorrectParamsAsync
    @Test func downloadCompletesWithItsImageAndURL() async throws {
        let gate = FaultGate()
        journey.server.route("/a.png", .gated(gate, .body(red)))
        let url = journey.server.url("/a.png")
        let calls = Calls<(image: Image?, error: WebImageError?, url: URL?, asksCache: Bool, asksLoader: Bool)>()
        let held = Locked<WebImageCombinedOperation?>(nil)
        let operation = journey.manager.loadImage(with: url) { image, _, error, _, _, url in
            let operation = held.withLock { $0 }
            calls.append((image, error, url, operation?.cacheOperation != nil, operation?.loaderOperation != nil))
        }
        held.withLock { $0 = operation }
        #expect(journey.manager.isRunning)
        gate.open()
        let call = try #require(await calls.wait())
        #expect(call.image != nil && call.error == nil && call.url == url)
        #expect(!call.asksCache && call.asksLoader)
    }

    @Test func loadWithoutACacheQueryIsALoadersAtOnce() throws {
        journey.server.route("/stays.png", .hang)
        let url = journey.server.url("/stays.png")
        let operation = journey.manager.loadImage(with: url, options: .fromLoaderOnly) { _, _, _, _, _, _ in }
        #expect(operation.loaderOperation != nil && operation.cacheOperation == nil)
        // Otherwise the cache can answer, and the load be the loader's, before the next line.
        let cache = WholeCache()
        cache.holdsQueries(true)
        let other = journey.manager.loadImage(with: url, context: [.imageCache: cache]) { _, _, _, _, _, _ in }
        #expect(other.cacheOperation != nil && other.loaderOperation == nil)
        cache.holdsQueries(false)
        #expect(eventually { other.loaderOperation != nil && other.cacheOperation == nil })
        for load in [operation, other] { load.cancel() }
    }

    // SDWebImageManagerTests.test03ThatDownloadWithIncorrectURLInvokesCompletionBlockWithAnErrorAsync
    @Test func aMissingPictureCompletesWithAnErrorAndItsURL() async throws {
        let url = journey.server.url("/missing.png")
        let calls = Calls<(image: Image?, error: WebImageError?, url: URL?)>()
        journey.manager.loadImage(with: url) { image, _, error, _, _, url in calls.append((image, error, url)) }
        let call = try #require(await calls.wait())
        #expect(call.image == nil && call.error?.code == .invalidDownloadStatusCode && call.url == url)
    }

    @Test func managerTransformerIsApplied() async throws {  // SDWebImageManagerTests.test08ThatImageTransformerWork
        journey.server.route("/80x60.jpg", .body(try Journey.file(.jpeg, width: 80, height: 60), type: "image/jpeg"))
        let url = journey.server.url("/80x60.jpg")
        let image = try TestImages.solid(width: 40, height: 30)
        image.extendedObject = "mine"
        journey.manager.transformer = GivingTransformer(image, preserving: true)
        let encoding: ImageCoderOptions = [.encodeMaxPixelSize: CGSize(width: 20, height: 15)]
        let result = try await journey.manager.result(
            for: url, options: [.transformAnimatedImage, .transformVectorImage, .waitStoreCache],
            context: [.imageEncodeOptions: encoding])
        #expect(result.image === image && result.image.isTransformed)
        #expect(result.image.imageFormat == .jpeg && result.image.extendedObject == nil, "not as its source")
        let key = journey.manager.cacheKey(for: url, context: nil)
        #expect(key != url.absoluteString && memory(key) === image)
        // The cache's encoder receives the encode options of the context.
        #expect(try size(of: disk(key)) == PixelSize(width: 20, height: 15))
    }

    // SDWebImageManagerTests.test12ThatStoreCacheTypeWork
    @Test func originalAndVariantHaveSeparateCaches() async throws {
        let frames = try [10, 200].map { ImageFrame(image: try TestImages.solid(blue: $0), duration: 0.1) }
        let animation = try ImageCodersManager.shared.encode(
            frameCount: 2, loopCount: 0, format: .png, options: EncodingOptions()
        ) { frames[$0] }
        journey.server.route("/moving.png", .body(animation))
        let url = journey.server.url("/moving.png")
        let image = try TestImages.solid(width: 40, height: 30)
        image.imageFormat = .jpeg
        let context: WebImageContext = [
            .imageTransformer: GivingTransformer(image, preserving: false),
            .originalStoreCacheType: ImageCacheType.disk, .storeCacheType: ImageCacheType.memory,
        ]
        let options: WebImageOptions = [.transformAnimatedImage, .waitStoreCache]
        let result = try await journey.manager.result(for: url, options: options, context: context)
        #expect(result.image === image && result.image.imageFormat == .jpeg && !result.image.isAnimated)
        #expect(memory(url.absoluteString) == nil && disk(url.absoluteString) == animation)
        let info = try ImageCodersManager.shared.imageInfo(of: animation, limits: .default)
        #expect(info.frameCount == 2)
        let key = journey.manager.cacheKey(for: url, context: context)
        #expect(memory(key) === image && disk(key) == nil)
    }

    // SDWebImageManagerTests.test17ThatThumbnailCacheQueryNotWriteToWrongKey
    @Test func thumbnailQueryFillsOnlyItsKey() async throws {
        let cache = journey.cache
        cache.storeImageDataToDisk(red, forKey: "kTestRectangle")
        let calls = Calls<(image: Image?, type: ImageCacheType)>()
        cache.queryCacheOperation(
            forKey: "kTestRectangle", context: [.imageThumbnailPixelSize: CGSize(width: 100, height: 100)]
        ) { image, _, type in calls.append((image, type)) }
        let call = try #require(await calls.wait())
        #expect(call.image?.pixelSize == PixelSize(width: 100, height: 100) && call.type == .disk)
        let key = "kTestRectangle-Thumbnail({100.000000,100.000000},1)"
        #expect(memory("kTestRectangle") == nil && disk("kTestRectangle") == red)
        #expect(memory(key) === call.image && disk(key) == nil)
    }

    // SDWebImageManagerTests.test18ThatThumbnailLoadingCanUseFullSizeCache
    @Test(arguments: [false, true])
    func thumbnailIsCreatedFromTheCachedOriginal(_ namesStore: Bool) async throws {
        let url = try #require(URL(string: "https://placehold.co/500x500.png"))
        journey.cache.storeImageDataToDisk(red, forKey: url.absoluteString)
        var context: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 100, height: 100)]
        if namesStore { context[.storeCacheType] = ImageCacheType.all }
        let result = try await journey.manager.result(for: url, options: .waitStoreCache, context: context)
        #expect(result.image.pixelSize == PixelSize(width: 100, height: 100))
        #expect(result.data == nil && result.cacheType == .disk)
        let key = "https://placehold.co/500x500-Thumbnail(%7B100.000000,100.000000%7D,1).png"
        #expect(memory(key) === result.image)
        // The variant is on disk only if the context requests this. Otherwise, later loads create the variant from the
        // original.
        #expect(try namesStore ? size(of: disk(key)).width == 100 : disk(key) == nil)
    }

    // SDWebImageManagerTests.test21ThatQueryOriginalDiskCacheFromThumbnailShouldNotWriteBackDiskCache
    @Test func anOriginalFromDiskIsNotWrittenBack() async throws {
        let url = try #require(URL(string: "https://placehold.co/503x503.png"))
        journey.cache.storeImageDataToDisk(red, forKey: url.absoluteString)
        let writes = Calls<Data?>()
        let result = try await journey.manager.result(
            for: url, options: .waitStoreCache,
            context: [
                .imageThumbnailPixelSize: CGSize(width: 100, height: 100),
                .originalQueryCacheType: ImageCacheType.all, .originalStoreCacheType: ImageCacheType.disk,
                .queryCacheType: ImageCacheType.all, .storeCacheType: ImageCacheType.all,
                .cacheSerializer: WebImageCacheSerializer { _, data, _ in
                    writes.append(data)
                    return data
                },
            ])
        #expect(result.cacheType == .disk && result.data == nil && result.image.pixelSize.width == 100)
        #expect(disk(url.absoluteString) == red)
        let key = "https://placehold.co/503x503-Thumbnail(%7B100.000000,100.000000%7D,1).png"
        #expect(try size(of: disk(key)).width == 100 && memory(key) === result.image)
        #expect(writes.all == [nil], "only the variant is written, not the original")
    }

    @Test func customCacheIsUsed() async throws {  // SDImageCacheTests.test58CustomImageCache
        let cache = WholeCache()
        let image = try TestImages.solid()
        let contained = Calls<ImageCacheType>()
        let manager = ImageCachesManager(caches: [cache])
        manager.storeImage(
            image, imageData: nil, forKey: "key", options: [], context: nil, cacheType: .all, completion: nil)
        manager.containsImage(forKey: "key", cacheType: .all) { contained.append($0) }
        let found = Calls<(image: Image?, data: Data?, type: ImageCacheType)>()
        _ = manager.queryImage(forKey: "key", options: [], context: nil, cacheType: .all) { image, data, type in
            found.append((image, data, type))
        }
        #expect(found.all.first?.image === image && found.all.first?.data == nil && found.all.first?.type == .memory)
        manager.removeImage(forKey: "key", cacheType: .all, completion: nil)
        manager.containsImage(forKey: "key", cacheType: .all) { contained.append($0) }
        #expect(contained.all == [.memory, .none])
    }
}

/// A transformer that returns the same image for every input.
struct GivingTransformer: ImageTransformer {
    let image: Image
    let preserveImageMetadata: Bool
    let transformerKey = "Giving"

    init(_ image: Image, preserving: Bool) {
        self.image = image
        preserveImageMetadata = preserving
    }

    func transformedImage(with image: Image, forKey key: String) -> Image? { self.image }
}

/// A custom cache that consists of one dictionary. No method suspends, but for queries that are held.
final class WholeCache: ImageCaching {
    private let images = Locked<[String: Image]>([:])
    /// The answers of held queries; nil if queries are not held.
    private let held = Locked<[@Sendable () -> Void]?>(nil)
    var keys: Set<String> { Set(images.withLock { $0.keys }) }

    /// Holds the answers of queries from now on, or gives those that were held.
    func holdsQueries(_ holds: Bool) {
        let answers = held.withLock { held in
            defer { held = holds ? [] : nil }
            return held ?? []
        }
        for answer in answers { answer() }
    }

    func cachedImage(for request: ImageCacheRequest) async -> ImageCacheHit? {
        let hit = images.withLock { $0[request.key] }.map { ImageCacheHit(image: $0, layer: .memory) }
        await withCheckedContinuation { continuation in
            let isHeld = held.withLock { held in
                held?.append { continuation.resume() }
                return held != nil
            }
            if !isHeld { continuation.resume() }
        }
        return hit
    }

    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) async {
        if let image { images.withLock { $0[request.key] = image } }
    }

    func remove(_ key: String, from layers: ImageCacheType) async { images.withLock { $0[key] = nil } }

    func layer(of key: String, among layers: ImageCacheType) async -> ImageCacheType {
        images.withLock { $0[key] } == nil ? .none : .memory
    }

    func removeAll(from layers: ImageCacheType) async { images.withLock { $0 = [:] } }
}
