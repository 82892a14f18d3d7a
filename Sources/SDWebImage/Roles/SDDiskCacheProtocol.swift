public import WebImage

/// A disk layer with SDWebImage's signatures. Its methods are synchronous. The cache calls them on its own queue, one
/// call at a time.
@preconcurrency public protocol SDDiskCacheProtocol: DiskCaching {
    /// Opens the cache in a folder.
    init?(cachePath: String, config: SDImageCacheConfig)
    /// Entries.
    func totalCount() -> UInt
    /// Bytes of all entries.
    func totalSize() -> UInt
}

extension SDDiskCacheProtocol {
    /// Opens the cache with a configuration of SDWebImage's type.
    public init?(cachePath: String, config: ImageCacheConfig) {
        self.init(cachePath: cachePath, config: SDImageCacheConfig(config))
    }
    /// Entries.
    public func totalCount() -> Int {
        let count: UInt = totalCount()
        return Int(clamping: count)
    }
    /// Bytes of all entries.
    public func totalSize() -> Int {
        let size: UInt = totalSize()
        return Int(clamping: size)
    }
}
