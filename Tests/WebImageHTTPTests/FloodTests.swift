import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Runs thousands of loads concurrently and cancels some of them. Each URL must be requested only once, each
/// load must complete exactly once, and all memory must be freed.
///
/// Each test runs in its own process. In a shared process, the allocator could not return pages that still
/// hold data of earlier tests, which would distort the measured memory.
@Suite(.serialized, .timeLimit(minutes: 10))
struct FloodTests {
    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil

    @Test func tenThousandRequestsOfAHundredURLsAreAHundredHits() async throws {
        await #expect(processExitsWith: .success) { try await Self.flood(requests: 10_000, urls: 100, rounds: 6) }
    }

    @Test(.enabled(if: isLong, "set WEBIMAGE_LONG")) func hundredThousandRequestsOfOneURLAreOneHit() async throws {
        await #expect(processExitsWith: .success) { try await Self.flood(requests: 100_000, urls: 1, rounds: 6) }
    }

    /// Runs the loads in rounds and compares the memory of the last rounds with that of the first rounds. The
    /// first rounds allocate threads, pools and allocator arenas, which are not freed. If later rounds add memory,
    /// loads leak memory.
    private static func flood(requests: Int, urls: Int, rounds: Int) async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 20
        // The server sends nothing until all loads have joined. With the default timeout of 15 s, the
        // downloader would end these downloads as stalled.
        config.downloadTimeout = 600
        try await withDownloader(config) { server, downloader in
            var memory: [Int] = []
            var allocated: [Int] = []
            for round in 0..<rounds {
                let gate = FaultGate()
                for number in 0..<urls {
                    server.route("/\(round)/\(number)", .gated(gate, .respond(FaultResponse(.zeros(20_000)))))
                }
                let (finished, cancelled) = try await run(requests, urls, round, gate, server, downloader)
                #expect(finished + cancelled == requests)
                #expect(finished >= urls && cancelled > 0)
                #expect(server.requests.count == urls * (round + 1))
                #expect(downloader.currentDownloadCount == 0)
                giveBackFreePages()
                memory.append(try #require(ProcessMemory.anonymousBytes))
                if ProcessMemory.isMeasurable { allocated.append(try #require(ProcessMemory.allocatedBytes)) }
            }
            guard ProcessMemory.isMeasurable else { return }
            #expect(growth(allocated) < 8 << 20, "\(allocated)")
            // `memory` contains only pages that are in use, because each round ends with `giveBackFreePages()`.
            #expect(growth(memory) < max(16 << 20, memory[0] / 5), "\(memory)")
        }
    }

    private static func giveBackFreePages() {
        typealias Trim = @convention(c) (Int) -> Int32
        if let symbol = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(symbol, to: Trim.self)(0) }
    }

    /// Returns the growth in bytes from the median of the first three rounds to the median of the last three
    /// rounds. Medians are used because the memory of a single round varies by some megabytes.
    private static func growth(_ rounds: [Int]) -> Int { rounds.suffix(3).sorted()[1] - rounds.prefix(3).sorted()[1] }

    private static func run(
        _ requests: Int, _ urls: Int, _ round: Int, _ gate: FaultGate, _ server: FaultServer,
        _ downloader: WebImageDownloader
    ) async throws -> (finished: Int, cancelled: Int) {
        let ends = Locked((finished: 0, cancelled: 0))
        let arrived = Locked<Set<Int>>([])
        var tasks: [Task<Void, Never>] = []
        var random = SeededRandom.printingSeed()
        for number in 0..<requests {
            let url = server.url("/\(round)/\(number % urls)")
            tasks.append(
                Task {
                    // The first progress report shows that the load has joined its download.
                    let result = try? await downloader.fetch(url) { _, _, _ in
                        _ = arrived.withLock { $0.insert(number) }
                    }
                    let isWhole = result?.data.count == 20_000
                    ends.withLock { if isWhole { $0.finished += 1 } else { $0.cancelled += 1 } }
                    _ = arrived.withLock { $0.insert(number) }
                })
            // Never cancel the first load of a URL (its number is below `urls`). Otherwise a download could
            // lose its last subscriber, and a later load would request the URL again.
            let victim = Int.random(in: 0...number, using: &random)
            if victim >= urls { tasks[victim].cancel() }
        }
        // Open the gate only after all loads have joined. A load that joins after the end of its download
        // would request the URL again. The wait is long, because a debug build starts few loads per second.
        try await eventually("all arrived", within: Double(max(30, requests / 1000))) {
            arrived.withLock { $0.count } == requests
        }
        gate.open()
        for task in tasks.dropFirst(urls) where Int.random(in: 0..<10, using: &random) == 0 { task.cancel() }
        for task in tasks { await task.value }
        return ends.withLock { $0 }
    }
}
