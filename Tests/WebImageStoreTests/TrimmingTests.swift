import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests that the cache removes all of many entries at once, and what the removal costs.
@Suite(.timeLimit(minutes: 1))
struct TrimmingTests {
    let folder: ScratchFolder
    let now = Locked(Date(timeIntervalSince1970: 1_800_000_000))
    var path: String { folder.path + "/cache" }
    var valueFiles: Int { folder.files.count { $0.contains("/files/") } }

    init() throws { folder = try ScratchFolder() }

    func open() throws -> DiskCache {
        var config = ImageCacheConfig()
        config.maxDiskSize = .max
        let now = now
        let cache = DiskCache(cachePath: path, config: config, clock: { now.withLock { $0 } })
        return try #require(cache)
    }

    func trim(_ cache: DiskCache, to bytes: Int) {
        var config = ImageCacheConfig()
        config.maxDiskSize = bytes
        cache.configDidChange(config)
        cache.setData(Data(count: 10), forKey: "last")
        cache.flush()
    }

    @Test func moreRowsThanABatchAreTrimmed() throws {
        let cache = try open()
        for key in 0..<StoreTrimmer.rowsPerBatch + 2000 { cache.setData(Data(count: 10), forKey: "\(key)") }
        cache.flush()
        trim(cache, to: 10_000)
        #expect(cache.totalSize() <= 10_000)
        #expect(cache.totalCount() > 900)
        let size = cache.totalSize()
        let count = cache.totalCount()
        cache.store.write { writer throws(DatabaseError) in try writer.repairTotals() }
        #expect(cache.totalSize() == size)
        #expect(cache.totalCount() == count)
    }

    @Test func pixelSizesOfGoneEntriesAreBounded() throws {
        let cache = try open()
        for key in 0..<3000 {
            cache.setPixelSize(PixelSize(width: key + 1, height: 7), forKey: "\(key)")
            if key < 300 { cache.setData(Data(count: 10), forKey: "\(key)") }
        }
        cache.flush()
        cache.store.write { writer throws(DatabaseError) in
            for shard in 0...UInt8.max { try StoreSweep(writer, shard: shard).removeExcessPixelSizes(limit: 2) }
        }
        let kept = (0..<3000).filter { cache.pixelSize(forKey: "\($0)") == PixelSize(width: $0 + 1, height: 7) }
        // When pixel sizes are pruned, the sizes of all existing entries (0 to 299) stay.
        #expect(kept.prefix(300) == Array(0..<300)[...])
        #expect(kept.count <= 300 + 2 * 256 && kept.count > 300)
        cache.store.write { writer throws(DatabaseError) in
            for shard in 0...UInt8.max { try StoreSweep(writer, shard: shard).removeExcessPixelSizes() }
        }
        #expect((0..<3000).count { cache.pixelSize(forKey: "\($0)") != nil } == kept.count)
    }

    @Test func moreFilesThanABatchAreTrimmedAndRemoved() throws {
        let cache = try open()
        let value = bytes(StoreFormat.inlineLimit + 1)
        let count = StoreTrimmer.filesPerBatch * 2 + 100
        for key in 0..<count { cache.setData(value, forKey: "\(key)") }
        cache.flush()
        #expect(valueFiles == count)
        trim(cache, to: value.count * 20)
        #expect(cache.totalSize() <= value.count * 20)
        #expect(valueFiles == cache.totalCount() - 1)
        #expect(cache.totalCount() >= 18)
    }

    /// The cache must not overwrite freed pages. If SQLite was built with secure deletion, it overwrites freed pages by
    /// default.
    @Test func evictedValuesAreNotOverwritten() throws {
        let cache = try open()
        for key in 0..<400 {
            cache.setData(bytes(20_000, seed: UInt64(key)), forKey: "\(key)")
            now.withLock { $0 += 1 }
        }
        cache.flush()
        let other = try Database(path: path + "/index.sqlite", mode: .readWrite)
        // Repeat the checkpoint until it succeeds. SQLite refuses it while the cache runs a checkpoint.
        #expect(eventually { (try? other.integer("PRAGMA wal_checkpoint(TRUNCATE)")) == 0 })
        let folder = try #require(cache.store.writer.withLock { $0?.folder })
        #expect(folder.logBytes == 0)
        trim(cache, to: 4_000_000)
        #expect(cache.totalCount() < 200)
        // If the trim overwrote the freed pages, the log would contain 6.5 MB for 200 values.
        #expect(folder.logBytes < 2_000_000, "\(folder.logBytes)")
    }

    @Test func entriesOfOneCommitKeepTheirOrder() throws {
        let cache = try open()
        cache.store.writer.withLock { _ in
            for key in 0..<300 {
                cache.setData(bytes(10), forKey: "\(key)")
                now.withLock { $0 += 1 }
            }
        }
        cache.flush()
        let index = try Database(path: path + "/index.sqlite", mode: .readOnly)
        let rows = try index.prepare("SELECT id FROM entry ORDER BY accessed")
        var ids: [Int] = []
        try rows.each {
            ids.append($0.integer(0))
            return false
        }
        #expect(ids.count == 300)
        #expect(ids == ids.sorted())
    }

    @Test func aValueFileNeverReplacesAnother() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(FileTree.write(bytes(100), to: path + "/value") == 0)
        #expect(FileTree.write(bytes(50), to: path + "/value") == EEXIST)
        #expect(FileManager.default.contents(atPath: path + "/value") == bytes(100))
    }
}
