import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageStore
import WebImageTestTraits
import WebImageTesting

/// If the cache folder is not writable, every call returns, and the cache logs one warning.
@Suite(.serialized, .timeLimit(minutes: 1))
struct HostileFolderTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    @Test(.enabled(if: FailingFileSystem.isAvailable, "needs root and mount(8)"))
    func fullDiskIsReportedOnceAndReadsContinue() throws {
        let mount = try FailingFileSystem(bytes: 1 << 20)
        let log = Recorder(containing: mount.path)
        defer { log.stop() }
        var config = ImageCacheConfig()
        config.maxDiskSize = .max
        let cache = try #require(DiskCache(cachePath: mount.path + "/cache", config: config))
        cache.setData(bytes(1000), forKey: "kept")
        cache.flush()
        for number in 0..<100 {
            cache.setData(bytes(number % 2 == 0 ? 100_000 : 15_000, seed: UInt64(number)), forKey: "\(number)")
            cache.flush()
        }
        for number in 0..<100 {
            let data = cache.data(forKey: "\(number)")
            #expect(data == nil || data == bytes(number % 2 == 0 ? 100_000 : 15_000, seed: UInt64(number)))
        }
        #expect(eventually { log.warnings.count == 1 })
        #expect(log.warnings.count == 1, "\(log.warnings)")
        cache.removeAllData()
        cache.setData(bytes(50_000), forKey: "again")
        cache.flush()
        #expect(cache.data(forKey: "again") == bytes(50_000))
    }

    @Test(.enabled(if: FailingFileSystem.isAvailable, "needs root and mount(8)"))
    func storeWorksAfterSpaceIsFreedOnAFullDisk() throws {
        let mount = try FailingFileSystem(bytes: 1 << 20)
        let ballast = mount.path + "/ballast"
        #expect(FileManager.default.createFile(atPath: ballast, contents: nil))
        #expect(throws: (any Error).self) {
            let file = try #require(FileHandle(forWritingAtPath: ballast))
            while true { try file.write(contentsOf: Data(count: 4096)) }
        }
        let now = Locked(Date())
        let opened = DiskCache(
            cachePath: mount.path + "/cache", config: ImageCacheConfig(), clock: { now.withLock { $0 } })
        let cache = try #require(opened)
        cache.setData(bytes(1000), forKey: "key")
        cache.flush()
        #expect(cache.data(forKey: "key") == nil)
        try FileManager.default.removeItem(atPath: ballast)
        now.withLock { $0 += 60 }
        cache.setData(bytes(1000), forKey: "key")
        cache.flush()
        #expect(cache.data(forKey: "key") == bytes(1000))
    }

    @Test(.enabled(if: FailingFileSystem.isAvailable, "needs root and mount(8)"))
    func readOnlyFolderIsReadAndReportedOnce() throws {
        let mount = try FailingFileSystem(bytes: 4 << 20)
        let path = mount.path + "/cache"
        DiskCache(cachePath: path, config: ImageCacheConfig())?.setData(bytes(50_000), forKey: "key")
        try mount.makeReadOnly()
        let log = Recorder(containing: mount.path)
        defer { log.stop() }
        let cache = try #require(DiskCache(cachePath: path, config: ImageCacheConfig()))
        #expect(cache.data(forKey: "key") == bytes(50_000))
        cache.setData(bytes(10), forKey: "new")
        cache.flush()
        cache.removeAllData()
        cache.removeExpiredData()
        #expect(cache.data(forKey: "key") == bytes(50_000))
        #expect(cache.totalCount() == 1)
        let elsewhere = try #require(DiskCache(cachePath: mount.path + "/other", config: ImageCacheConfig()))
        elsewhere.setData(bytes(10), forKey: "key")
        elsewhere.flush()
        #expect(elsewhere.data(forKey: "key") == nil)
        #expect(eventually { log.warnings.count == 2 })
        #expect(log.warnings.count == 2, "not one warning per folder: \(log.warnings)")
    }

    /// A process that is killed leaves its latest commits in the write-ahead log.
    @Test(.enabled(if: FailingFileSystem.isAvailable, "needs root and mount(8)"))
    func readOnlyFolderOfAKilledProcessIsRead() throws {
        let mount = try FailingFileSystem(bytes: 4 << 20)
        let (live, copy) = (folder.path + "/live", mount.path + "/cache")
        let running = try #require(DiskCache(cachePath: live, config: ImageCacheConfig()))
        running.setData(bytes(50_000), forKey: "file")
        running.setData(bytes(100), forKey: "row")
        running.flush()
        try withExtendedLifetime(running) { try FileManager.default.copyItem(atPath: live, toPath: copy) }
        try #require(try Data(contentsOf: URL(fileURLWithPath: copy + "/index.sqlite-wal")).count > 0)
        try mount.makeReadOnly()
        let cache = try #require(DiskCache(cachePath: copy, config: ImageCacheConfig()))
        #expect(cache.data(forKey: "file") == bytes(50_000))
        #expect(cache.data(forKey: "row") == bytes(100))
        #expect(cache.totalCount() == 2)
    }

    @Test func fileAtThePathOfTheFolderFailsNothing() throws {
        let path = folder.path + "/plain"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let log = Recorder(containing: path)
        defer { log.stop() }
        let cache = try #require(DiskCache(cachePath: path, config: ImageCacheConfig()))
        cache.setData(bytes(10), forKey: "key")
        cache.flush()
        #expect(cache.data(forKey: "key") == nil)
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
        #expect(eventually { log.warnings.count == 1 })
    }
}

/// A logger that records the warnings that contain a given path.
final class Recorder: WebImageLogging {
    private let messages = Locked<[String]>([])
    private let needle: String

    init(containing needle: String) {
        self.needle = needle
        WebImageLog.shared.destination = self
    }

    func stop() { WebImageLog.shared.destination = nil }
    var warnings: [String] { messages.withLock { $0 } }

    func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String]) {
        guard level >= .warning, message.contains(needle) else { return }
        messages.withLock { $0.append(message) }
    }
}
