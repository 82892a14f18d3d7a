import Foundation
public import WebImage
import WebImageCompatibility
public import WebImageStore

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

extension DiskCache: SDDiskCacheProtocol {
    /// Opens the cache in a folder. Nil if the folder cannot be used. The cache copies the properties of the argument
    /// `config`. Changing the argument later does not change the cache.
    @_disfavoredOverload public convenience init?(cachePath: String, config: SDImageCacheConfig) {
        self.init(cachePath: cachePath, config: config.value)
    }

    /// The configuration of the cache. Setting a property of the configuration changes the cache.
    public var config: SDImageCacheConfig { SDImageCacheConfig(of: self) }

    /// The number of entries.
    public func totalCount() -> UInt {
        UInt(clamping: ownTotals.count)
    }

    /// The total size of all entries in bytes.
    public func totalSize() -> UInt {
        UInt(clamping: ownTotals.bytes)
    }

    /// Moves the files of a folder into another folder. Existing files stay as they are. Blocks the calling thread.
    ///
    /// If `dstPath` is the folder of this cache, the files become entries of the cache, under the keys of which
    /// SDWebImage derived their names. Otherwise only the files are moved.
    public func moveDirectory(fromPath srcPath: String, toPath dstPath: String) {
        let (source, target) = (URL(fileURLWithPath: srcPath), URL(fileURLWithPath: dstPath))
        let manager = FileManager.default
        guard source.standardizedFileURL != target.standardizedFileURL, manager.fileExists(atPath: srcPath) else {
            return
        }
        if target.standardizedFileURL == URL(fileURLWithPath: ownPath).standardizedFileURL {
            _ = importFiles(fromDirectory: srcPath)
            return
        }
        try? manager.createDirectory(at: target, withIntermediateDirectories: true)
        for name in (try? manager.contentsOfDirectory(atPath: srcPath)) ?? [] {
            try? manager.moveItem(
                at: source.appendingPathComponent(name), to: target.appendingPathComponent(name))
        }
        try? manager.removeItem(at: source)
    }
}

extension ImageCache {
    /// The disk layer. A cache without a disk layer, for example with an unusable folder, has a layer without entries.
    public var diskCache: any SDDiskCacheProtocol {
        let own = ownDiskCache
        return own as? any SDDiskCacheProtocol ?? AdoptedDiskCache(own)
    }
}

/// Gives SDWebImage's signatures to a disk layer that was written for `WebImage`, or to no layer.
private final class AdoptedDiskCache: SDDiskCacheProtocol {
    private let own: (any DiskCaching)?

    init(_ own: (any DiskCaching)?) { self.own = own }

    convenience init?(cachePath: String, config: SDImageCacheConfig) { nil }

    func containsData(forKey key: String) -> Bool { own?.containsData(forKey: key) ?? false }
    func data(forKey key: String) -> Data? { own?.data(forKey: key) }
    func setData(_ data: Data?, forKey key: String) { own?.setData(data, forKey: key) }
    func extendedData(forKey key: String) -> Data? { own?.extendedData(forKey: key) }
    func setExtendedData(_ data: Data?, forKey key: String) { own?.setExtendedData(data, forKey: key) }
    func removeData(forKey key: String) { own?.removeData(forKey: key) }
    func removeAllData() { own?.removeAllData() }
    func removeExpiredData() { own?.removeExpiredData() }
    func cachePath(forKey key: String) -> String? { own?.cachePath(forKey: key) }
    func totalCount() -> UInt { UInt(clamping: own?.totalCount() ?? 0) }
    func totalSize() -> UInt { UInt(clamping: own?.totalSize() ?? 0) }
}
