import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// Checks `cachePath(forKey:)` and the files at the paths that it returns.
@Suite(.timeLimit(minutes: 1)) struct PathTests {
    private let scratch: ScratchFolder
    private let cache: SDImageCache

    init() throws {
        scratch = try ScratchFolder()
        cache = SDImageCache(namespace: "paths", diskCacheDirectory: scratch.path)
    }

    private func bytes(at path: String?) -> Data? { path.flatMap { FileManager.default.contents(atPath: $0) } }

    // SDImageCacheTests.test31CachePathForAnyKey, SDImageCacheTests.test32CachePathForNilKey
    @Test func everyKeyHasAPath() throws {
        #expect(cache.cachePath(forKey: nil) == nil)
        let path = try #require(cache.cachePath(forKey: "a"))
        #expect(path.hasPrefix(cache.diskCachePath + "/") && !FileManager.default.fileExists(atPath: path))
        #expect(path.hasSuffix("/0cc175b9c0f1b6a831c399e269772661"))
    }

    // SDImageCacheTests.test34CachePathForSimpleKeyWithExtension
    // SDImageCacheTests.test35CachePathForKeyWithDotButNoExtension
    // SDImageCacheTests.test36CachePathForKeyWithURLQueryParams
    // SDImageCacheTests.test37CachePathForKeyWithTooLongExtension
    // SDImageCacheTests.test49DiskCacheKeyForInvalidURL
    @Test(arguments: [
        ("https://host/50x50.jpg", "jpg"), ("https://host/map?center=48.8566,2.3522&zoom=15", ""),
        ("https://host/a.jpg?m=%7B%22b.png%22%7D", "jpg"), ("https://host/a." + String(repeating: "x", count: 374), ""),
        ("https://host/a.jpg00%00", "jpg00"), ("name.png", "png"), ("", ""),
    ])
    func fileNamesHaveTheExtensionOfTheKey(key: String, expected: String) throws {
        let path = try #require(cache.cachePath(forKey: key))
        #expect((path as NSString).pathExtension == expected)
    }

    // SDImageCacheTests.test33CachePathForExistingKey, SDImageCacheTests.test40InsertionOfImageData
    // SDImageCacheTests.test41ThatCustomDecoderWorksForImageCache
    @Test(arguments: [0, 1, 32 * 1024, 32 * 1024 + 1, 1 << 20]) func pathsNameAFileWithTheBytes(count: Int) throws {
        let (first, second) = (Data(repeating: 1, count: count), Data(repeating: 2, count: count + 40_000))
        cache.storeImageData(toDisk: first, forKey: "a.jpg")
        let path = try #require(cache.cachePath(forKey: "a.jpg"))
        #expect(bytes(at: path) == first)
        // The entry changes from bytes in the index to a file, and back.
        for data in [second, first] {
            cache.storeImageData(toDisk: data, forKey: "a.jpg")
            #expect(cache.cachePath(forKey: "a.jpg") == path && bytes(at: path) == data)
        }
        cache.removeImageFromDisk(forKey: "a.jpg")
        #expect(cache.cachePath(forKey: "a.jpg") == path && bytes(at: path) == nil)
    }

    @Test func clearingTheCacheRemovesTheFiles() async throws {
        cache.storeImageData(toDisk: Data([1]), forKey: "a")
        cache.storeImageData(toDisk: Data(count: 50_000), forKey: "b")
        let paths = ["a", "b"].map { cache.cachePath(forKey: $0) }
        #expect(paths.allSatisfy { bytes(at: $0) != nil })
        await cache.clearDiskOnCompletion()
        #expect(paths.allSatisfy { bytes(at: $0) == nil })
    }

    @Test func changingAFileDoesNotChangeTheEntry() throws {
        cache.storeImageData(toDisk: Data([1, 2]), forKey: "a")
        let path = try #require(cache.cachePath(forKey: "a"))
        try Data([3]).write(to: URL(fileURLWithPath: path))
        let stored: Data? = cache.diskImageData(forKey: "a")
        #expect(stored == Data([1, 2]))
        #expect(bytes(at: cache.cachePath(forKey: "a")) == Data([1, 2]))
    }

    @Test func imageThatIsStillEncodedHasAFile() throws {
        cache.store(try TestImages.solid(width: 300, height: 300), forKey: "a.png", completion: nil)
        let path = try #require(cache.cachePath(forKey: "a.png"))
        #expect(UIImage(contentsOfFile: path)?.size == CGSize(width: 300, height: 300))
    }

    @Test func concurrentCallsReturnWholeFiles() async {
        let data = Data(repeating: 7, count: 20_000)
        cache.storeImageData(toDisk: data, forKey: "a")
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 { group.addTask { [cache] in bytes(at: cache.cachePath(forKey: "a")) == data } }
            for await isWhole in group { #expect(isWhole) }
        }
    }

    @Test func layerOfTheProgramChoosesItsPaths() throws {
        let config = SDImageCacheConfig()
        config.diskCacheClass = NamingDiskCache.self
        let own = SDImageCache(namespace: "own", diskCacheDirectory: scratch.path, config: config)
        #expect(own.cachePath(forKey: "a") == scratch.path + "/own/named a")
    }

    @Test func readOnlyFolderHasPathsWithoutFiles() throws {
        let folder = scratch.path + "/paths"
        cache.storeImageData(toDisk: Data([1]), forKey: "a")
        cache.flush()
        for name in ["files", ""] {
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder + "/" + name)
        }
        defer {
            for name in ["", "files"] {
                try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder + "/" + name)
            }
        }
        #expect(cache.cachePath(forKey: "a") != nil)
    }

    // SDImageCacheTests.test44DiskCacheMigrationFromOldVersion
    @Test func filesWithOtherNamesMoveIntoTheFolderToo() throws {
        let old = scratch.path + "/old"
        try FileManager.default.createDirectory(atPath: old, withIntermediateDirectories: true)
        for index in 0..<100 { try Data([1]).write(to: URL(fileURLWithPath: old + "/a\(index).png")) }
        let folder = scratch.path + "/new"
        let disk = try #require(SDDiskCache(cachePath: folder, config: SDImageCacheConfig.default))
        disk.moveDirectory(fromPath: old, toPath: folder)
        #expect((0..<100).allSatisfy { FileManager.default.fileExists(atPath: folder + "/a\($0).png") })
        #expect(!FileManager.default.fileExists(atPath: old))
    }

    @Test func secondMoveOfEqualNamesRemovesTheFolderToo() throws {
        let (old, folder) = (scratch.path + "/old", scratch.path + "/new")
        let disk = try #require(SDDiskCache(cachePath: folder, config: SDImageCacheConfig.default))
        for (turn, target) in [folder, folder, scratch.path + "/plain", scratch.path + "/plain"].enumerated() {
            try FileManager.default.createDirectory(atPath: old + "/files", withIntermediateDirectories: true)
            try Data([UInt8(turn)]).write(to: URL(fileURLWithPath: old + "/a.png"))
            try Data([UInt8(turn)]).write(to: URL(fileURLWithPath: old + "/0cc175b9c0f1b6a831c399e269772661"))
            try Data([UInt8(turn)]).write(to: URL(fileURLWithPath: old + "/files/b"))
            disk.moveDirectory(fromPath: old, toPath: target)
            #expect(!FileManager.default.fileExists(atPath: old))
            #expect(FileManager.default.contents(atPath: target + "/a.png") == Data([UInt8(turn / 2 * 2)]))
            #expect(disk.data(forKey: "a") == Data([0]))
        }
    }

    @Test func folderIsNeverMovedIntoItself() throws {
        let folder = scratch.path + "/new"
        let disk = try #require(SDDiskCache(cachePath: folder, config: SDImageCacheConfig.default))
        disk.setData(Data([1]), forKey: "a")
        disk.flush()
        try FileManager.default.createDirectory(atPath: folder + "/new", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: scratch.path + "/link", withDestinationPath: folder)
        for source in [
            folder, folder + "/", scratch.path + "/link", scratch.path + "/../" + scratch.url.lastPathComponent,
        ] {
            disk.moveDirectory(fromPath: source, toPath: folder)
            disk.flush()
            #expect(disk.data(forKey: "a") == Data([1]) && FileManager.default.fileExists(atPath: folder + "/files"))
        }
    }

    @Test func indexOfAnotherCacheIsNeverMoved() throws {
        let other = try #require(SDDiskCache(cachePath: scratch.path + "/other", config: SDImageCacheConfig.default))
        other.setData(Data([1]), forKey: "a")
        other.flush()
        let disk = try #require(SDDiskCache(cachePath: scratch.path + "/new", config: SDImageCacheConfig.default))
        disk.setData(Data([2]), forKey: "b")
        disk.moveDirectory(fromPath: scratch.path + "/other", toPath: scratch.path + "/new")
        disk.flush()
        #expect(disk.data(forKey: "b") == Data([2]) && other.data(forKey: "a") == Data([1]))
    }
}

/// A disk layer that stores nothing and names its files.
private final class NamingDiskCache: SDDiskCacheProtocol {
    let folder: String
    init?(cachePath: String, config: SDImageCacheConfig) { folder = cachePath }
    func cachePath(forKey key: String) -> String? { folder + "/named " + key }
    func containsData(forKey key: String) -> Bool { false }
    func data(forKey key: String) -> Data? { nil }
    func setData(_ data: Data?, forKey key: String) {}
    func extendedData(forKey key: String) -> Data? { nil }
    func setExtendedData(_ extendedData: Data?, forKey key: String) {}
    func removeData(forKey key: String) {}
    func removeAllData() {}
    func removeExpiredData() {}
    func totalCount() -> UInt { 0 }
    func totalSize() -> UInt { 0 }
}
