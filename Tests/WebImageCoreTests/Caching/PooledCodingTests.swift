import Foundation
import Testing
import WebImageCompatibility
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// All decodes and encodes run on the shared bounded pool. It does not matter which API requests them.
@Suite(.serialized, .timeLimit(minutes: 1))
struct PooledCodingTests {
    let cache: ImageCache
    let coder = WitnessCoder()
    var context: WebImageContext { [.imageCoder: coder, .callbackQueue: CallbackQueue.invoking] }

    init() {
        var config = ImageCacheConfig()
        config.diskCacheClass = DictionaryDiskCache.self
        cache = ImageCache(namespace: "pooled", diskCacheDirectory: "/nowhere", config: config)
    }

    @Test func aQueryDecodesOnThePool() {
        cache.storeImageDataToDisk(Data("W".utf8), forKey: "key")
        let calls = Calls<Image?>()
        cache.queryCacheOperation(forKey: "key", context: context) { image, _, _ in calls.append(image) }
        #expect(calls.wait().first.flatMap { $0 } != nil)
        #expect(coder.seen == ["info true", "decode true"])
    }

    @Test func aStoreEncodesOnThePool() {
        let calls = Calls<Bool>()
        cache.storeImage(
            picture(), imageData: nil, forKey: "key", options: [], context: context, cacheType: .disk
        ) { calls.append(true) }
        #expect(calls.wait() == [true])
        #expect(coder.seen == ["encode true"])
    }

    @Test func aLoaderInCallbackFormDecodesOnThePool() async throws {
        let loader = CallbackLoader()
        let calls = Calls<Image?>()
        _ = loader.requestImage(
            with: URL(string: "http://host/a.png"), options: [], context: context, progress: nil
        ) { image, _, _, _ in calls.append(image) }
        #expect(await eventually { calls.all.count == 1 })
        #expect(calls.all.first.flatMap { $0 } != nil)
        #expect(coder.seen == ["info true", "decode true"])
    }

    /// A load reads the header to estimate the memory that the decode needs. The pool must run both the header read
    /// and the decode.
    @Test func aManagersLoadReadsTheHeaderAndDecodesOnThePool() async throws {
        let manager = WebImageManager(cache: cache, loader: CallbackLoader())
        _ = try await manager.image(for: URL(string: "http://host/a.png"), context: context)
        #expect(coder.seen == ["info true", "decode true"])
    }

    @Test func coderWithoutInfoIsScheduledWithoutACost() throws {
        let plain = CountingPlainCoder()
        let manager = ImageCodersManager(coders: [plain])
        let decoding = ImageDecoding(coder: manager, options: DecodingOptions())
        #expect(decoding.size(of: Data("W".utf8)) == nil && plain.decodes.withLock { $0 } == 0)
        #expect(try manager.imageInfo(of: Data("W".utf8), limits: .default).pixelSize.width == 2)
    }

    @Test func removeCorruptDiskEntryDoesNotWaitForTheDiskQueue() async {
        let gate = DispatchSemaphore(value: 0)
        cache.storeImageDataToDisk(Data("W".utf8), forKey: "key")
        cache.disk.async { _ in gate.wait() }
        cache.removeCorruptDiskEntry(forKey: "key")
        gate.signal()
        #expect(await cache.diskImageData(forKey: "key") == nil)
    }
}

/// A coder that records each call. The record contains whether the pool was running a job during the call.
final class WitnessCoder: ImageCoder {
    private let notes = Locked<[String]>([])
    var seen: [String] { notes.withLock { $0 } }
    private func note(_ what: String) { notes.withLock { $0.append("\(what) \(DecodePool.shared.runningCount > 0)") } }

    func canDecode(from data: Data) -> Bool { true }
    func canEncode(to format: ImageFormat) -> Bool { true }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        note("info")
        return ImageInfo(format: .undefined, storedSize: PixelSize(width: 2, height: 2))
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        note("decode")
        return picture()
    }
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        note("encode")
        return Data("W".utf8)
    }
}

private struct CountingPlainCoder: ImageCoder {
    let decodes = Locked(0)
    func canDecode(from data: Data) -> Bool { true }
    var describesFiles: Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        ImageInfo(format: .undefined, storedSize: try decode(data, options: DecodingOptions()).pixelSize)
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        decodes.withLock { $0 += 1 }
        return picture(width: 2)
    }
}

/// A loader that returns its data immediately. It implements only the `async` function. The protocol provides the
/// callback function.
private struct CallbackLoader: ImageLoader {
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        ImageDataResult(data: Data("W".utf8), response: WebImageResponse(url: load.url))
    }
}
