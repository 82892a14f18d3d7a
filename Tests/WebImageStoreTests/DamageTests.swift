import Foundation
import Testing
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests how a cache behaves if its files are damaged.
@Suite(.timeLimit(minutes: 1))
struct DamageTests {
    let folder: ScratchFolder
    var path: String { folder.path + "/cache" }
    var index: String { path + "/index.sqlite" }

    init() throws { folder = try ScratchFolder() }

    func open() throws -> DiskCache { try #require(DiskCache(cachePath: path, config: ImageCacheConfig())) }

    @Test(arguments: ["flip", "truncate", "extend", "delete", "link", "folder"])
    func damagedFileIsAMissAndItsEntryIsRemoved(damage: String) throws {
        let cache = try open()
        cache.setData(bytes(100_000), forKey: "key")
        cache.setData(bytes(100_000, seed: 2), forKey: "other")
        cache.flush()
        let file = try #require(cache.cachePath(forKey: "key"))
        var contents = try #require(FileManager.default.contents(atPath: file))
        switch damage {
        case "flip": contents[50_000] ^= 1
        case "truncate": contents.removeLast()
        case "extend": contents.append(0)
        default: try FileManager.default.removeItem(atPath: file)
        }
        switch damage {
        case "delete": break
        case "link": try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/etc/passwd")
        case "folder": try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        default: try contents.write(to: URL(fileURLWithPath: file))
        }
        #expect(cache.data(forKey: "key") == nil)
        #expect(!cache.containsData(forKey: "key"))
        #expect(cache.totalCount() == 1)
        #expect(cache.totalSize() == 100_000)
        #expect(cache.data(forKey: "other") == bytes(100_000, seed: 2))
        cache.setData(bytes(100_000, seed: 3), forKey: "key")
        #expect(cache.data(forKey: "key") == bytes(100_000, seed: 3))
    }

    @Test func damagedInlineValueIsAMiss() throws {
        var cache: DiskCache? = try open()
        cache?.setData(bytes(5000), forKey: "key")
        cache = nil
        let database = try Database(path: index, mode: .readWrite)
        try database.execute("UPDATE value SET bytes = zeroblob(5000)")
        cache = try open()
        #expect(cache?.data(forKey: "key") == nil)
        #expect(cache?.totalCount() == 0)
    }

    /// A damaged row can contain any values. The cache must check a value against the stored data before it uses the
    /// value, for example to allocate memory.
    @Test(arguments: [
        "UPDATE entry SET size = 9000000000000000000", "UPDATE entry SET size = -1",
        "UPDATE entry SET file = '../../../../etc/passwd'", "UPDATE entry SET file = 'x'",
        "UPDATE entry SET file = NULL",
        "UPDATE entry SET checksum = 'text'", "UPDATE entry SET file = 17",
    ])
    func contradictoryRowIsAMiss(lie: String) throws {
        var cache: DiskCache? = try open()
        cache?.setData(bytes(100_000), forKey: "key")
        cache = nil
        try Database(path: index, mode: .readWrite).execute(lie)
        cache = try open()
        #expect(cache?.data(forKey: "key") == nil)
        #expect(cache?.containsData(forKey: "key") == false)
    }

    @Test(arguments: ["garbage", "empty", "other program", "header only", "middle"])
    func damagedIndexIsRenamedAndReplaced(damage: String) throws {
        var cache: DiskCache? = try open()
        for key in 0..<200 { cache?.setData(bytes(3000, seed: UInt64(key)), forKey: "\(key)") }
        cache = nil
        switch damage {
        case "garbage": try bytes(10_000).write(to: URL(fileURLWithPath: index))
        case "empty": try Data().write(to: URL(fileURLWithPath: index))
        case "header only":
            try #require(FileManager.default.contents(atPath: index)).prefix(100)
                .write(to: URL(fileURLWithPath: index))
        case "middle":
            var contents = try #require(FileManager.default.contents(atPath: index))
            contents.replaceSubrange(4096..<contents.count - 4096, with: bytes(contents.count - 8192))
            try contents.write(to: URL(fileURLWithPath: index))
        default:
            try FileManager.default.removeItem(atPath: index)
            try Database(path: index, mode: .readWrite).execute("CREATE TABLE theirs(x)")
        }
        cache = try open()
        for key in 0..<200 {
            let found = cache?.data(forKey: "\(key)")
            #expect(found == nil || found == bytes(3000, seed: UInt64(key)))
        }
        cache?.setData(bytes(3000), forKey: "new")
        cache?.flush()
        cache?.setData(bytes(3000), forKey: "new")
        cache?.flush()
        cache = nil
        cache = try open()
        #expect(cache?.data(forKey: "new") == bytes(3000))
        #expect(FileManager.default.fileExists(atPath: index + ".damaged") == (damage != "empty"))
    }

    @Test func newerFormatIsKeptAndASecondFolderIsUsed() throws {
        var cache: DiskCache? = try open()
        cache?.setData(bytes(10), forKey: "key")
        cache = nil
        try Database(path: index, mode: .readWrite).execute("PRAGMA user_version = 99")
        cache = try open()
        #expect(cache?.data(forKey: "key") == nil)
        cache?.setData(bytes(10), forKey: "new")
        cache = nil
        #expect(FileManager.default.fileExists(atPath: path + ".v2/index.sqlite"))
        #expect(try Database(path: index, mode: .readOnly).integer("SELECT count(*) FROM entry") == 1)
        #expect(try open().data(forKey: "new") == bytes(10))
    }

    @Test func removedFolderIsCreatedAgain() throws {
        let cache = try open()
        cache.setData(bytes(10), forKey: "old")
        cache.flush()
        try FileManager.default.removeItem(atPath: path)
        cache.setData(bytes(100_000), forKey: "new")
        cache.flush()
        #expect(cache.data(forKey: "new") == bytes(100_000))
        #expect(try open().data(forKey: "new") == bytes(100_000))
    }

    @Test func verifyFindsExactlyTheDamagedEntries() throws {
        let cache = try open()
        for key in 0..<150 { cache.setData(bytes(key % 3 == 0 ? 90_000 : 300, seed: UInt64(key)), forKey: "\(key)") }
        cache.flush()
        for key in [0, 30, 60] {
            try FileManager.default.removeItem(atPath: #require(cache.cachePath(forKey: "\(key)")))
        }
        let first = cache.verify()
        #expect(first.checked == 150)
        #expect(first.removed == 3)
        let second = cache.verify()
        #expect(second.checked == 147)
        #expect(second.removed == 0)
        #expect(cache.totalCount() == 147)
    }

    @Test func onlyOrphanedFilesAreRemoved() throws {
        let cache = try open()
        cache.setData(bytes(90_000), forKey: "key")
        cache.flush()
        let kept = try #require(cache.cachePath(forKey: "key"))
        let shard = (kept as NSString).deletingLastPathComponent
        let number = try #require(UInt8((shard as NSString).lastPathComponent, radix: 16))
        let digits = (shard as NSString).lastPathComponent
        let orphan = shard + "/" + digits + String(repeating: "0", count: 30) + "-0123456789abcdef"
        for path in [orphan, kept + ".tmp"] { try bytes(10).write(to: URL(fileURLWithPath: path)) }
        cache.store.write { writer throws(DatabaseError) in
            try StoreSweep(writer, shard: number).removeOrphanedFiles()
        }
        #expect(FileManager.default.fileExists(atPath: orphan))
        cache.store.write { writer throws(DatabaseError) in
            try StoreSweep(writer, shard: number).removeOrphanedFiles(olderThan: -10)
        }
        #expect(!FileManager.default.fileExists(atPath: orphan))
        #expect(!FileManager.default.fileExists(atPath: kept + ".tmp"))
        #expect(cache.data(forKey: "key") == bytes(90_000))
    }
}
