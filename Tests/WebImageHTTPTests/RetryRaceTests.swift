import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Every load ends, even if the wait before a retry ends immediately or the load is cancelled during the wait.
@Suite(.timeLimit(minutes: 1))
struct RetryRaceTests {
    /// A clock that runs scheduled work inside `schedule`. The wait thus ends before the downloader receives the
    /// handle of the wait.
    private struct ImpatientClock: DelayClock {
        private let system = SystemClock()
        var date: TimeInterval { system.date }
        var now: Duration { system.now }

        func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
            let work = ScheduledWork(work)
            work.run()
            return work
        }
    }

    private struct Retrying: DownloadRetryStrategy {
        let wait: Duration
        func delay(after failure: DownloadFailure) -> Duration? { failure.attempts < 4 ? wait : nil }
    }

    /// Returns a server behaviour that fails for three requests and succeeds for later requests.
    private func failing() -> FaultBehaviour {
        let count = Locked(0)
        return .dynamic { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number <= 3 ? .status(503) : .body(Data("a".utf8))
        }
    }

    private func expectEnd(_ wait: Duration, clock: any DelayClock) async throws {
        var config = WebImageDownloaderConfig.default
        config.retryStrategy = Retrying(wait: wait)
        config.maxConcurrentDownloads = 2
        try await withDownloader(config, clock: clock) { server, downloader in
            let ended = Collected<Data?>()
            for number in 0..<20 {
                server.route("/\(number)", failing())
                Task { ended.append(try? await downloader.fetch(server.url("/\(number)")).data) }
            }
            try await eventually("all ended") { ended.values.count == 20 }
            #expect(ended.values.allSatisfy { $0 == Data("a".utf8) })
            #expect(server.requests.count == 80)
        }
    }

    @Test func waitThatIsOverBeforeThePauseLosesNoLoad() async throws {
        try await expectEnd(.zero, clock: ImpatientClock())
    }

    @Test(arguments: [Duration.zero, .nanoseconds(1), .microseconds(1), .seconds(-1), .seconds(Int64.min / 2)])
    func shortestRetryWaitsLoseNoLoad(_ wait: Duration) async throws {
        try await expectEnd(wait, clock: SystemClock())
    }

    @Test func cancelDuringTheShortestRetryWaitLeavesNothing() async throws {
        var config = WebImageDownloaderConfig.default
        config.retryStrategy = Retrying(wait: .zero)
        try await withDownloader(config) { server, downloader in
            server.route("/a", .status(503))
            for _ in 0..<200 {
                let task = Task { try? await downloader.fetch(server.url("/a")).data }
                await Task.yield()
                task.cancel()
                _ = await task.value
            }
            try await eventually("no download is left") { downloader.currentDownloadCount == 0 }
        }
    }
}
