import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

@Suite(.timeLimit(minutes: 1))
struct PixelSizeTests {
    let cache: ImageCache
    var disk: DictionaryDiskCache { cache.diskCache as! DictionaryDiskCache }

    init() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        config.shouldUseWeakMemoryCache = false
        cache = ImageCache(namespace: "test", diskCacheDirectory: "/nowhere", config: config)
    }

    @Test func sizeSurvivesTheEvictionOfThePixels() {
        cache.storeImageToMemory(picture(width: 30, height: 20), forKey: "key")
        cache.clearMemory()
        #expect(cache.imageFromMemoryCache(forKey: "key") == nil)
        #expect(cache.pixelSize(forKey: "key") == PixelSize(width: 30, height: 20))
        #expect(cache.pixelSize(forKey: "absent") == nil)
        #expect(cache.pixelSize(forKey: nil) == nil)
    }

    @Test func sizeSurvivesTheRemovalOfTheEntryAndTheProcess() {
        cache.storeImage(picture(width: 30, height: 20), imageData: Data([1]), forKey: "key", toDisk: true)
        cache.removeImageFromDisk(forKey: "key")
        #expect(disk.pixelSize(forKey: "key") == PixelSize(width: 30, height: 20))
        cache.withSizes { $0.removeAll() }
        #expect(cache.pixelSize(forKey: "key") == PixelSize(width: 30, height: 20))
    }

    @Test func everyStoreFunctionRecordsTheSize() {
        let coder = ToyCoder()
        ImageCodersManager.shared.addCoder(coder)
        defer { ImageCodersManager.shared.removeCoder(coder) }
        cache.storeImageData(ToyCoder.data(width: 7, height: 5), forKey: "bytes")
        cache.storeImageDataToDisk(ToyCoder.data(width: 8, height: 5), forKey: "bytes now")
        cache.storeImage(picture(width: 9), imageData: nil, forKey: "memory", toDisk: false)
        let cache = cache
        _ = eventually { ["bytes", "bytes now"].allSatisfy { cache.pixelSize(forKey: $0) != nil } }
        #expect(cache.pixelSize(forKey: "bytes") == PixelSize(width: 7, height: 5))
        #expect(cache.pixelSize(forKey: "bytes now") == PixelSize(width: 8, height: 5))
        #expect(cache.pixelSize(forKey: "memory")?.width == 9)
    }

    /// The coder of the cache cannot read these bytes, so only the given size can be stored.
    @Test func aKnownSizeIsStoredWithoutReadingTheBytes() throws {
        let key = EntryKey.shared("key")
        let identity = EntryIdentity(key: key, pixelSize: PixelSize(width: 7, height: 5))
        cache.storeImage(
            nil, imageData: Data([1]), forKey: "key", options: [],
            context: RequestContext(nil).forCache(identity).dictionary, cacheType: .disk, completion: nil)
        #expect(cache.pixelSize(forKey: "key") == PixelSize(width: 7, height: 5))
    }

    /// While the pool is always busy, it starts no job of low priority. Such a job reads the pixel size of a file and
    /// keeps the file in memory until then. The total size of these files must not exceed a limit.
    @Test func filesThatWaitForTheirSizeStayWithinALimit() async {
        let pool = DecodePool(width: 1, byteBudget: .max / 2)
        let gate = DispatchSemaphore(value: 0)
        pool.submit(priority: .high) { gate.wait() }
        #expect(await eventually { pool.runningCount == 1 && pool.waitingCount == 0 })
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        config.decodePool = pool
        let cache = ImageCache(namespace: "test", diskCacheDirectory: "/nowhere", config: config)
        var most = 0
        for number in 0..<40 {
            cache.storeImageData(Data(count: 1 << 20), forKey: "\(number)")
            most = max(most, cache.withSizes { $0.waitingBytes })
        }
        #expect(most == ImageCache.awaitingSizeLimit && pool.waitingCount == 16)
        gate.signal()
        #expect(await eventually { cache.withSizes { $0.waitingBytes } == 0 && pool.waitingCount == 0 })
    }

    @Test func thumbnailIsNotRecordedAsTheSizeOfTheOriginal() {
        let image = picture(width: 4, height: 4)
        var decoding = DecodingOptions()
        decoding.thumbnailPixelSize = PixelSize(width: 4, height: 4)
        image.decodingOptions = decoding
        cache.storeImageToMemory(image, forKey: "key.png")
        #expect(cache.pixelSize(forKey: "key.png") == nil)
        let key = CacheKey.thumbnail("key.png", box: CGSize(width: 4, height: 4), preserveAspectRatio: true)
        cache.storeImageToMemory(image, forKey: key)
        #expect(cache.pixelSize(forKey: key) == PixelSize(width: 4, height: 4))
    }

    @Test func newPictureReplacesTheSizeAndClearingRemovesIt() async {
        cache.storeImageToMemory(picture(width: 3), forKey: "key")
        cache.storeImageToMemory(picture(width: 4), forKey: "key")
        #expect(cache.pixelSize(forKey: "key")?.width == 4)
        await cache.flush()
        #expect(disk.pixelSize(forKey: "key")?.width == 4)
        disk.state.withLock { $0.sizes = [:] }
        await cache.clearDisk()
        #expect(cache.pixelSize(forKey: "key") == nil)
    }

    @Test func sizeMapIsBoundedAndKeepsTheNewest() {
        var sizes = PixelSizes(limit: 100)
        for number in 1...1000 {
            let isNews = sizes.put(PixelSize(width: number, height: 1), "\(number)")
            #expect(isNews)
            _ = sizes.size("1")
        }
        #expect(sizes.count <= 100)
        let found = ["1000", "1", "500"].map { sizes.size($0)?.width }
        #expect(found == [1000, 1, nil])
        let isNewsAgain = sizes.put(PixelSize(width: 1000, height: 1), "1000")
        #expect(!isNewsAgain)
    }

    /// A view can request a pixel size on the main thread while the disk queue is busy. The query must not wait for
    /// the disk queue.
    @Test func sizeQueryWaitsForNoOtherDiskWork() {
        disk.setPixelSize(PixelSize(width: 3, height: 2), forKey: "key")
        let gate = DispatchSemaphore(value: 0)
        cache.disk.async { _ in gate.wait() }
        #expect(cache.pixelSize(forKey: "key") == PixelSize(width: 3, height: 2))
        gate.signal()
    }
}
