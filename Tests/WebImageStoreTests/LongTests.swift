import Foundation
import Testing
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageStore

/// Tests that take minutes. They run only with `Scripts/test --long`.
@Suite(
    .serialized, .enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil, "Scripts/test --long"),
    .timeLimit(minutes: 20))
struct LongTests {
    let folder: ScratchFolder
    var path: String { folder.path + "/cache" }

    init() throws { folder = try ScratchFolder() }

    /// In each of 100 rounds, two processes write to one folder until they are killed at random moments.
    @Test func twoWritersKilled200TimesLoseNoCommitAndReturnNoWrongBytes() async throws {
        var everCommitted: [String: Int] = [:]
        var slowest = 0.0
        for round in 0..<100 {
            // Remove the journals of the previous round. A writer can be killed before it creates a new journal.
            for who in ["a", "b"] { unlink(folder.path + "/committed-\(who)") }
            async let first: Void = writeAndDie("a", round)
            async let second: Void = writeAndDie("b", round)
            _ = await (first, second)
            for who in ["a", "b"] {
                let line = (try? String(contentsOfFile: folder.path + "/committed-\(who)", encoding: .utf8)) ?? ""
                everCommitted["\(who) \(round)"] = Int(line.trimmingCharacters(in: .whitespaces)) ?? -1
            }
            let started = Date()
            let cache = try #require(DiskCache(cachePath: path, config: Self.unlimited))
            slowest = max(slowest, Date().timeIntervalSince(started))
            for who in ["a", "b"] {
                let committed = everCommitted["\(who) \(round)"] ?? -1
                for number in 0..<committed + 100 {
                    let data = cache.data(forKey: "\(who) \(round) \(number)")
                    #expect(data == nil || data == ProcessTests.value(number))
                    if number <= committed { #expect(data != nil, "\(who) \(round) \(number) is missing") }
                }
                for number in 0..<20 {
                    guard let data = cache.data(forKey: "both \(number)") else { continue }
                    let written = Int(String(decoding: data.prefix(10), as: UTF8.self)) ?? -1
                    #expect((written - 1_000_000_000) % 20 == number)
                    #expect(data == Self.numbered(written - 1_000_000_000))
                }
            }
        }
        let cache = try #require(DiskCache(cachePath: path, config: Self.unlimited))
        for (writer, last) in everCommitted where last >= 0 {
            for number in stride(from: 0, through: last, by: 7) {
                #expect(cache.data(forKey: "\(writer) \(number)") == ProcessTests.value(number))
            }
        }
        #expect(cache.verify().removed == 0)
        #expect(slowest < 1)
        print("FIGURE kill: slowest opening after a kill \(slowest * 1000) ms, entries \(cache.totalCount())")
    }

    /// Returns a value that contains `number` in its first ten bytes.
    static func numbered(_ number: Int) -> Data {
        Data(String(1_000_000_000 + number).utf8) + ProcessTests.value(number)
    }

    private func writeAndDie(_ who: String, _ round: Int) async {
        let path = folder.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, who = who as String, round = round as Int] in
            guard let cache = DiskCache(cachePath: path + "/cache", config: LongTests.unlimited) else { return }
            var random = SeededRandom(seed: UInt64(round))
            let delay = UInt32.random(in: 1000..<60_000, using: &random)
            Thread.detachNewThread {
                // Use a real pause (in µs), so that the kill can reach the writer at any moment, even during a commit.
                usleep(delay)
                kill(getpid(), SIGKILL)
            }
            let journal = open(path + "/committed-\(who)", O_CREAT | O_WRONLY | O_TRUNC, 0o600)
            for number in 0... {
                cache.setData(ProcessTests.value(number), forKey: "\(who) \(round) \(number)")
                cache.setData(LongTests.numbered(number), forKey: "both \(number % 20)")
                if number % 5 == 4 {
                    cache.flush()
                    let line = String(number) + String(repeating: " ", count: 20 - String(number).count)
                    pwrite(journal, line, 20, 0)
                }
            }
        }
    }

    @Test func millionEntriesOpenQuicklyAndEvictionCostsPerEvictedEntry() throws {
        var config = Self.unlimited
        var cache = DiskCache(cachePath: path, config: config)
        let value = bytes(200)
        for number in 0..<1_000_000 { cache?.setData(value, forKey: "https://example.com/\(number).jpg") }
        cache?.flush()
        #expect(cache?.totalCount() == 1_000_000)
        cache = nil
        var openings: [Double] = []
        for _ in 0..<11 {
            openings.append(
                milliseconds {
                    cache = DiskCache(cachePath: path, config: config)
                    #expect(cache?.containsData(forKey: "https://example.com/999999.jpg") == true)
                })
            cache = nil
        }
        let opening = openings.sorted()[5]
        #expect(opening <= 50)
        let opened = try #require(DiskCache(cachePath: path, config: config))
        let get = milliseconds {
            for step in 0..<2000 {
                #expect(opened.data(forKey: "https://example.com/\((step &* 499_979) % 1_000_000).jpg") == value)
            }
        }
        let totals = milliseconds { #expect(opened.totalSize() == 200_000_000) }
        var evictions: [(count: Int, time: Double)] = []
        for kept in [199_800_000, 197_800_000, 177_800_000] {
            let before = opened.totalCount()
            config.maxDiskSize = kept
            opened.configDidChange(config)
            // The cache applies its size limit when a value is stored. It then trims to one sixteenth below the limit.
            opened.setData(value, forKey: "one more \(kept)")
            let time = milliseconds { opened.flush() }
            #expect(opened.totalSize() <= kept)
            evictions.append((before - opened.totalCount(), time))
        }
        print(
            "FIGURE a million: open \(opening) ms, get 200 B \(get / 2) µs, totals \(totals) ms, evictions",
            evictions.map { "\($0.count) in \($0.time) ms" })
    }

    private func milliseconds(_ body: () -> Void) -> Double {
        let start = DispatchTime.now().uptimeNanoseconds
        body()
        return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
    }

    static var unlimited: ImageCacheConfig {
        var config = ImageCacheConfig()
        config.maxDiskSize = .max
        return config
    }
}
