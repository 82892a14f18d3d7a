import Foundation
import SDWebImage
import WebImageTesting

// The example classes of SDWebImage's documents, changed for Swift language mode 6: each is `final` and declares
// `Sendable`.

final class MyWebImageDownloaderOperation: SDWebImageDownloaderOperation, @unchecked Sendable {
    static let starts = Calls<URL>()

    override func start(_ sink: any WebImageDownloaderSink) {
        Self.starts.add(request.url)
        super.start(sink)
    }
}

/// A coder that decodes the text "mine" to an image of 3 × 2 px.
final class MyWebImageCoder: NSObject, SDImageCoder, @unchecked Sendable {
    static let file = Data("mine".utf8)

    func canDecode(from data: Data?) -> Bool { data == Self.file }
    func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]? = nil) -> UIImage? {
        canDecode(from: data) ? try? TestImages.solid(width: 3, height: 2) : nil
    }
    func canEncode(to format: SDImageFormat) -> Bool { false }
    func encodedData(with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]? = nil) -> Data? {
        nil
    }
}

/// A loader that returns one image. If the test sets `fails`, the loader returns an error instead.
final class MyImageLoader: NSObject, SDImageLoader, @unchecked Sendable {
    var fails = false

    func canRequestImage(for url: URL?) -> Bool { url?.scheme == "mine" }
    func requestImage(
        with url: URL?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        progress progressBlock: SDImageLoaderProgressBlock?,
        completed completedBlock: SDImageLoaderCompletedBlock? = nil
    ) -> (any SDWebImageOperation)? {
        guard let url, !fails, let data = try? Desk.file() else {
            completedBlock?(nil, nil, NSError(domain: "mine", code: 7), true)
            return nil
        }
        completedBlock?(SDImageLoaderDecodeImageData(data, url, options, context), data, nil, true)
        return MyOperation()
    }
    func shouldBlockFailedURL(with url: URL, error: any Error) -> Bool { (error as NSError).domain == "mine" }
}

final class MyOperation: NSObject, SDWebImageOperation, @unchecked Sendable {
    func cancel() {}
    var isCancelled: Bool { false }
}

final class MyMemoryCache: SDMemoryCacheProtocol, @unchecked Sendable {
    private var objects: [AnyHashable: Any] = [:]
    private let lock = NSLock()

    required init(config: SDImageCacheConfig) {}
    func object(forKey key: Any) -> Any? { lock.withLock { (key as? AnyHashable).flatMap { objects[$0] } } }
    func setObject(_ object: Any?, forKey key: Any) { setObject(object, forKey: key, cost: 0) }
    func setObject(_ object: Any?, forKey key: Any, cost: UInt) {
        lock.withLock { if let key = key as? AnyHashable { objects[key] = object } }
    }
    func removeObject(forKey key: Any) { setObject(nil, forKey: key) }
    func removeAllObjects() { lock.withLock { objects = [:] } }
}

final class MyDiskCache: SDDiskCacheProtocol, @unchecked Sendable {
    private var entries: [String: Data] = [:]
    private var extended: [String: Data] = [:]

    required init?(cachePath: String, config: SDImageCacheConfig) {}
    func containsData(forKey key: String) -> Bool { entries[key] != nil }
    func data(forKey key: String) -> Data? { entries[key] }
    func setData(_ data: Data?, forKey key: String) { entries[key] = data }
    func extendedData(forKey key: String) -> Data? { extended[key] }
    func setExtendedData(_ extendedData: Data?, forKey key: String) { extended[key] = extendedData }
    func removeData(forKey key: String) { entries[key] = nil }
    func removeAllData() { entries = [:] }
    func removeExpiredData() {}
    func cachePath(forKey key: String) -> String? { nil }
    func totalCount() -> UInt { UInt(entries.count) }
    func totalSize() -> UInt { UInt(entries.values.reduce(0) { $0 + $1.count }) }
}

final class MyImageCache: NSObject, SDImageCacheProtocol, @unchecked Sendable {
    private var images: [String: UIImage] = [:]
    private let lock = NSLock()

    func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        completion completionBlock: SDImageCacheQueryCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        let image = lock.withLock { images[key ?? ""] }
        completionBlock?(image, nil, image == nil ? .none : .memory)
        return nil
    }
    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        lock.withLock { if let key, let image { images[key] = image } }
        completionBlock?()
    }
    func removeImage(
        forKey key: String?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        lock.withLock { images[key ?? ""] = nil }
        completionBlock?()
    }
    func containsImage(
        forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDImageCacheContainsCompletionBlock? = nil
    ) {
        completionBlock?(lock.withLock { images[key ?? ""] } == nil ? .none : .memory)
    }
    func clear(with cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock? = nil) {
        lock.withLock { images = [:] }
        completionBlock?()
    }
}

final class MyAnimatedImage: SDAnimatedImage, @unchecked Sendable {}
