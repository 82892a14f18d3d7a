public import Foundation
public import WebImageCore
public import WebImageLoading

/// A running query of ``WebImageLoading/ImageCache``. If the caller cancels the query before its completion, the query
/// completes with a miss.
public final class ImageCacheToken: WebImageOperation {
    /// The requested key.
    public let key: String
    private let query: any WebImageOperation

    fileprivate init(key: String, query: any WebImageOperation) {
        (self.key, self.query) = (key, query)
    }

    /// Whether the query was cancelled before its result was delivered.
    public var isCancelled: Bool { query.isCancelled }

    /// Completes the query with a miss on the callback queue, unless it has already completed.
    public func cancel() { query.cancel() }
}

// Calls with completion blocks, for which the native cache has `async` functions.
extension ImageCache {
    /// Looks an image up in memory, then on disk.
    ///
    /// A memory hit is delivered before this method returns, and the method returns nil. The other rules are those of
    /// `queryImage(forKey:options:context:cacheType:completion:)`.
    @discardableResult
    public func queryCacheOperation(
        forKey key: String?, options: WebImageOptions = [], context: WebImageContext? = nil,
        cacheType: ImageCacheType = .all, done: ImageCacheQueryCompletionBlock?
    ) -> ImageCacheToken? {
        let query = queryImage(forKey: key, options: options, context: context, cacheType: cacheType, completion: done)
        return query.flatMap { query in key.map { ImageCacheToken(key: $0, query: query) } }
    }

    /// Checks whether there is a disk entry for a key. Calls `completion` on the main queue.
    public func diskImageExists(withKey key: String?, completion: (@Sendable (Bool) -> Void)? = nil) {
        guard let key else { return CallbackQueue.main.async { completion?(false) } }
        containsImage(forKey: key, cacheType: .disk) { completion?($0 == .disk) }
    }

    /// Reads the encoded data on disk. Calls `completion` on the main queue.
    public func diskImageDataQuery(forKey key: String?, completion: (@Sendable (Data?) -> Void)? = nil) {
        readDiskData(forKey: key) { data in CallbackQueue.main.async { completion?(data) } }
    }

    /// Removes every disk entry. The completion runs on the main queue.
    public func clearDisk(onCompletion completion: (@Sendable () -> Void)? = nil) {
        clear(with: .disk, completion: completion)
    }

    /// Removes expired entries, then trims to the size limit. The completion runs on the main queue.
    public func deleteOldFiles(completionBlock completion: (@Sendable () -> Void)? = nil) {
        onDisk(completion) { $0.removeExpiredData() }
    }
}

// Events of the application's life cycle. The application must report these events, because Linux sends no
// notifications.
extension ImageCache {
    /// Call this method before the process ends. Removes expired entries and trims to the size limit if
    /// ``WebImageLoading/ImageCacheConfig/shouldRemoveExpiredDataWhenTerminate`` is true. Blocks the calling thread
    /// until this is done and all stored data is safe on disk.
    public func applicationWillTerminate() {
        if config.shouldRemoveExpiredDataWhenTerminate { onDisk(nil) { $0.removeExpiredData() } }
        flush()
    }

    /// Call this method when the application is no longer visible. If
    /// ``WebImageLoading/ImageCacheConfig/shouldRemoveExpiredDataWhenEnterBackground`` is true, the disk queue removes
    /// expired entries and trims to the size limit.
    public func applicationDidEnterBackground() {
        if config.shouldRemoveExpiredDataWhenEnterBackground { onDisk(nil) { $0.removeExpiredData() } }
    }
}
