import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests a failed commit of a batch. The cache keeps the entries for which the disk has space, and removed entries stay
/// removed.
@Suite(.serialized, .timeLimit(minutes: 1))
struct FailedCommitTests {
    let folder: ScratchFolder
    var path: String { folder.path + "/cache" }

    init() throws { folder = try ScratchFolder() }

    private var unlimited: ImageCacheConfig {
        var config = ImageCacheConfig()
        config.maxDiskSize = .max
        return config
    }

    private func open() throws -> DiskCache { try #require(DiskCache(cachePath: path, config: unlimited)) }

    /// Lets the index grow by at most `more` pages, to simulate a full disk. A nil value removes the limit.
    private func limit(_ writer: StoreWriter?, to more: Int?) {
        let pages = (try? writer?.database.integer("PRAGMA page_count")) ?? 0
        _ = try? writer?.database.integer("PRAGMA max_page_count = \(more.map { pages + $0 } ?? 1 << 30)")
    }

    @Test func failedCommitKeepsRemovalsAndWritesThatFit() throws {
        var cache: DiskCache? = try open()
        for number in 0..<4 { cache?.setData(bytes(30_000), forKey: "old \(number)") }
        cache?.flush()
        let store = try #require(cache).store
        // Hold the writer's lock during all changes, so that the changes are one batch.
        store.writer.withLock { slot in
            limit(slot, to: 4)
            for number in 0..<20 { store.setData(bytes(30_000, seed: UInt64(number)), forKey: "new \(number)") }
            for number in 0..<4 { store.removeData(forKey: "old \(number)") }
        }
        cache?.flush()
        store.writer.withLock { limit($0, to: nil) }
        cache = nil
        let later = try open()
        #expect((0..<4).allSatisfy { later.data(forKey: "old \($0)") == nil })
        let kept = (0..<20).filter { later.containsData(forKey: "new \($0)") }
        #expect(kept.count >= 4 && kept.count < 20, "\(kept)")
        #expect(kept.allSatisfy { later.data(forKey: "new \($0)") == bytes(30_000, seed: UInt64($0)) })
        #expect(later.totalCount() == kept.count)
    }

    @Test(.enabled(if: FailingFileSystem.isAvailable, "needs root and mount(8)"))
    func failedRemovalIsRetried() throws {
        let mount = try FailingFileSystem(bytes: 8 << 20)
        let path = mount.path + "/cache"
        var cache = DiskCache(cachePath: path, config: unlimited)
        cache?.setData(bytes(20_000), forKey: "gone")
        cache?.setData(bytes(20_000), forKey: "replaced")
        cache?.flush()
        let ballast = mount.path + "/ballast"
        #expect(FileManager.default.createFile(atPath: ballast, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: ballast))
        #expect(throws: (any Error).self) { while true { try file.write(contentsOf: Data(count: 4096)) } }
        // A removal needs space for SQLite's log. The disk is full, so the removals below fail at first.
        cache?.removeData(forKey: "gone")
        cache?.removeData(forKey: "replaced")
        cache?.flush()
        #expect(cache?.data(forKey: "gone") == nil && cache?.containsData(forKey: "replaced") == false)
        try file.close()
        try FileManager.default.removeItem(atPath: ballast)
        cache?.setData(bytes(10), forKey: "replaced")
        cache?.flush()
        cache = nil
        let later = try #require(DiskCache(cachePath: path, config: unlimited))
        #expect(later.data(forKey: "gone") == nil)
        #expect(later.data(forKey: "replaced") == bytes(10))
    }

    @Test func failedBatchIsSplitIntoPartsWithRemovalsFirst() {
        var batch = PendingWrites()
        let keys = (0..<4).map { KeyHash("\($0)") }
        batch.put(PendingWrite(data: Data([1]), time: 1), for: keys[0])
        batch.put(.init(data: Data([9]), time: 1), at: .init(key: keys[0], companion: .extended))
        batch.put(PendingWrite(data: nil, time: 1), for: keys[1])
        batch.put(PixelSize(width: 1, height: 2), for: keys[2])
        batch.put(.init(data: Data([8]), time: 1), at: .init(key: keys[3], companion: .metadata))
        let parts = batch.parts
        #expect(parts.count == 4 && parts[0].isRemoval && !parts[1].isRemoval)
        #expect(parts.reduce(0) { $0 + $1.additions.count } == 2 && parts.reduce(0) { $0 + $1.sizes.count } == 1)
        #expect(parts.contains { $0.writes[keys[0]] != nil && !$0.additions.isEmpty })
        var newer = PendingWrites()
        newer.put(PendingWrite(data: Data([2]), time: 2), for: keys[1])
        newer.restore(parts[0])
        #expect(newer.writes[keys[1]]?.data == Data([2]), "an entry stored later is removed")
    }
}
