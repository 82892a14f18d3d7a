public import Foundation
public import WebImage
public import WebImageCompatibility

extension ImageCache {
    /// Stores an image in memory and the image's encoded bytes on disk.
    @preconcurrency public func store(
        _ image: UIImage?, forKey key: String?, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: nil, forKey: key, cacheType: .all, completion: completionBlock)
    }

    /// Stores an image in memory. If `toDisk` is true, also stores the image's encoded bytes on disk.
    @preconcurrency public func store(
        _ image: UIImage?, forKey key: String?, toDisk: Bool, completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: nil, forKey: key, toDisk: toDisk, completion: completionBlock)
    }

    /// Stores an image in memory. If `toDisk` is true, also stores `imageData` on disk.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, toDisk: Bool,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        store(image, imageData: imageData, forKey: key, cacheType: toDisk ? .all : .memory, completion: completionBlock)
    }

    /// Stores an image, its encoded bytes, or both. `cacheType` selects the layers.
    @preconcurrency public func store(
        _ image: UIImage?, imageData: Data?, forKey key: String?, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil, cacheType: SDImageCacheType,
        completion completionBlock: SDWebImageNoParamsBlock? = nil
    ) {
        storeImage(
            image, imageData: imageData, forKey: key, options: options, context: context, cacheType: cacheType,
            completion: completionBlock)
    }

    /// Stores an image in memory. The image is stored when this method returns.
    public func storeImage(toMemory image: UIImage?, forKey key: String?) { storeImageToMemory(image, forKey: key) }

    /// Stores bytes on disk. Blocks until the bytes are written.
    public func storeImageData(toDisk imageData: Data?, forKey key: String?) {
        storeImageDataToDisk(imageData, forKey: key)
    }

    /// Stores an image in memory and the image's encoded bytes on disk. Returns when they are stored.
    public func store(_ image: UIImage?, forKey key: String?) async {
        await stored { store(image, forKey: key, completion: $0) }
    }

    /// Stores an image in memory. If `toDisk` is true, also stores the image's encoded bytes on disk. Returns when they
    /// are stored.
    public func store(_ image: UIImage?, forKey key: String?, toDisk: Bool) async {
        await stored { store(image, forKey: key, toDisk: toDisk, completion: $0) }
    }

    /// Stores an image in memory. If `toDisk` is true, also stores `imageData` on disk. Returns when they are stored.
    public func store(_ image: UIImage?, imageData: Data?, forKey key: String?, toDisk: Bool) async {
        await stored { store(image, imageData: imageData, forKey: key, toDisk: toDisk, completion: $0) }
    }

    /// Stores bytes on disk. Returns when they are stored.
    public func storeImageData(_ imageData: Data?, forKey key: String?) async {
        await stored { storeImageData(imageData, forKey: key, completion: $0) }
    }

    private func stored(_ start: (@escaping @Sendable () -> Void) -> Void) async {
        await withCheckedContinuation { continuation in start { continuation.resume() } }
    }

    /// Looks an image up. The token cancels the query. Without a completion, the query only moves an image from disk
    /// to memory.
    @discardableResult
    public func queryCacheOperation(
        forKey key: String?, options: SDImageCacheOptions = [], context: SDWebImageContext? = nil,
        cacheType queryCacheType: SDImageCacheType = .all
    ) -> SDImageCacheToken? {
        queryCacheOperation(forKey: key, options: options, context: context, cacheType: queryCacheType, done: nil)
    }

    /// Removes an image from memory. If `fromDisk` is true, also removes it from disk.
    public func removeImage(forKey key: String?, fromDisk: Bool = true) {
        removeImage(forKey: key, fromDisk: fromDisk, withCompletion: nil)
    }

    /// Removes an image from memory. If `fromDisk` is true, also removes it from disk. Returns when it is removed.
    public func removeImage(forKey key: String?, fromDisk: Bool = true) async {
        await withCheckedContinuation { continuation in
            removeImage(forKey: key, fromDisk: fromDisk) { continuation.resume() }
        }
    }

    /// Whether the disk layer has an entry for the key.
    public func diskImageExists(withKey key: String?) async -> Bool {
        await withCheckedContinuation { continuation in
            diskImageExists(withKey: key) { continuation.resume(returning: $0) }
        }
    }

    /// Does nothing. With a completion, the method reports whether the disk layer has an entry for the key.
    public func diskImageExists(withKey key: String?) {}

    /// Returns the encoded bytes of an entry on disk. Nil if there is no entry.
    public func diskImageDataQuery(forKey key: String?) async -> Data? {
        await withCheckedContinuation { continuation in
            diskImageDataQuery(forKey: key) { continuation.resume(returning: $0) }
        }
    }

    /// Does nothing. With a completion, the method reads the bytes of an entry on disk.
    public func diskImageDataQuery(forKey key: String?) {}

    /// Removes all entries on disk. Returns when they are removed.
    public func clearDiskOnCompletion() async { await clearDisk() }

    /// Returns the number of entries on disk and their total size in bytes.
    public func calculateSize() async -> (UInt, UInt) {
        let usage = await diskUsage()
        return (UInt(clamping: usage.count), UInt(clamping: usage.byteCount))
    }

    /// Does nothing. With a completion, the method determines the size of all entries on disk.
    public func calculateSize() {}
}
