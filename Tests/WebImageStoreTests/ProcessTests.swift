import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageStore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Tests several processes that use the same cache folder, and processes that are killed.
@Suite(.timeLimit(minutes: 2))
struct ProcessTests {
    let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    static func value(_ number: Int) -> Data { bytes(number % 4 == 0 ? 90_000 : 700, seed: UInt64(number)) }

    @Test(arguments: 0..<10)
    func killedWriterLosesNoCommitAndLeavesNoWrongBytes(round: Int) async throws {
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
            guard let cache = DiskCache(cachePath: path + "/cache", config: ImageCacheConfig()) else { return }
            var random = SeededRandom(seed: UInt64(round))
            let delay = UInt32(2000 + round * 3000) + UInt32.random(in: 0..<3000, using: &random)
            Thread.detachNewThread {
                // Use a real pause (in µs), so that the kill can reach the writer at any moment, even during a commit.
                usleep(delay)
                kill(getpid(), SIGKILL)
            }
            let journal = open(path + "/committed", O_CREAT | O_WRONLY, 0o600)
            for number in 0... {
                cache.setData(ProcessTests.value(number), forKey: "\(number)")
                if number % 5 == 4 {
                    cache.flush()
                    let line = String(number) + String(repeating: " ", count: 20 - String(number).count)
                    pwrite(journal, line, 20, 0)
                }
            }
        }
        let line = (try? String(contentsOfFile: path + "/committed", encoding: .utf8)) ?? ""
        let committed = Int(line.trimmingCharacters(in: .whitespaces)) ?? -1
        var opened: DiskCache?
        let units = ProcessorTime.units {
            opened = DiskCache(cachePath: path + "/cache", config: ImageCacheConfig())
        }
        #expect(units < 300)
        let cache = try #require(opened)
        var found = 0
        for number in 0..<committed + 200 {
            let data = cache.data(forKey: "\(number)")
            #expect(data == nil || data == Self.value(number))
            if number <= committed { #expect(data != nil, "\(number) of \(committed) was committed but is missing") }
            found += data == nil ? 0 : 1
        }
        #expect(cache.totalCount() == found)
        #expect(cache.verify().removed == 0)
    }

    @Test func twoProcessesShareAFolder() async throws {
        let path = folder.path + "/cache"
        let cache = try #require(DiskCache(cachePath: path, config: ImageCacheConfig()))
        let writer = Thread {
            for number in 0..<300 {
                cache.setData(Self.value(number), forKey: "parent \(number)")
                cache.setData(Self.value(number), forKey: "both \(number)")
            }
            cache.flush()
        }
        writer.start()
        await #expect(processExitsWith: .success) { [path = path as String] in
            guard let cache = DiskCache(cachePath: path, config: ImageCacheConfig()) else { exit(2) }
            for number in 0..<300 {
                cache.setData(ProcessTests.value(number), forKey: "child \(number)")
                cache.setData(ProcessTests.value(number), forKey: "both \(number)")
            }
            cache.flush()
            for number in 0..<300 where cache.data(forKey: "both \(number)") != ProcessTests.value(number) { exit(3) }
        }
        #expect(await eventually { writer.isFinished })
        for number in 0..<300 {
            for who in ["parent", "child", "both"] {
                #expect(cache.data(forKey: "\(who) \(number)") == Self.value(number), "\(who) \(number)")
            }
        }
        #expect(cache.totalCount() == 900)
        #expect(cache.verify().removed == 0)
    }

    @Test func instancesOfOneFolderSeeEachOther() throws {
        let path = folder.path + "/cache"
        let first = try #require(DiskCache(cachePath: path, config: ImageCacheConfig()))
        let second = try #require(DiskCache(cachePath: path, config: ImageCacheConfig()))
        first.setData(Self.value(1), forKey: "key")
        first.flush()
        #expect(second.data(forKey: "key") == Self.value(1))
        second.setData(Self.value(4), forKey: "key")
        second.flush()
        #expect(first.data(forKey: "key") == Self.value(4))
        second.removeAllData()
        #expect(first.data(forKey: "key") == nil)
        #expect(first.totalCount() == 0)
    }

    @Test func concurrentCallsOfEveryKindAreSafe() throws {
        let path = folder.path + "/cache"
        var config = ImageCacheConfig()
        config.maxDiskSize = 3_000_000
        let cache = try #require(DiskCache(cachePath: path, config: config))
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in 0..<200 {
                let number = (step * 7 + thread) % 50
                switch step % 5 {
                case 0, 1: cache.setData(Self.value(number), forKey: "\(number)")
                case 4 where step % 50 == 49: cache.removeData(forKey: "\(number)")
                default:
                    let data = cache.data(forKey: "\(number)")
                    #expect(data == nil || data == Self.value(number))
                }
            }
        }
        #expect(cache.verify().removed == 0)
    }

    /// Runs in a separate process, because other tests have open handles in this process.
    @Test func everyHandleIsClosed() async {
        let path = folder.path + "/cache"
        await #expect(processExitsWith: .success) { [path = path as String] in
            for round in 0..<50 {
                let cache = DiskCache(cachePath: path, config: ImageCacheConfig())
                for key in 0..<10 { cache?.setData(bytes(10 + round * 1000), forKey: "\(key)") }
                _ = cache?.data(forKey: "1")
                if round % 10 == 9 { cache?.removeAllData() }
                cache?.removeExpiredData()
            }
            exit(HandleLedger.live.isEmpty ? 0 : 1)
        }
    }

    /// If the process has no free file descriptor, the cache cannot open the file of an entry. The entry must not count
    /// as damaged.
    @Test func entryIsKeptWithoutFreeFileDescriptors() async {
        let path = folder.path + "/cache"
        await #expect(processExitsWith: .success) { [path = path as String] in
            guard let cache = DiskCache(cachePath: path, config: ImageCacheConfig()) else { exit(2) }
            cache.setData(bytes(100_000), forKey: "key")
            cache.flush()
            var held: [Int32] = []
            var limit = rlimit(rlim_cur: 256, rlim_max: 256)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            while true {
                let file = open("/dev/null", O_RDONLY)
                if file < 0 { break }
                held.append(file)
            }
            if cache.data(forKey: "key") != nil { exit(3) }
            for file in held { close(file) }
            exit(cache.data(forKey: "key") == bytes(100_000) ? 0 : 4)
        }
    }
}
