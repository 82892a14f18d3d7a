import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// The number of threads does not grow with the number of loads.
@Suite(.timeLimit(minutes: 1))
struct ThreadCountTests {
    /// Loads `count` pictures with progress at the same time. Returns the maximum number of threads of the process,
    /// without those of the server and of this measurement.
    private static func mostThreads(during count: Int) async throws -> Int {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = count
        let journey = try Journey(config: config)
        let file = try Journey.file(width: 200, height: 200)
        for number in 0..<count {
            var response = FaultResponse(.data(file), headers: ["Content-Type": "image/png"])
            (response.piece, response.interval) = (max(file.count / 20, 1), .milliseconds(10))
            journey.server.route("/\(number).png", .respond(response))
        }
        let (most, isDone) = (Locked(0), Locked(false))
        let watching = Thread {
            while !isDone.withLock({ $0 }) {
                let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
                // The server has one thread for each connection and one that accepts connections.
                let own = all - journey.server.connectionCount - 2
                most.withLock { $0 = max($0, own) }
                usleep(2000)
            }
        }
        watching.start()
        let received = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    _ = try await journey.manager.image(
                        for: journey.server.url("/\(number).png"), options: .progressiveLoad,
                        progress: { _, _, _ in received.withLock { $0 += 1 } })
                }
            }
            try await group.waitForAll()
        }
        isDone.withLock { $0 = true }
        precondition(received.withLock { $0 } >= count)
        return most.withLock { $0 }
    }

    /// Runs in a process of its own, because other tests have threads too.
    @Test(arguments: [8, 32]) func loadsWithProgressUseAFewThreads(count: Int) async {
        await #expect(processExitsWith: .success) { [count = count as Int] in
            let most = try await Self.mostThreads(during: count)
            // Decoding and the cooperative pool have a thread for each core. The constant is for the blocks of
            // downloads, files, the network, timers, the disk index and the main thread.
            let limit = 2 * max(2, ProcessInfo.processInfo.activeProcessorCount) + 14
            precondition(most <= limit, "\(most) threads for \(count) loads")
        }
    }
}
