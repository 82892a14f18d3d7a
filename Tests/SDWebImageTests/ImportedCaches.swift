import Foundation
import SDWebImage

// Classes that implement SDWebImage's cache and download protocols with the signatures of Apple's Objective-C
// importer. Each method records its call.

private func note(_ name: String) { Seen.all.add(name) }

final class ImportedMemoryCache: NSObject, SDMemoryCacheProtocol, @unchecked Sendable {
    // Unchecked is safe because the objects are used only under the lock.
    private let lock = NSLock()
    private var objects: [String: Any] = [:]

    required init(config: SDImageCacheConfig) { note("memory.init \(config.maxMemoryCount)") }
    func object(forKey key: Any) -> Any? {
        note("memory.object")
        return lock.withLock { objects["\(key)"] }
    }
    func setObject(_ object: Any?, forKey key: Any) { setObject(object, forKey: key, cost: 0) }
    func setObject(_ object: Any?, forKey key: Any, cost: UInt) {
        note(cost > 0 ? "memory.set cost" : "memory.set")
        lock.withLock { objects["\(key)"] = object }
    }
    func removeObject(forKey key: Any) {
        note("memory.remove")
        lock.withLock { objects["\(key)"] = nil }
    }
    func removeAllObjects() {
        note("memory.removeAll")
        lock.withLock { objects = [:] }
    }
}

final class ImportedDiskCache: NSObject, SDDiskCacheProtocol, @unchecked Sendable {
    // Unchecked is safe because the entries are used only under the lock.
    private let lock = NSLock()
    private var entries: [String: Data] = [:]
    private var extended: [String: Data] = [:]

    required init?(cachePath: String, config: SDImageCacheConfig) { note("disk.init") }
    func containsData(forKey key: String) -> Bool {
        note("disk.contains")
        return lock.withLock { entries[key] != nil }
    }
    func data(forKey key: String) -> Data? {
        note("disk.data")
        return lock.withLock { entries[key] }
    }
    func setData(_ data: Data?, forKey key: String) {
        note("disk.set")
        lock.withLock { entries[key] = data }
    }
    func extendedData(forKey key: String) -> Data? {
        note("disk.extended")
        return lock.withLock { extended[key] }
    }
    func setExtendedData(_ extendedData: Data?, forKey key: String) {
        note("disk.setExtended")
        lock.withLock { extended[key] = extendedData }
    }
    func removeData(forKey key: String) {
        note("disk.remove")
        lock.withLock { entries[key] = nil }
    }
    func removeAllData() {
        note("disk.removeAll")
        lock.withLock { entries = [:] }
    }
    func removeExpiredData() { note("disk.removeExpired") }
    func cachePath(forKey key: String) -> String? {
        note("disk.path")
        return "/nowhere/\(key)"
    }
    func totalCount() -> UInt {
        note("disk.count")
        return 3
    }
    func totalSize() -> UInt {
        note("disk.size")
        return 30
    }
}

final class ImportedCache: NSObject, SDImageCacheProtocol, @unchecked Sendable {
    func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        completion completionBlock: SDImageCacheQueryCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        note("cache.query")
        completionBlock?(nil, nil, .none)
        return nil
    }
    func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        cacheType: SDImageCacheType, completion completionBlock: SDImageCacheQueryCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        note("cache.query with cacheType")
        completionBlock?(nil, nil, .none)
        return nil
    }
    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        note("cache.store")
        completionBlock?()
    }
    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions = [],
        context: [SDWebImageContextOption: Any]?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        note("cache.store with options")
        completionBlock?()
    }
    func removeImage(
        forKey key: String?, cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        note("cache.remove")
        completionBlock?()
    }
    func containsImage(
        forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDImageCacheContainsCompletionBlock? = nil
    ) {
        note("cache.contains")
        completionBlock?(.memory)
    }
    func clear(with cacheType: SDImageCacheType, completion completionBlock: SDWebImageNoParamsBlock? = nil) {
        note("cache.clear")
        completionBlock?()
    }
}

/// A cache that implements only the methods that SDWebImage requires.
final class ImportedSmallCache: NSObject, SDImageCacheProtocol, @unchecked Sendable {
    func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: [SDWebImageContextOption: Any]?,
        completion completionBlock: SDImageCacheQueryCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        note("small cache.query")
        completionBlock?(nil, nil, .none)
        return nil
    }
    func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        note("small cache.store")
        completionBlock?()
    }
}

final class ImportedModifiers: NSObject, SDWebImageDownloaderRequestModifierProtocol,
    SDWebImageDownloaderResponseModifierProtocol, SDWebImageDownloaderDecryptorProtocol
{
    func modifiedRequest(with request: WebImageRequest) -> WebImageRequest? {
        note("modifier.request")
        return request
    }
    func modifiedResponse(with response: WebImageResponse) -> WebImageResponse? {
        note("modifier.response")
        return response
    }
    func decryptedData(with data: Data, response: WebImageResponse?) -> Data? {
        note("modifier.decrypt")
        return data
    }
}
