import Dispatch
import Foundation
public import WebImageCore

/// A running query. If the caller cancels the query before its completion, the query completes with a miss.
private final class CacheQuery: WebImageOperation {
    /// The requested key.
    let key: String
    private let callbacks: CallbackQueue
    private let completion: Completion<ImageCacheHit?>

    init(key: String, callbacks: CallbackQueue, completion: ImageCacheQueryCompletionBlock?) {
        self.key = key
        self.callbacks = callbacks
        self.completion = Completion { completion?($0?.image, $0?.data, $0?.layer ?? .none) }
    }

    /// Whether the query was cancelled before its result was delivered.
    var isCancelled: Bool { completion.isCancelled }

    /// Completes the query with a miss on the callback queue, unless it has already completed.
    func cancel() {
        guard let handler = completion.claimForCancel() else { return }
        callbacks.async { handler(nil) }
    }

    /// Completes the query on the callback queue. Has no effect if the query has already completed, or if the caller
    /// cancels it before the callback queue runs the completion.
    func finish(_ image: Image?, _ data: Data?, from type: ImageCacheType) {
        callbacks.async { self.finishInline(image, data, from: type) }
    }

    /// Completes the query on the calling thread, unless it has already completed.
    func finishInline(_ image: Image?, _ data: Data?, from type: ImageCacheType) {
        completion.complete(with: ImageCacheHit(image: image, data: data, layer: type))
    }
}

extension ImageCache {
    /// Looks an image up in memory, then on disk.
    ///
    /// A memory hit is delivered before this method returns, and the method returns nil. With the option
    /// `.queryMemoryData`, the cache first reads the encoded data from disk and then delivers this data together with
    /// the image in memory.
    ///
    /// A result that requires the disk is delivered on the context's callback queue (default: main). Two options change
    /// this: `.queryDiskDataSync` after a memory miss, and `.queryMemoryDataSync` after a memory hit. With these
    /// options, the result is delivered on the calling thread before this method returns. A miss has the type `.none`.
    @discardableResult
    public func queryImage(
        forKey key: String?, options: WebImageOptions, context: WebImageContext?, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        queryImage(
            forKey: key, options: options, values: RequestContext(context), cacheType: cacheType,
            completion: completion)
    }

    /// Does the same with the values of a load, which are not converted to a dictionary.
    func queryImage(
        forKey key: String?, options: WebImageOptions, values context: RequestContext, cacheType: ImageCacheType,
        completion: ImageCacheQueryCompletionBlock?
    ) -> (any WebImageOperation)? {
        guard let key, cacheType != .none else {
            completion?(nil, nil, .none)
            return nil
        }
        var hit: Image?
        if cacheType.includesMemory {
            hit = memoryImage(key, options: options, context)
        }
        if cacheType == .memory || (hit != nil && !options.contains(.queryMemoryData)) {
            completion?(hit, nil, hit == nil ? .none : .memory)
            return nil
        }
        let start = withRemovals { $0.count }
        let callbacks = context.callbackQueue ?? .main
        let query = CacheQuery(key: key, callbacks: callbacks, completion: completion)
        if options.contains(hit == nil ? .queryDiskDataSync : .queryMemoryDataSync) {
            let decoder = self.decoder(key, options: options, context)
            let entry = diskResourceSync(forKey: key).flatMap { decoder.accepts($0) ? $0 : nil }
            let image = hit ?? entry.flatMap { decode($0, key: key, with: decoder, context, startedAt: start) }
            query.finishInline(image, entry?.data, from: Self.origin(hit: hit, image, entry?.data))
            return query
        }
        queryDisk(query, hit: hit, options: options, context, cacheType: cacheType, startedAt: start)
        return query
    }

    private func queryDisk(
        _ query: CacheQuery, hit: Image?, options: WebImageOptions, _ context: RequestContext,
        cacheType: ImageCacheType, startedAt start: UInt64
    ) {
        disk.async(.after(.key(query.key))) { disk in
            guard !query.isCancelled else { return }
            let decoder = self.decoder(query.key, options: options, context)
            let entry = self.resource(query.key, from: disk).flatMap { decoder.accepts($0) ? $0 : nil }
            guard hit == nil, let entry else {
                return query.finish(hit, entry?.data, from: Self.origin(hit: hit, hit, entry?.data))
            }
            self.decodePool.submit(
                measuring: { decoder.decoding(of: entry).cost(of: entry.data) }, priority: LoadPriority(options)
            ) {
                guard !query.isCancelled else { return }
                // Another query may have stored the image in memory since this query started.
                let filled =
                    cacheType.includesMemory
                    ? self.memoryImage(query.key, options: options, context) : nil
                let image = filled ?? self.decode(entry, key: query.key, with: decoder, context, startedAt: start)
                query.finish(image, entry.data, from: .disk)
            }
        }
    }

    private static func origin(hit: Image?, _ image: Image?, _ data: Data?) -> ImageCacheType {
        if hit != nil { return .memory }
        return image == nil && data == nil ? .none : .disk
    }
}

/// Asynchronous versions of the methods that use the disk layer.
extension ImageCache {
    /// Returns the number of entries on disk and their total size in bytes.
    public func diskUsage() async -> (count: Int, byteCount: Int) {
        await disk.run(.after(.all)) { ($0?.totalCount() ?? 0, $0?.totalSize() ?? 0) }
    }

    /// Removes every disk entry.
    public func clearDisk() async {
        withSizes { $0.removeAll() }
        await disk.run(.removing(.all)) { $0?.removeAllData() }
    }

    /// Moves the files of an SDWebImage cache folder into this cache. These files have names of the form
    /// `<MD5 of the key>.<extension>`. Returns the number of imported files. An imported image is found under the same
    /// key as in SDWebImage.
    public func importImages(fromDirectory path: String) async -> Int {
        await disk.run { $0?.importFiles(fromDirectory: path) ?? 0 }
    }

    /// Removes expired entries, then trims to the size limit.
    public func deleteOldFiles() async {
        await disk.run(.after(.all)) { disk in
            self.noteUses()
            disk?.removeExpiredData()
        }
    }

    /// Reads every disk entry and removes the damaged entries. Returns the numbers of checked and removed entries.
    /// Returns nil when the cache has no disk layer or its folder cannot be used.
    ///
    /// The method takes as long as it takes to read all files of the cache.
    public func verifyDisk() async -> (checked: Int, removed: Int)? {
        await disk.run(.after(.all)) { $0?.verify() }
    }
}
