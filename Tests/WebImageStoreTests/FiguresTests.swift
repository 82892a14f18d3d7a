import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTesting

@testable import WebImageStore

/// Prints measured values but does not check them. Run with
/// `WEBIMAGE_FIGURES=1 swift test -c release -Xswiftc -enable-testing --filter Figures`.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_FIGURES"] != nil))
struct FiguresTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    func microseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        for index in 0..<count { body(index) }
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1000 / Double(count)
    }

    func report(_ name: String, _ value: Double, _ unit: String = "µs") {
        print("FIGURE \(name): \(String(format: "%.3f", value)) \(unit)")
    }

    @Test(arguments: [1000, 100_000])
    func diskReadsAndWritesAreMeasured(entries: Int) throws {
        var config = ImageCacheConfig()
        config.maxDiskSize = .max
        let path = folder.path + "/cache"
        var cache = try #require(DiskCache(cachePath: path, config: config))
        // Most values have only 200 bytes, so that 100,000 entries fit on the disk. In addition, 1,000 values have
        // 20 KiB, and 1,000 values have 64 KiB.
        let small = bytes(200)
        let value = bytes(20 * 1024)
        let file = bytes(64 * 1024 + 8)
        for index in 0..<entries {
            cache.setData(small, forKey: "https://example.com/pictures/\(index).jpg?size=large")
        }
        cache.flush()
        let put = microseconds(1000) { cache.setData(value, forKey: "https://example.com/value/\($0).jpg?size=large") }
        let flush = microseconds(1) { _ in cache.flush() }
        report("put 20 KB inline at \(entries), amortised", put + flush / 1000)
        let putFile = microseconds(1000) {
            cache.setData(file, forKey: "https://example.com/file/\($0).jpg?size=large")
        }
        let flushFile = microseconds(1) { _ in cache.flush() }
        report("put 64 KB file at \(entries), amortised", putFile + flushFile / 1000)
        for round in 0..<2 {
            let get = microseconds(1000) {
                _ = cache.data(forKey: "https://example.com/value/\(($0 &* 7919) % 1000).jpg?size=large")
            }
            report("get 20 KB inline at \(entries), round \(round)", get)
            let getFile = microseconds(1000) {
                _ = cache.data(forKey: "https://example.com/file/\(($0 &* 7919) % 1000).jpg?size=large")
            }
            report("get 64 KB file at \(entries), round \(round)", getFile)
        }
        let getSmall = microseconds(1000) {
            _ = cache.data(forKey: "https://example.com/pictures/\(($0 &* 7919) % entries).jpg?size=large")
        }
        report("get 200 B at \(entries)", getSmall)
        let miss = microseconds(1000) { _ = cache.data(forKey: "https://example.com/absent/\($0).jpg?size=large") }
        report("miss at \(entries)", miss)
        let single = microseconds(300) {
            cache.setData(value, forKey: "https://example.com/single/\($0).jpg")
            cache.flush()
        }
        report("put 20 KB with a commit each at \(entries)", single)
        let reopen = microseconds(20) { _ in
            if let opened = DiskCache(cachePath: path, config: config) { cache = opened }
        }
        report("open at \(entries)", reopen)
    }

    @Test(arguments: [1, 4, 8, 12, 16, 20, 24, 32, 48, 64, 100])
    func inlineAgainstFile(kilobytes: Int) throws {
        let folder = try StoreFolder(path: folder.path + "/raw")
        let value = bytes(kilobytes * 1024)
        let database = try Database(path: folder.index, mode: .readWrite)
        try database.execute(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE v(id INTEGER PRIMARY KEY, b BLOB)")
        let insert = try database.prepare("INSERT INTO v VALUES(?, ?)")
        let select = try database.prepare("SELECT b FROM v WHERE id = ?")
        let count = 500
        let putInline = try {
            try database.execute("BEGIN")
            let time = microseconds(count) { try? insert.run(.integer($0), .blob(value)) }
            let commit = microseconds(1) { _ in try? database.execute("COMMIT") }
            return time + commit / Double(count)
        }()
        let getInline = microseconds(count) { _ = try? select.first(.integer(($0 &* 7919) % count)) { $0.blob(0) } }
        let names = (0..<count).map { StoreFolder.name(of: KeyHash("\($0)"), generation: UInt64($0)) }
        let paths = names.compactMap(folder.file)
        let putFile = microseconds(count) { _ = FileTree.write(value, to: paths[$0]) }
        let getFile = microseconds(count) { _ = FileTree.read(paths[($0 &* 7919) % count], size: value.count) }
        print(
            "FIGURE \(kilobytes) KB:",
            String(
                format: "put inline %.1f file %.1f µs, get inline %.1f file %.1f µs", putInline, putFile, getInline,
                getFile))
    }

    @Test func hashing() {
        let key = "https://images.example.com/collections/2024/landscape/0123456789abcdef/large.jpg?w=1200&h=800&q=80"
        report("key hash of \(key.utf8.count) bytes", microseconds(20_000) { _ in _ = KeyHash(key) })
        let value = bytes(20 * 1024)
        report("checksum of 20 KB", microseconds(5000) { _ in _ = Checksum.of(value) })
    }

    @Test func memoryHitAgainstDictionaryUnderALock() throws {
        let keys = (0..<10_000).map { "https://images.example.com/collections/2024/landscape/\($0)/large.jpg?w=1200" }
        var config = ImageCacheConfig()
        config.maxMemoryCost = .max
        let cache = MemoryCache(config: config)
        let pixels = try PixelBuffer(width: 1, height: 1, format: .gray8)
        var plain: [String: Image] = [:]
        for key in keys {
            let image = Image(pixels: pixels)
            plain[key] = image
            cache.setObject(image, forKey: key, cost: 64)
        }
        let locked = Locked(plain)
        for _ in 0..<3 {
            let ours = microseconds(1_000_000) { _ = cache.object(forKey: keys[($0 &* 7919) % 10_000]) }
            let bare = microseconds(1_000_000) { index in _ = locked.withLock { $0[keys[(index &* 7919) % 10_000]] } }
            report("memory hit", ours * 1000, "ns")
            report("dictionary under the lock", bare * 1000, "ns")
        }
    }
}
