import Foundation
import Testing
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests a cache folder on a network file system. There, processes cannot share memory. The tests need no network file
/// system, because they pass the file system type to the cache (0x6969 is NFS, 0xEF53 is ext4).
@Suite(.timeLimit(minutes: 1))
struct NetworkFolderTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test(arguments: [(UInt32(0x6969), "delete"), (0xEF53, "wal")])
    func networkFolderUsesNoWriteAheadLog(type: UInt32, journal: String) throws {
        let path = folder.path + "/cache"
        let opened = DiskCache(cachePath: path, config: ImageCacheConfig(), fileSystemType: { _ in type })
        let cache = try #require(opened)
        for key in 0..<50 { cache.setData(bytes(key * 4000, seed: UInt64(key)), forKey: "\(key)") }
        cache.flush()
        #expect(FileManager.default.fileExists(atPath: path + "/index.sqlite-wal") == (journal == "wal"))
        let reopened = DiskCache(cachePath: path, config: ImageCacheConfig(), fileSystemType: { _ in type })
        let other = try #require(reopened)
        for key in 0..<50 { #expect(other.data(forKey: "\(key)") == bytes(key * 4000, seed: UInt64(key))) }
        other.removeData(forKey: "7")
        other.flush()
        #expect(cache.data(forKey: "7") == nil)
        #expect(cache.verify().removed == 0)
    }
}
