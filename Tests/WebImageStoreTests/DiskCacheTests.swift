import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

@Suite(.timeLimit(minutes: 1))
struct DiskCacheTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    func open(_ change: (inout ImageCacheConfig) -> Void = { _ in }) throws -> DiskCache {
        var config = ImageCacheConfig()
        change(&config)
        return try #require(DiskCache(cachePath: folder.path + "/cache", config: config))
    }

    /// Value sizes in bytes. The database contains values up to 64 KiB. A larger value is stored in a separate file.
    static let sizes = [0, 1, 100, 20 * 1024, 64 * 1024, 64 * 1024 + 1, 1 << 20]

    @Test(arguments: sizes)
    func storedValueIsReadableAtOnceAfterCommitAndByAnotherInstance(size: Int) throws {
        let value = bytes(size)
        var cache: DiskCache? = try open()
        cache?.setData(value, forKey: "key")
        #expect(cache?.data(forKey: "key") == value)
        cache?.flush()
        #expect(cache?.data(forKey: "key") == value)
        #expect(cache?.containsData(forKey: "key") == true)
        cache = nil
        let next = try open()
        #expect(next.data(forKey: "key") == value)
        #expect(next.totalCount() == 1)
        #expect(next.totalSize() == size)
    }

    @Test func closingCommitsPendingWrites() throws {
        var cache: DiskCache? = try open()
        for index in 0..<100 { cache?.setData(bytes(100, seed: UInt64(index)), forKey: "\(index)") }
        cache = nil
        let next = try open()
        for index in 0..<100 { #expect(next.data(forKey: "\(index)") == bytes(100, seed: UInt64(index))) }
    }

    @Test(arguments: [(10, 20), (10, 100_000), (100_000, 10), (100_000, 200_000)])
    func replacementKeepsOnlyTheNewValue(old: Int, new: Int) throws {
        let cache = try open()
        cache.setData(bytes(old), forKey: "key")
        cache.flush()
        cache.setExtendedData(Data("old".utf8), forKey: "key")
        cache.setData(bytes(new, seed: 2), forKey: "key")
        cache.flush()
        #expect(cache.data(forKey: "key") == bytes(new, seed: 2))
        #expect(cache.totalCount() == 1)
        #expect(cache.totalSize() == new)
        #expect(cache.extendedData(forKey: "key") == nil)
        let valueFiles = folder.files.filter { $0.contains("/files/") }
        #expect(valueFiles.count == (new > 64 * 1024 ? 1 : 0))
    }

    @Test(arguments: [10, 100_000])
    func removedEntryIsAMissAtOnceAndItsFileIsDeleted(size: Int) throws {
        let cache = try open()
        cache.setData(bytes(size), forKey: "key")
        cache.flush()
        cache.removeData(forKey: "key")
        #expect(cache.data(forKey: "key") == nil)
        #expect(!cache.containsData(forKey: "key"))
        cache.flush()
        #expect(cache.data(forKey: "key") == nil)
        #expect(cache.totalCount() == 0)
        #expect(cache.totalSize() == 0)
        #expect(folder.files.allSatisfy { !$0.contains("/files/") })
    }

    @Test func cacheWorksAfterRemoveAllData() throws {
        let cache = try open()
        for index in 0..<20 { cache.setData(bytes(index * 5000), forKey: "\(index)") }
        cache.flush()
        cache.setData(bytes(10), forKey: "waiting")
        cache.removeAllData()
        #expect(cache.totalCount() == 0)
        #expect(cache.totalSize() == 0)
        #expect(cache.data(forKey: "waiting") == nil)
        #expect(folder.files.allSatisfy { !$0.contains("/files") })
        cache.setData(bytes(100_000), forKey: "new")
        cache.flush()
        #expect(cache.data(forKey: "new") == bytes(100_000))
    }

    @Test func extendedDataBelongsToAnExistingEntry() throws {
        let cache = try open()
        cache.setExtendedData(Data("nothing".utf8), forKey: "key")
        #expect(cache.extendedData(forKey: "key") == nil)
        cache.setData(bytes(10), forKey: "key")
        cache.setExtendedData(Data("hello".utf8), forKey: "key")
        #expect(cache.extendedData(forKey: "key") == Data("hello".utf8))
        cache.setExtendedData(nil, forKey: "key")
        #expect(cache.extendedData(forKey: "key") == nil)
    }

    @Test func pixelSizeOutlivesTheEntryButNotRemoveAllData() throws {
        let cache = try open()
        cache.setData(bytes(10), forKey: "key")
        cache.setPixelSize(PixelSize(width: 300, height: 200), forKey: "key")
        #expect(cache.pixelSize(forKey: "key") == PixelSize(width: 300, height: 200))
        cache.removeData(forKey: "key")
        cache.flush()
        #expect(cache.pixelSize(forKey: "key") == PixelSize(width: 300, height: 200))
        cache.removeAllData()
        #expect(cache.pixelSize(forKey: "key") == nil)
    }

    @Test func filesAreNamedByHashAndPrivate() throws {
        let cache = try open()
        let key = "https://example.com/secret-name.png?token=abc"
        cache.setData(bytes(100_000), forKey: key)
        cache.setData(bytes(10), forKey: key + "2")
        cache.flush()
        let path = try #require(cache.cachePath(forKey: key))
        #expect(FileManager.default.contents(atPath: path) == bytes(100_000))
        #expect(cache.cachePath(forKey: key + "2") == nil)
        #expect(cache.cachePath(forKey: "absent") == nil)
        for file in folder.files {
            #expect(!file.contains("secret"))
            let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(rights == 0o600, "\(file)")
        }
        for each in [folder.path + "/cache", folder.path + "/cache/files"] {
            #expect(try FileManager.default.attributesOfItem(atPath: each)[.posixPermissions] as? Int == 0o700)
        }
    }

    @Test(arguments: [false, true]) func plainKeysAreStoredOnlyOnRequest(asked: Bool) throws {
        var cache: DiskCache? = try open { $0.diskCacheStoresPlainKeys = asked }
        cache?.setData(bytes(10), forKey: "https://example.com/findable.png")
        cache = nil
        let contents = folder.files.compactMap { FileManager.default.contents(atPath: $0) }
        #expect(contents.contains { $0.range(of: Data("findable".utf8)) != nil } == asked)
    }

    @Test func aDataSliceIsStoredWithoutTheRestOfItsBuffer() throws {
        let cache = try open()
        let slice = bytes(50_000)[10_000..<40_000]
        cache.setData(slice, forKey: "key")
        cache.flush()
        #expect(cache.data(forKey: "key") == Data(slice))
    }

    @Test func relativePathIsRefused() {
        #expect(DiskCache(cachePath: "relative/path", config: ImageCacheConfig()) == nil)
    }

    @Test(arguments: [false, true]) func metadataIsKeptUntilTheBytesAreReplaced(committed: Bool) throws {
        let cache = try open()
        let settle = { if committed { cache.flush() } }
        cache.setMetadata(Data("nothing".utf8), forKey: "key")
        settle()
        #expect(cache.metadata(forKey: "key") == nil)
        cache.setData(bytes(10), forKey: "key")
        settle()
        #expect(cache.metadata(forKey: "key") == nil)
        cache.setMetadata(Data("etag".utf8), forKey: "key")
        cache.setExtendedData(Data("mine".utf8), forKey: "key")
        settle()
        #expect(cache.metadata(forKey: "key") == Data("etag".utf8))
        #expect(cache.extendedData(forKey: "key") == Data("mine".utf8))
        cache.setMetadata(Data("etag 2".utf8), forKey: "key")
        settle()
        #expect(cache.metadata(forKey: "key") == Data("etag 2".utf8))
        #expect(cache.data(forKey: "key") == bytes(10))
        cache.setData(bytes(20), forKey: "key")
        settle()
        #expect(cache.metadata(forKey: "key") == nil)
        #expect(cache.extendedData(forKey: "key") == nil)
        cache.setMetadata(Data("etag 3".utf8), forKey: "key")
        cache.removeData(forKey: "key")
        cache.setMetadata(Data("late".utf8), forKey: "key")
        settle()
        #expect(cache.metadata(forKey: "key") == nil)
        #expect(cache.data(forKey: "key") == nil)
        cache.setData(bytes(20), forKey: "key")
        settle()
        #expect(cache.metadata(forKey: "key") == nil)
    }

    @Test func metadataOutlivesTheInstance() throws {
        var cache: DiskCache? = try open()
        cache?.setData(bytes(10), forKey: "key")
        cache?.setMetadata(Data("etag".utf8), forKey: "key")
        cache = nil
        #expect(try open().metadata(forKey: "key") == Data("etag".utf8))
    }

    @Test func checkpointRunsInTheBackground() throws {
        let cache = try open()
        for index in 0..<800 { cache.setData(bytes(20_000), forKey: "\(index)") }
        cache.flush()
        #expect(
            eventually {
                cache.store.checkpointing.withLock { _ in !cache.store.state.withLock { $0.isCheckpointScheduled } }
            })
        let index = folder.path + "/cache/index.sqlite"
        let size = try FileManager.default.attributesOfItem(atPath: index)[.size] as? Int ?? 0
        #expect(size > 8_000_000)
        #expect(cache.data(forKey: "799") == bytes(20_000))
    }
}
