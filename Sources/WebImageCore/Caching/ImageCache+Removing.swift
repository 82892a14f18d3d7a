import Foundation

extension ImageCache {
    /// Forgets an image in memory and, unless told otherwise, on disk; the completion comes on main, inline when only
    /// memory is meant.
    public func removeImage(
        forKey key: String?, fromDisk: Bool = true, withCompletion completion: (@Sendable () -> Void)?
    ) {
        removeImage(forKey: key, cacheType: fromDisk ? .all : .memory, completion: completion)
    }

    /// Forgets an image in the named layers; the completion comes on main, inline when disk is not meant.
    public func removeImage(forKey key: String?, cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        guard let key, cacheType != .none else {
            completion?()
            return
        }
        if cacheType.includesMemory { removeImageFromMemory(forKey: key) }
        guard cacheType.includesDisk else {
            completion?()
            return
        }
        onDisk(completion) { $0.removeData(forKey: key) }
    }

    /// Forgets an image in memory, at once.
    public func removeImageFromMemory(forKey key: String?) {
        if let key { memoryCache.removeObject(forKey: key) }
    }

    /// Removes a disk entry; blocks.
    public func removeImageFromDisk(forKey key: String?) {
        if let key { disk.sync { $0?.removeData(forKey: key) } }
    }

    /// Removes a disk entry that turned out not to be what it should: before whatever is stored from now on.
    public func removeCorruptDiskEntry(forKey key: String?) {
        if let key { disk.async { $0?.removeData(forKey: key) } }
    }

    /// Tells in which layer an image is: memory inline, disk on main.
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
        diskImageExists(withKey: key) { completion?($0 ? .disk : .none) }
    }

    /// Empties the named layers; the completion comes on main, inline when disk is not meant.
    public func clear(with cacheType: ImageCacheType, completion: (@Sendable () -> Void)?) {
        if cacheType.includesMemory { clearMemory() }
        if cacheType.includesDisk { clearDisk(onCompletion: completion) } else { completion?() }
    }

    /// Removes every disk entry; the completion comes on main.
    public func clearDisk(onCompletion completion: (@Sendable () -> Void)? = nil) {
        withSizes { $0.removeAll() }
        onDisk(completion) { $0.removeAllData() }
    }

    /// Removes what is too old, then what is too much; the completion comes on main.
    public func deleteOldFiles(completionBlock completion: (@Sendable () -> Void)? = nil) {
        onDisk(completion) { $0.removeExpiredData() }
    }

    /// Bytes of all disk entries; blocks.
    @_disfavoredOverload public func totalDiskSize() -> Int { disk.sync { $0?.totalSize() ?? 0 } }

    /// Disk entries; blocks.
    @_disfavoredOverload public func totalDiskCount() -> Int { disk.sync { $0?.totalCount() ?? 0 } }

    /// Entries and bytes on disk; told on main.
    @_disfavoredOverload
    public func calculateSize(completionBlock completion: (@Sendable (_ fileCount: Int, _ totalSize: Int) -> Void)?) {
        disk.async { disk in
            let count = disk?.totalCount() ?? 0
            let size = disk?.totalSize() ?? 0
            CallbackQueue.main.async { completion?(count, size) }
        }
    }

    /// The path of the file that holds an entry; nil when it has none of its own. Blocks.
    public func cachePath(forKey key: String?) -> String? {
        guard let key else { return nil }
        return disk.sync { $0?.cachePath(forKey: key) }
    }

    private func onDisk(_ completion: (@Sendable () -> Void)?, _ work: @escaping @Sendable (any DiskCaching) -> Void) {
        disk.async { disk in
            if let disk { work(disk) }
            if let completion { CallbackQueue.main.async(completion) }
        }
    }
}
