import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests downloads with a custom operation class whose `start` blocks. While `start` blocks, other transfers must
/// continue.
@Suite(.timeLimit(minutes: 1))
struct SlowOperationTests {
    private final class SlowOperation: WebImageDownloaderOperation, @unchecked Sendable {
        // `@unchecked Sendable` is safe, because the class adds no stored instance properties.
        static let isBlocked = Locked(false)
        static let mayContinue = DispatchSemaphore(value: 0)

        override func start(_ sink: any WebImageDownloaderSink) {
            if request.url.path == "/slow" {
                Self.isBlocked.withLock { $0 = true }
                Self.mayContinue.wait()
            }
            super.start(sink)
        }
    }

    @Test func slowOperationDelaysNoOtherTransfer() async throws {
        var config = WebImageDownloaderConfig.default
        config.operationClass = SlowOperation.self
        config.maxConcurrentDownloads = 2
        try await withDownloader(config) { server, downloader in
            let (firstGate, longGate) = (FaultGate(), FaultGate())
            server.route("/first", .gated(firstGate, .body(Data("first".utf8))))
            server.route("/long", .gated(longGate, .body(Data("long".utf8))))
            server.route("/slow", .body(Data("slow".utf8)))
            let first = Task { try await downloader.fetch(server.url("/first")) }
            let long = Collected<Data?>()
            Task { long.append(try? await downloader.fetch(server.url("/long")).data) }
            try await eventually("both run") { server.concurrentRequests == 2 }
            let slow = Task { try await downloader.fetch(server.url("/slow")) }
            try await eventually("one waits") { downloader.currentDownloadCount == 3 }
            // When the first download ends, the slow operation starts in the freed slot.
            firstGate.open()
            _ = try await first.value
            try await eventually("the operation blocks") { SlowOperation.isBlocked.withLock { $0 } }
            longGate.open()
            // Release the operation even if the test fails. Otherwise its thread would stay blocked in `start`.
            defer { SlowOperation.mayContinue.signal() }
            try await eventually("the other transfer ended") { long.values == [Data("long".utf8)] }
            SlowOperation.mayContinue.signal()
            try await #expect(slow.value.data == Data("slow".utf8))
        }
    }
}
