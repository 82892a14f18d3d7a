import Foundation
package import WebImageCore

extension ImageCache {
    /// Removes an image from memory and, by default, from disk. The completion runs on the main queue. If
    /// `fromDisk` is false, the completion runs before this method returns.
    public func removeImage(
        forKey key: String?, fromDisk: Bool = true, withCompletion completion: (@Sendable () -> Void)?
    ) {
        removeImage(forKey: key, cacheType: fromDisk ? .all : .memory, completion: completion)
    }

    /// Removes an image from the layers in `cacheType`. The completion runs on the main queue. If the layers do not
    /// include the disk, the completion runs before this method returns.
    ///
    /// Queries of this cache that are running do not store the image in memory again. Loads of a manager do: cancel them first.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        removeImage(forKey: key, cacheType: cacheType, callbacks: .main, completion: completion)
    }

    func removeImage(
        forKey key: String?, cacheType: ImageCacheType, callbacks: CallbackQueue, completion: (@Sendable () -> Void)?
    ) {
        guard let key, cacheType != .none else {
            completion?()
            return
        }
        if cacheType.includesMemory { removeImageFromMemory(forKey: key) }
        guard cacheType.includesDisk else {
            completion?()
            return
        }
        onDisk(.removing(.key(key)), callbacks, completion) { $0.removeData(forKey: key) }
        // A query that began between the two removals reads the entry before its removal.
        if cacheType.includesMemory { withRemovals { $0.note(key) } }
    }

    /// Removes every variant of the original with this fingerprint: first from memory, before this method suspends, then
    /// from disk. Also removes the original from memory, but not from disk.
    package func removeVariants(of source: KeyFingerprint, cacheType: ImageCacheType) async {
        if cacheType.includesMemory {
            // A query of a variant may be running, under any key.
            withRemovals { $0.noteAll() }
            originalVersions.forget(source)
            (memoryCache as? MemoryCache)?.removeObjects { $0.isMade(from: source) }
        }
        guard cacheType.includesDisk else { return }
        await disk.run(.removing(.variants(of: source))) { _ in self.disk.recording?.removeVariants(of: source) }
        // A load that began before this call may have stored an image in memory meanwhile.
        if cacheType.includesMemory { (memoryCache as? MemoryCache)?.removeObjects { $0.isMade(from: source) } }
    }

    /// Removes an image from memory before this method returns. Queries that are running do not store it there again.
    public func removeImageFromMemory(forKey key: String?) {
        guard let key else { return }
        withRemovals { $0.note(key) }
        memoryCache.removeObject(forKey: key)
    }

    /// Removes a disk entry. Blocks the calling thread.
    public func removeImageFromDisk(forKey key: String?) {
        if let key { disk.sync(.removing(.key(key))) { $0?.removeData(forKey: key) } }
    }

    /// Removes a damaged disk entry. Data stored after this call, and an image that is still being encoded, are not
    /// removed.
    public func removeCorruptDiskEntry(forKey key: String?) {
        if let key { disk.async { $0?.removeData(forKey: key) } }
    }

    /// Reports the layer that contains an image. A memory hit is reported before this method returns. A miss is
    /// reported before this method returns if the key is nil or `cacheType` does not include the disk. All other
    /// results are reported on the main queue.
    public func containsImage(
        forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable (ImageCacheType) -> Void)?
    ) {
        guard let key else {
            completion?(.none)
            return
        }
        if cacheType.includesMemory, imageFromMemoryCache(forKey: key) != nil {
            completion?(.memory)
            return
        }
        guard cacheType.includesDisk else {
            completion?(.none)
            return
        }
        disk.async(.after(.key(key))) { disk in
            let exists = disk?.containsData(forKey: key) ?? false
            CallbackQueue.main.async { completion?(exists ? .disk : .none) }
        }
    }

    /// Removes all images from the layers in `cacheType`. The completion runs on the main queue. If the layers do not
    /// include the disk, the completion runs before this method returns.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        clear(with: cacheType, callbacks: .main, completion: completion)
    }

    func clear(with cacheType: ImageCacheType, callbacks: CallbackQueue, completion: (@Sendable () -> Void)?) {
        if cacheType.includesMemory { clearMemory() }
        guard cacheType.includesDisk else {
            completion?()
            return
        }
        withSizes { $0.removeAll() }
        onDisk(.removing(.all), callbacks, completion) { $0.removeAllData() }
        // See `removeImage(forKey:cacheType:completion:)`.
        if cacheType.includesMemory { withRemovals { $0.noteAll() } }
    }

    /// Returns the total size of all disk entries in bytes. Blocks the calling thread.
    @_disfavoredOverload public func totalDiskSize() -> Int { disk.sync(.after(.all)) { $0?.totalSize() ?? 0 } }

    /// Returns the number of disk entries. Blocks the calling thread.
    @_disfavoredOverload public func totalDiskCount() -> Int {
        disk.sync(.after(.all)) { $0?.totalCount() ?? 0 }
    }

    /// Determines the number of disk entries and their total size in bytes. Calls `completion` on the main queue.
    @_disfavoredOverload
    public func calculateSize(completionBlock completion: (@Sendable (_ fileCount: Int, _ totalSize: Int) -> Void)?) {
        disk.async(.after(.all)) { disk in
            let count = disk?.totalCount() ?? 0
            let size = disk?.totalSize() ?? 0
            CallbackQueue.main.async { completion?(count, size) }
        }
    }

    /// Returns the path of the file that contains an entry; nil when the entry has no file. Blocks the calling thread.
    @_disfavoredOverload public func cachePath(forKey key: String?) -> String? {
        path(forKey: key) { $0.cachePath(forKey: $1) }
    }

    /// Asks the disk layer for a path, after the stores of this key that were called before. Blocks the calling thread.
    package func path(forKey key: String?, _ path: (any DiskCaching, String) -> String?) -> String? {
        guard let key else { return nil }
        return disk.sync(.after(.key(key))) { disk in disk.flatMap { path($0, key) } }
    }

    /// Runs work on the disk queue, after all stores that were called before, then `completion` on the main queue.
    package func onDisk(_ completion: (@Sendable () -> Void)?, _ work: @escaping @Sendable (any DiskCaching) -> Void) {
        onDisk(.after(.all), .main, completion, work)
    }

    private func onDisk(
        _ order: DiskQueue.Order, _ callbacks: CallbackQueue, _ completion: (@Sendable () -> Void)?,
        _ work: @escaping @Sendable (any DiskCaching) -> Void
    ) {
        disk.async(order) { disk in
            if let disk { work(disk) }
            if let completion { callbacks.async(completion) }
        }
    }
}
