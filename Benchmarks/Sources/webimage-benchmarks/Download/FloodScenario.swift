import Foundation
import WebImage
import WebImageTesting

/// Ten thousand requests of a hundred URLs at once, a tenth of them cancelled at random: what the server sees, and what
/// stays in memory.
enum FloodScenario {
    static func run(rounds: Int) throws {
        let server = try FaultServer()
        defer { server.stop() }
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 20
        let downloader = WebImageDownloader(config: config)
        defer { downloader.shutdown() }
        print("flood: 10000 requests of 100 URLs, about a tenth cancelled")
        for round in 0..<rounds {
            let gate = FaultGate()
            for number in 0..<100 {
                server.route("/\(round)/\(number)", .gated(gate, .respond(FaultResponse(.zeros(20_000)))))
            }
            let before = server.requests.count
            let start = ContinuousClock.now
            let done = DispatchSemaphore(value: 0)
            Task {
                let finished = await flood(server, downloader, gate, round)
                let time = ContinuousClock.now - start
                let memory = Double(ProcessMemory.anonymousBytes ?? 0) / 1e6
                print(
                    "  round \(round + 1): \(server.requests.count - before) hits, \(finished) finished,",
                    String(format: "%.0f ms, %.1f MB", time / .milliseconds(1), memory))
                done.signal()
            }
            done.wait()
        }
        fflush(nil)
    }

    private static func flood(
        _ server: FaultServer, _ downloader: WebImageDownloader, _ gate: FaultGate, _ round: Int
    ) async -> Int {
        let arrived = Arrivals()
        let tasks = (0..<10_000).map { number in
            Task {
                let load = ImageDataLoad(url: server.url("/\(round)/\(number % 100)"))
                let result = try? await downloader.loadData(for: load) { _, _, _ in arrived.insert(number) }
                arrived.insert(number)
                return result?.data.count == 20_000
            }
        }
        // Nobody is to come when a download has ended: that would be another one. The first of each URL stays.
        for task in tasks.dropFirst(100) where Int.random(in: 0..<20) == 0 { task.cancel() }
        while arrived.count < tasks.count { try? await Task.sleep(for: .milliseconds(1)) }
        gate.open()
        for task in tasks.dropFirst(100) where Int.random(in: 0..<20) == 0 { task.cancel() }
        var finished = 0
        for task in tasks where await task.value { finished += 1 }
        return finished
    }
}

/// Who has joined a download.
private final class Arrivals: @unchecked Sendable {
    // Unchecked is true because `numbers` is touched under the lock alone.
    private var numbers: Set<Int> = []
    private let lock = NSLock()
    var count: Int { lock.withLock { numbers.count } }
    func insert(_ number: Int) { _ = lock.withLock { numbers.insert(number) } }
}
