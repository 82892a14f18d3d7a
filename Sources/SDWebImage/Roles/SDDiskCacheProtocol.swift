public import WebImage

/// A disk layer with SDWebImage's signatures. Its methods are synchronous. The cache calls them on its own queue, one
/// call at a time.
@preconcurrency public protocol SDDiskCacheProtocol: DiskCaching {
    /// Opens the cache in a folder.
    init?(cachePath: String, config: SDImageCacheConfig)
    /// The number of entries.
    func totalCount() -> UInt
    /// The total size of all entries in bytes.
    func totalSize() -> UInt
}

extension SDDiskCacheProtocol {
    /// Opens the cache in a folder. Converts the configuration to SDWebImage's type.
    public init?(cachePath: String, config: ImageCacheConfig) {
        self.init(cachePath: cachePath, config: SDImageCacheConfig(config))
    }
    /// The number of entries as `Int`. ``WebImageCore/DiskCaching`` requires this type.
    public func totalCount() -> Int {
        let count: UInt = totalCount()
        return Int(clamping: count)
    }
    /// The total size of all entries in bytes, as `Int`. ``WebImageCore/DiskCaching`` requires this type.
    public func totalSize() -> Int {
        let size: UInt = totalSize()
        return Int(clamping: size)
    }
}
