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
    /// If `dstPath` is the folder of this cache, files with SDWebImage's names become entries of the cache, under the keys
    /// of which SDWebImage derived the names. All other files are only moved, and the cache does not use them. A file whose
    /// name the folder has already is removed, as in SDWebImage. Then the folder `srcPath` is empty and is removed too,
    /// unless a file could not be moved or the folder belongs to another cache of this package.
    public func moveDirectory(fromPath srcPath: String, toPath dstPath: String) {
        let (source, target) = (URL(fileURLWithPath: srcPath), URL(fileURLWithPath: dstPath))
        let manager = FileManager.default
        let (resolvedSource, resolvedTarget) = (
            source.resolvingSymlinksInPath().path, target.resolvingSymlinksInPath().path
        )
        // Files cannot move into their own folder. A target inside the source would be removed with the source.
        guard !(resolvedTarget + "/").hasPrefix(resolvedSource + "/"), manager.fileExists(atPath: srcPath) else {
            return
        }
        if resolvedTarget == URL(fileURLWithPath: ownPath).resolvingSymlinksInPath().path {
            _ = importFiles(fromDirectory: srcPath)
            // The index of another cache must never come beside the index of this cache.
            guard !manager.fileExists(atPath: srcPath + "/index.sqlite") else { return }
            Self.moveItems(from: source, to: target)
            rmdir(srcPath)
            return
        }
        try? manager.createDirectory(at: target, withIntermediateDirectories: true)
        Self.moveItems(from: source, to: target)
        try? manager.removeItem(at: source)
    }

    private static func moveItems(from source: URL, to target: URL) {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: source.path)) ?? [] {
            let (old, new) = (source.appendingPathComponent(name), target.appendingPathComponent(name))
            if manager.fileExists(atPath: new.path) {
                // One folder can have two paths, by a bind mount.
                guard Self.fileNumber(old) != Self.fileNumber(new) else { continue }
                try? manager.removeItem(at: old)
            } else {
                try? manager.moveItem(at: old, to: new)
            }
        }
    }

    private static func fileNumber(_ file: URL) -> [UInt64] {
        var status = stat()
        return lstat(file.path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : []
    }
}

extension ImageCache {
    /// Returns the path of a file with the bytes of an entry. The file's name is SDWebImage's: the MD5 of the key and the
    /// extension of the key's path. If there is no entry, there is no file at the path. Nil for a nil key, and if the cache
    /// has no disk layer. A disk layer of the program chooses the path itself.
    ///
    /// Entries are stored in another form, and the call makes the file. Changing it does not change the entry. It exists
    /// for at least an hour, but not after the cache was cleared. Blocks the calling thread.
    public func cachePath(forKey key: String?) -> String? {
        path(forKey: key) { disk, key in
            (disk as? DiskCache)?.namedFile(forKey: key) ?? disk.cachePath(forKey: key)
        }
    }

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
