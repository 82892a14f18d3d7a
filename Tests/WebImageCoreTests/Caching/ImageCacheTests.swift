import Foundation
import Testing
import WebImageCompatibility
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageLoading

@Suite(.timeLimit(minutes: 1))
struct ImageCacheTests {
    let cache: ImageCache
    let coder = ToyCoder()
    var context: WebImageContext { [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking] }
    var disk: DictionaryDiskCache { cache.diskCache as! DictionaryDiskCache }

    init() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        cache = ImageCache(namespace: "test", diskCacheDirectory: "/nowhere", config: config)
    }

    struct Answer: Sendable {
        var image: Image?
        var data: Data?
        var type: ImageCacheType
        /// The thread on which the completion ran. This is the caller's thread if the completion ran before the call
        /// returned.
        let thread = pthread_self()
    }

    func query(
        _ key: String?, _ options: WebImageOptions = [], type: ImageCacheType = .all, context: WebImageContext? = nil
    ) -> (calls: Calls<Answer>, token: (any WebImageOperation)?) {
        let calls = Calls<Answer>()
        let token = cache.queryCacheOperation(
            forKey: key, options: options, context: (context ?? [:]).merging(self.context) { mine, _ in mine },
            cacheType: type
        ) { calls.append(Answer(image: $0, data: $1, type: $2)) }
        return (calls, token)
    }

    func store(_ image: Image?, _ data: Data?, _ key: String?, _ type: ImageCacheType = .all) -> Int {
        let calls = Calls<Bool>()
        cache.storeImage(image, imageData: data, forKey: key, options: [], context: context, cacheType: type) {
            calls.append(true)
        }
        return calls.wait().count
    }

    @Test(arguments: [
        (ImageCacheType.all, true, true), (.memory, true, false), (.disk, false, true), (.none, false, false),
    ])
    func storeWritesOnlyTheNamedLayers(type: ImageCacheType, memory: Bool, onDisk: Bool) {
        #expect(store(picture(), ToyCoder.data(width: 3, height: 2), "key", type) == 1)
        #expect((cache.imageFromMemoryCache(forKey: "key") != nil) == memory)
        #expect(cache.diskImageDataExists(withKey: "key") == onDisk)
    }

    @Test func withoutADiskLayerImagesAreStoredInMemory() {
        var config = cache.config
        config.shouldCacheImagesOnDisk = false
        let own = ImageCache(namespace: "memory", diskCacheDirectory: "/nowhere", config: config)
        let calls = Calls<Bool>()
        own.storeImage(picture(), imageData: nil, forKey: "key", options: [], context: context, cacheType: .all) {
            calls.append(true)
        }
        #expect(calls.wait() == [true] && own.diskCache == nil)
        #expect(own.imageFromMemoryCache(forKey: "key") != nil && !own.diskImageDataExists(withKey: "key"))
    }

    @Test func imageAloneIsEncodedForDisk() {
        #expect(store(picture(width: 5, height: 4), nil, "key") == 1)
        #expect(disk.data(forKey: "key") == ToyCoder.data(width: 5, height: 4))
        #expect(cache.pixelSize(forKey: "key") == PixelSize(width: 5, height: 4))
    }

    @Test func partialImagesAreNeverStored() {
        let image = picture()
        image.isIncremental = true
        #expect(store(image, ToyCoder.data(width: 5, height: 4), "key") == 1)
        cache.storeImageToMemory(image, forKey: "key")
        #expect(cache.imageFromMemoryCache(forKey: "key") == nil)
        #expect(!cache.diskImageDataExists(withKey: "key"))
    }

    @Test func storingNothingCompletes() {
        #expect(store(nil, nil, "key") == 1)
        #expect(store(picture(), nil, nil) == 1)
        let calls = Calls<Bool>()
        cache.removeImage(forKey: nil, withCompletion: { calls.append(true) })
        cache.containsImage(forKey: nil, cacheType: .all) { _ in calls.append(true) }
        #expect(calls.all.count == 2)
    }

    @Test func memoryHitCompletesBeforeTheCallReturns() {
        let image = picture()
        cache.storeImageToMemory(image, forKey: "key")
        let (calls, token) = query("key")
        #expect(token == nil)
        #expect(calls.all.count == 1)
        #expect(calls.all.first?.image === image)
        #expect(calls.all.first?.type == .memory)
    }

    @Test func missesAndEmptyQueriesReturnNoCacheType() {
        for (key, type) in [("absent", ImageCacheType.all), ("absent", .memory), ("absent", .none), (nil, .all)] {
            let answers = query(key, type: type).calls.wait()
            #expect(answers.count == 1)
            #expect(answers.first?.type == ImageCacheType.none)
            #expect(answers.first?.image == nil)
        }
    }

    @Test(arguments: [WebImageOptions(), .queryDiskDataSync])
    func diskHitIsDecodedAndPromoted(options: WebImageOptions) {
        disk.setData(ToyCoder.data(width: 8, height: 6), forKey: "key")
        let calls = query("key", options).calls
        if options == .queryDiskDataSync { #expect(calls.all.count == 1) }
        let answer = calls.wait().first
        #expect(answer?.image?.pixelSize == PixelSize(width: 8, height: 6))
        #expect(answer?.data == ToyCoder.data(width: 8, height: 6))
        #expect(answer?.type == .disk)
        #expect(cache.imageFromMemoryCache(forKey: "key") === answer?.image)
    }

    @Test func thumbnailIsNeverPromotedUnderTheFullKey() {
        disk.setData(ToyCoder.data(width: 80, height: 60), forKey: "key.png")
        let box = CGSize(width: 8, height: 8)
        let answer = query("key.png", context: [.imageThumbnailPixelSize: box]).calls.wait().first
        #expect(answer?.image?.pixelSize == PixelSize(width: 8, height: 6))
        #expect(cache.imageFromMemoryCache(forKey: "key.png") == nil)
        let thumbnailKey = CacheKey.thumbnail("key.png", box: box, preserveAspectRatio: true)
        #expect(cache.imageFromMemoryCache(forKey: thumbnailKey) === answer?.image)
    }

    @Test func promotionIsForbiddenByConfigAndContext() {
        disk.setData(ToyCoder.data(width: 8, height: 6), forKey: "key")
        _ = query("key", context: [.storeCacheType: ImageCacheType.disk]).calls.wait()
        #expect(cache.imageFromMemoryCache(forKey: "key") == nil)
        cache.config.shouldCacheImagesInMemory = false
        _ = query("key").calls.wait()
        #expect(cache.imageFromMemoryCache(forKey: "key") == nil)
    }

    @Test func memoryHitReadsDataOnRequest() {
        let image = picture()
        #expect(store(image, ToyCoder.data(width: 1, height: 1), "key") == 1)
        let sync = query("key", [.queryMemoryData, .queryMemoryDataSync]).calls
        let async = query("key", .queryMemoryData).calls
        #expect(sync.all.count == 1 && sync.all.first?.thread == pthread_self())
        for answer in [sync.all.first, async.wait().first] {
            #expect(answer?.image === image)
            #expect(answer?.data == ToyCoder.data(width: 1, height: 1))
            #expect(answer?.type == .memory)
        }
    }

    @Test func cancelledQueryCompletesOnceWithoutAnImage() {
        disk.setData(ToyCoder.data(width: 8, height: 6), forKey: "key")
        for round in 0..<500 {
            cache.clearMemory()
            let (calls, token) = query("key")
            // Vary the time between the start of the query and the cancel.
            if round % 3 == 0 { for _ in 0..<round % 50 { sched_yield() } }
            token?.cancel()
            token?.cancel()
            let answers = calls.wait()
            #expect(answers.count == 1)
            if token?.isCancelled == true { #expect(answers.first?.image == nil) }
        }
    }

    @Test func completionsRunOnTheRequestedQueue() {
        let queue = DispatchQueue(label: "test.callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let calls = Calls<Bool>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue(queue: queue), .imageCoder: coder]
        cache.queryCacheOperation(forKey: "absent", context: context) { _, _, _ in
            calls.append(DispatchQueue.getSpecific(key: key) == true)
        }
        cache.storeImage(
            nil, imageData: Data([1]), forKey: "key", options: [], context: context, cacheType: .all
        ) { calls.append(DispatchQueue.getSpecific(key: key) == true) }
        #expect(calls.wait(for: 2) == [true, true])
    }

    @Test func completionMayQueryTheCacheAgain() {
        let calls = Calls<Int>()
        let cache = cache
        cache.storeImage(
            nil, imageData: Data([1]), forKey: "key", options: [], context: context, cacheType: .all
        ) { calls.append(cache.totalDiskCount()) }
        #expect(calls.wait() == [1])
    }

    @Test func removalReachesBothLayersOrTheNamedOne() async {
        #expect(store(picture(), Data([1]), "key") == 1)
        cache.removeImageFromMemory(forKey: "key")
        #expect(cache.imageFromMemoryCache(forKey: "key") == nil)
        #expect(cache.diskImageDataExists(withKey: "key"))
        cache.removeCorruptDiskEntry(forKey: "key")
        #expect(!cache.diskImageDataExists(withKey: "key"))
        #expect(await cache.diskImageData(forKey: "key") == nil)
    }

    @Test func changedConfigurationAppliesToBothLayers() {
        for key in 0..<4 { cache.storeImageToMemory(picture(), forKey: "\(key)") }
        cache.config.maxMemoryCount = 2
        cache.config.maxDiskAge = 17
        #expect((cache.memoryCache as? MemoryCache)?.totalCount == 2)
        #expect(disk.state.withLock { $0.config.maxDiskAge } == 17)
        #expect(cache.config.maxDiskAge == 17)
    }

    @Test func extendedObjectIsReturnedAsBytes() {
        let image = picture()
        image.extendedObject = Data("mine".utf8)
        #expect(store(image, ToyCoder.data(width: 2, height: 2), "key") == 1)
        cache.clearMemory()
        let found = cache.imageFromDiskCache(forKey: "key", context: context)
        #expect(found?.extendedObject as? Data == Data("mine".utf8))
    }

    @Test func additionalPathIsReadAfterTheDiskLayer() throws {
        let path = NSTemporaryDirectory() + UUID().uuidString
        try Data("elsewhere".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        cache.additionalCachePathBlock = { $0 == "key" ? path : nil }
        #expect(cache.diskImageDataSync(forKey: "key") == Data("elsewhere".utf8))
        #expect(cache.diskImageDataSync(forKey: "other") == nil)
    }

    @Test func withoutADiskLayerMemoryWorksAndEverythingCompletes() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        let cache = ImageCache(namespace: "refused", diskCacheDirectory: "/nowhere", config: config)
        let calls = Calls<Int>()
        let image = picture()
        cache.storeImage(
            image, imageData: Data([1]), forKey: "key", options: [], context: context, cacheType: .all
        ) { calls.append(1) }
        cache.queryCacheOperation(forKey: "absent", context: context) { _, _, _ in calls.append(2) }
        #expect(Set(calls.wait(for: 2)) == [1, 2])
        #expect(cache.imageFromMemoryCache(forKey: "key") === image)
        #expect(cache.totalDiskCount() == 0)
        #expect(cache.diskCache == nil)
    }

    @Test func extendedObjectIsReturnedWithItsTypeFromDisk() {  // SDImageCacheTests.test47DiskCacheExtendedData
        let image = picture()
        image.extendedObject = ["Test": "Object"]
        #expect(store(image, ToyCoder.data(width: 2, height: 2), "key") == 1)
        #expect(disk.extendedData(forKey: "key") != nil)
        cache.clearMemory()
        let found = cache.imageFromDiskCache(forKey: "key", context: context)
        #expect(found?.extendedObject(as: [String: String].self) == ["Test": "Object"])
        #expect(image.extendedObject(as: [String: String].self) == ["Test": "Object"])
        #expect(found?.extendedObject(as: Int.self) == nil)
        disk.setExtendedData(nil, forKey: "key")
        #expect(disk.extendedData(forKey: "key") == nil)
    }

    @Test func layersMayBeInstancesOfTheCaller() throws {
        let memory = MemoryCache(config: ImageCacheConfig())
        let own = try #require(DictionaryDiskCache(cachePath: "/nowhere", config: ImageCacheConfig()))
        let cache = ImageCache(memoryCache: memory, diskCache: own)
        cache.storeImageToMemory(picture(), forKey: "key")
        cache.storeImageDataToDisk(Data([1]), forKey: "key")
        #expect(memory.totalCount == 1)
        #expect(own.totalCount() == 1)
        #expect(cache.diskCache as? DictionaryDiskCache === own)
        #expect(ImageCache(memoryCache: memory, diskCache: nil).totalDiskCount() == 0)
    }

    @Test(arguments: [true, false])
    func processEndFlushesAndRemovesExpiredEntriesIfConfigured(tidies: Bool) {
        cache.config.shouldRemoveExpiredDataWhenTerminate = tidies
        cache.config.shouldRemoveExpiredDataWhenEnterBackground = tidies
        cache.applicationWillTerminate()
        #expect(disk.state.withLock { $0.flushes } == 1)
        #expect(disk.state.withLock { $0.tidyings } == (tidies ? 1 : 0))
        cache.applicationDidEnterBackground()
        _ = cache.totalDiskCount()
        #expect(disk.state.withLock { $0.tidyings } == (tidies ? 2 : 0))
    }

    @Test func metadataIsWrittenAfterTheEarlierStore() async {
        cache.storeImageData(Data([1]), forKey: "key")
        cache.storeMetadata(Data("etag".utf8), forKey: "key")
        #expect(await cache.diskResource(forKey: "key")?.metadata == Data("etag".utf8))
        #expect(await cache.diskResource(forKey: nil) == nil)
    }
}
