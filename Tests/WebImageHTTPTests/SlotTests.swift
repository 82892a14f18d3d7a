import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Checks when a download of `downloadImage` frees its slot, so that the next download can start.
@Suite(.timeLimit(minutes: 1))
struct SlotTests {
    /// The built-in operation with a counter of the started operations for each server port.
    private final class CountedOperation: WebImageDownloaderOperation, @unchecked Sendable {
        // `@unchecked Sendable` is safe, because the class adds no stored instance properties.
        static let made = Locked<[String: Int]>([:])
        override func start(_ sink: any WebImageDownloaderSink) {
            let server = "\(request.url.port ?? 0)"
            Self.made.withLock { $0[server, default: 0] += 1 }
            super.start(sink)
        }
    }

    private var config: WebImageDownloaderConfig {
        var config = WebImageDownloaderConfig.default
        (config.maxConcurrentDownloads, config.operationClass) = (1, CountedOperation.self)
        return config
    }

    @Test func theNextDownloadStartsAfterTheCompletion() async throws {
        try await withDownloader(config) { server, downloader in
            let made = Collected<Int>()
            let context: WebImageContext = [.imageCoder: FakeCoder(), .callbackQueue: CallbackQueue.invoking]
            for number in 0..<10 {
                // Every third body is not an image, so that failed decodes are tested too.
                server.route("/\(number)", .body(number % 3 == 1 ? Data("no".utf8) : FakeCoder.file()))
            }
            let port = "\(server.port)"
            for url in (0..<10).map({ server.url("/\($0)") }) {
                downloader.downloadImage(with: url, context: context) { _, _, _, _ in
                    made.append(CountedOperation.made.withLock { $0[port] ?? 0 })
                }
            }
            try await eventually("all ended") { made.values.count == 10 }
            #expect(made.values == Array(1...10))
        }
    }

    @Test func blockedCompletionQueueHoldsNoSlot() async throws {
        try await withDownloader(config) { server, downloader in
            for number in 0..<3 { server.route("/\(number)", .body(FakeCoder.file())) }
            let (queue, isReleased) = (DispatchQueue(label: "blocked"), DispatchSemaphore(value: 0))
            queue.async { isReleased.wait() }
            let blocked: WebImageContext = [
                .imageCoder: FakeCoder(), .callbackQueue: CallbackQueue(queue: queue, policy: .dispatch),
            ]
            let ended = Collected<String>()
            for number in 0..<3 {
                downloader.downloadImage(with: server.url("/\(number)"), context: blocked) { _, _, _, _ in
                    ended.append("\(number)")
                }
            }
            try await eventually("all were fetched") { server.requests.count == 3 }
            #expect(ended.values.isEmpty)
            isReleased.signal()
            try await eventually("all ended") { ended.values == ["0", "1", "2"] }
        }
    }

    @Test func aCompletionThatDoesNotReturnKeepsItsSlotForASecond() async throws {
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            for number in 0..<2 { server.route("/\(number)", .body(FakeCoder.file())) }
            let context: WebImageContext = [.imageCoder: FakeCoder(), .callbackQueue: CallbackQueue.invoking]
            let (isCalled, isReleased) = (Collected<Int>(), DispatchSemaphore(value: 0))
            defer { isReleased.signal() }
            downloader.downloadImage(with: server.url("/0"), context: context) { _, _, _, _ in
                isCalled.append(0)
                isReleased.wait()
            }
            downloader.downloadImage(with: server.url("/1"), context: context) { _, _, _, _ in isCalled.append(1) }
            try await eventually("the first completion runs") { isCalled.values == [0] }
            #expect(server.requests.count == 1)
            clock.advance(by: .seconds(1))
            try await eventually("the second ended") { isCalled.values == [0, 1] }
        }
    }

    @Test func aCancelledCallerFreesTheSlotOfItsDownload() async throws {
        try await withDownloader(config) { server, downloader in
            let context: WebImageContext = [.imageCoder: FakeCoder(), .callbackQueue: CallbackQueue.invoking]
            server.route("/0", .hang)
            server.route("/1", .body(FakeCoder.file()))
            let ended = Collected<WebImageError.Code?>()
            let hung = downloader.downloadImage(with: server.url("/0"), context: context) { _, _, error, _ in
                ended.append(error?.code)
            }
            downloader.downloadImage(with: server.url("/1"), context: context) { _, _, error, _ in
                ended.append(error?.code)
            }
            try await eventually("the first download hangs") { server.concurrentRequests == 1 }
            hung?.cancel()
            try await eventually("both ended") { ended.values == [.cancelled, nil] }
        }
    }

    /// `loadData` returns encoded bytes, and the caller decodes them. The download must free its slot after the last
    /// byte and must not wait for the caller.
    @Test func waitingTasksHoldNoSlot() async throws {
        try await withDownloader(config) { server, downloader in
            for number in 0..<8 { server.route("/\(number)", .body(Data("\(number)".utf8))) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let result = try await downloader.fetch(server.url("/\(number)"))
                        #expect(result.data == Data("\(number)".utf8))
                    }
                }
                try await group.waitForAll()
            }
            #expect(downloader.currentDownloadCount == 0)
        }
    }
}
