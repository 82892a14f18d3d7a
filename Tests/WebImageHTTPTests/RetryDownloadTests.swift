import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests retries, deadlines and download slots with a virtual clock.
@Suite(.timeLimit(minutes: 1))
struct RetryDownloadTests {
    private var config: WebImageDownloaderConfig {
        var config = WebImageDownloaderConfig.default
        config.retryStrategy = ExponentialBackoff { 0 }
        return config
    }

    /// Returns a server behaviour that responds with 503 to the first `times` requests and with a body to later
    /// requests.
    private func failing(_ times: Int, headers: [String: String] = [:]) -> FaultBehaviour {
        let count = Locked(0)
        return .dynamic { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number <= times ? .body(Data("no".utf8), status: 503, headers: headers) : .body(Data("a".utf8))
        }
    }

    @Test func transientFailureIsRetriedAfterItsWait() async throws {
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/a", failing(2))
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the first retry waits") { clock.nextDelay == .milliseconds(500) }
            clock.advance(by: .milliseconds(499))
            #expect(server.requests.count == 1)
            clock.advance(by: .milliseconds(1))
            try await eventually("the second retry waits") { clock.nextDelay == .seconds(1) }
            clock.advance(by: .seconds(1))
            try await #expect(task.value.data == Data("a".utf8))
            #expect(server.requests.count == 3)
        }
    }

    @Test func retryAfterIsHonoured() async throws {
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/a", failing(1, headers: ["Retry-After": "7"]))
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the retry waits") { clock.nextDelay == .seconds(7) }
            clock.advance(by: .seconds(7))
            try await #expect(task.value.data == Data("a".utf8))
        }
    }

    /// A server that limits the requests of a client counts those for other URLs too.
    @Test(arguments: [(429, true, true), (429, false, false), (503, true, false)])
    func tooManyRequestsHoldTheHost(status: Int, hasField: Bool, isHeld: Bool) async throws {
        let clock = VirtualClock()
        var config = config
        config.maxConcurrentDownloads = 1
        try await withDownloader(config, clock: clock) { server, downloader in
            let count = Locked(0)
            server.route(
                "/a",
                .dynamic { _ in
                    let isFirst = count.withLock { count in
                        count += 1
                        return count == 1
                    }
                    guard isFirst else { return .body(Data("a".utf8)) }
                    return .body(Data(), status: status, headers: hasField ? ["Retry-After": "7"] : [:])
                })
            server.route("/b", .body(Data("b".utf8)))
            let first = Task { try await downloader.fetch(server.url("/a")) }
            let wait = Duration.milliseconds(hasField ? 7000 : 500)
            try await eventually("the retry waits") { clock.nextDelay == wait }
            let second = Task { try await downloader.fetch(server.url("/b")) }
            if isHeld {
                try await eventually("the second download waits") { downloader.currentDownloadCount == 2 }
                // Another host does not wait. With a single slot, this download would be after the second one.
                server.route("/c", .body(Data("c".utf8)))
                let other = URL(string: "http://localhost:\(server.port)/c")!
                try await #expect(downloader.fetch(other).data == Data("c".utf8))
                #expect(server.requestCount("/b") == 0)
                clock.advance(by: wait)
            }
            try await #expect(second.value.data == Data("b".utf8))
            if !isHeld { clock.advance(by: wait) }
            try await #expect(first.value.data == Data("a".utf8))
        }
    }

    @Test func lastFailureIsReportedAndNothingIsRetriedWithoutAStrategy() async throws {
        let clock = VirtualClock()
        try await withDownloader(clock: clock) { server, downloader in
            server.route("/a", failing(1))
            try await #expect(downloader.failure(server.url("/a")).underlying == .http(status: 503))
            downloader.config = config
            server.route("/b", .status(404))
            try await #expect(downloader.failure(server.url("/b")).underlying == .http(status: 404))
            #expect(server.requests.count == 2)
        }
    }

    @Test func waitingRetryHoldsNoSlot() async throws {
        var config = config
        config.maxConcurrentDownloads = 1
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/a", failing(1))
            server.route("/b", .body(Data("b".utf8)))
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the retry waits") { clock.waitingCount == 1 }
            try await #expect(downloader.fetch(server.url("/b")).data == Data("b".utf8))
            clock.advance(by: .seconds(1))
            _ = try await task.value
        }
    }

    @Test func cancelWhileWaitingEndsAtOnce() async throws {
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/a", failing(1))
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the retry waits") { clock.waitingCount == 1 }
            task.cancel()
            await #expect { try await task.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
            #expect(downloader.currentDownloadCount == 0)
            try await eventually("the wait is cancelled") { clock.waitingCount == 0 }
        }
    }

    @Test func deadlineEndsASlowTransferWithoutAnIdleTimeout() async throws {
        var config = config
        config.downloadDeadline = 30
        let clock = VirtualClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            server.route("/drip", .hang)
            let task = Task { try await downloader.failure(server.url("/drip")) }
            try await eventually("running") { server.concurrentRequests == 1 }
            clock.advance(by: .seconds(29))
            #expect(downloader.currentDownloadCount == 1)
            clock.advance(by: .seconds(1))
            try await eventually("ended") { downloader.currentDownloadCount == 0 }
            let error = try await task.value
            #expect(error.code == .transport)
            #expect(error.curlCode == 28)
            #expect(error.hint?.contains("downloadDeadline") == true)
            try await eventually("closed") { server.concurrentRequests == 0 }
        }
    }

    @Test func deadKeptConnectionIsReplacedByANewOne() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            _ = try await downloader.fetch(server.url("/a"))
            // The server resets the reused connection when it receives the first request for /b. The
            // downloader must send this request again on a new connection instead of failing.
            let isFirst = Locked(true)
            server.route(
                "/b",
                .dynamic { _ in
                    let first = isFirst.withLock { first in
                        defer { first = false }
                        return first
                    }
                    return first ? .reset : .body(Data("b".utf8))
                })
            try await #expect(downloader.fetch(server.url("/b")).data == Data("b".utf8))
            #expect(server.connectionCount == 2)
        }
    }

    /// A server may send more bytes than its `Content-Length` names, such as the line break after a script's end. The
    /// bytes are not the response to the next request on the connection.
    @Test(arguments: ["\n", "<!-- cached -->", "\r\n\r\n"])
    func bytesBehindAResponseDoNotFailTheNextDownload(_ stray: String) async throws {
        try await withDownloader { server, downloader in
            let (strayGate, endGate) = (FaultGate(), FaultGate())
            defer { endGate.open() }
            // The last piece keeps the connection open.
            var response = FaultResponse(.data(Data("a\(stray)e".utf8)))
            response.framing = .claimedLength(1)
            (response.firstPiece, response.piece) = (1, stray.utf8.count)
            response.pieceGates = [1: strayGate, 2: endGate]
            server.route("/a", .respond(response))
            server.route("/b", .body(Data("b".utf8)))
            try await #expect(downloader.fetch(server.url("/a")).data == Data("a".utf8))
            strayGate.open()
            try await #expect(downloader.fetch(server.url("/b")).data == Data("b".utf8))
            #expect(server.connectionCount == 2)
        }
    }

    /// A server that answers twice. The second answer is not the response to the next request (RFC 9112 §6.3).
    @Test func secondAnswerIsNotTheNextDownload() async throws {
        try await withDownloader { server, downloader in
            let endGate = FaultGate()
            defer { endGate.open() }
            // Libcurl notices more bytes in a buffer that ends with the body, but a long body ends in a buffer of its own.
            let body = Data(repeating: 0x61, count: 200_000)
            let further = Data("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)
            var response = FaultResponse(.data(body + further + Data("e".utf8)))
            response.framing = .claimedLength(body.count)
            response.firstPiece = body.count + further.count
            // The last piece keeps the connection open.
            response.pieceGates = [1: endGate]
            server.route("/a", .respond(response))
            for path in ["/b", "/c"] { server.route(path, .body(Data(path.utf8))) }
            try await #expect(downloader.fetch(server.url("/a")).data == body)
            for path in ["/b", "/c"] {
                try await #expect(downloader.fetch(server.url(path)).data == Data(path.utf8))
            }
            #expect(server.connectionCount == 2)
        }
    }

    @Test func atMostTheMaximumPerHostRun() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloadsPerHost = 2
        try await withDownloader(config) { server, downloader in
            let gate = FaultGate()
            let other = try FaultServer(host: "127.0.0.2")
            defer { other.stop() }
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            other.route("/b", .body(Data("b".utf8)))
            let tasks = (0..<5).map { number in Task { try await downloader.fetch(server.url("/a?\(number)")) } }
            try await eventually("two run") { server.concurrentRequests == 2 }
            try await eventually("all asked") { downloader.currentDownloadCount == 5 }
            // The five downloads wait for the limit of their host. A download from another host must start
            // before them.
            try await #expect(downloader.fetch(other.url("/b")).data == Data("b".utf8))
            gate.open()
            for task in tasks { _ = try await task.value }
            #expect(server.maxConcurrentRequests == 2)
        }
    }

    @Test func raisedPriorityMovesAWaitingDownload() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        try await withDownloader(config) { server, downloader in
            let gate = FaultGate()
            server.route("/first", .gated(gate, .body(Data("1".utf8))))
            for path in ["/a", "/b"] { server.route(path, .body(Data(path.utf8))) }
            var tasks = [Task { try await downloader.fetch(server.url("/first")) }]
            try await eventually("the first runs") { server.requestCount("/first") == 1 }
            let handle = LoadPriorityHandle(.low)
            for (path, handle) in [("/a", nil), ("/b", handle)] {
                var load = ImageDataLoad(url: server.url(path))
                load.priorityHandle = handle
                let before = downloader.currentDownloadCount
                tasks.append(Task { [load] in try await downloader.loadData(for: load, progress: nil) })
                try await eventually("the download is queued") { downloader.currentDownloadCount == before + 1 }
            }
            handle.priority = .high
            gate.open()
            for task in tasks { _ = try await task.value }
            #expect(server.requests.map(\.path) == ["/first", "/b", "/a"])
        }
    }

    @Test func nearlyCompleteDownloadEndsAfterTheLastCancel() async throws {
        // The time for the rest of a download does not pass.
        try await withDownloader(clock: VirtualClock()) { server, downloader in
            let receiversAfterCancel = Collected<Int>()
            let rest = FaultGate()
            for (path, piece) in [("/half", 5000), ("/nearly", 9500)] {
                var response = FaultResponse(.zeros(10_000))
                (response.firstPiece, response.lastPiece) = (piece, rest)
                server.route(path, .respond(response))
                var load = ImageDataLoad(url: server.url(path))
                load.finishedAfterCancel = { receiversAfterCancel.append($0.data.count) }
                let seen = Collected<Int>()
                let task = Task { [load] in
                    try await downloader.loadData(for: load) { received, _, _ in seen.append(received) }
                }
                try await eventually("the first piece arrived") { seen.values.last == piece }
                task.cancel()
                await #expect { try await task.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
                #expect(downloader.currentDownloadCount == (path == "/nearly" ? 1 : 0))
            }
            rest.open()
            try await eventually("the body is delivered after the cancel") { receiversAfterCancel.values == [10_000] }
            #expect(downloader.currentDownloadCount == 0)
        }
    }

    /// Cancels the first load after its body is complete and before its result is delivered. The downloader
    /// must pass the body to `finishedAfterCancel`; otherwise a complete download would be lost.
    ///
    /// When the body is complete, the slot is freed. The second download starts in this slot and reads `now`.
    /// `HookedClock` then cancels the first load.
    @Test func bodyCompletedBeforeACancelIsDeliveredAfterIt() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        config.operationClass = ToldOperation.self
        let clock = HookedClock()
        try await withDownloader(config, clock: clock) { server, downloader in
            let receiversAfterCancel = Collected<Int>()
            var load = ImageDataLoad(url: try #require(URL(string: "http://example.test/first")))
            load.finishedAfterCancel = { receiversAfterCancel.append($0.data.count) }
            let first = Task { [load] in try await downloader.loadData(for: load, progress: nil) }
            try await eventually("started") { ToldOperation.started.values.count == 1 }
            // The second download uses the built-in operation. It starts immediately on the thread that frees
            // the slot, and not later on a queue.
            downloader.config.operationClass = nil
            server.route("/second", .body(Data("told".utf8)))
            let second = Task { try await downloader.fetch(server.url("/second")) }
            try await eventually("the download is queued") { downloader.currentDownloadCount == 2 }
            clock.onNow.withLock { $0 = { first.cancel() } }
            ToldOperation.started.values[0].finish()
            await #expect { try await first.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
            try await eventually("the body is delivered after the cancel") { receiversAfterCancel.values == [4] }
            try await #expect(second.value.data == Data("told".utf8))
            #expect(receiversAfterCancel.values == [4])
        }
    }

    /// A clock with the time of the system. When `now` is read, the clock first runs the action in `onNow` and then
    /// removes it.
    private final class HookedClock: DelayClock {
        let onNow = Locked<(@Sendable () -> Void)?>(nil)
        private let system = SystemClock()
        var date: TimeInterval { system.date }
        var now: Duration {
            onNow.withLock { $0.take() }?()
            return system.now
        }

        func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
            system.schedule(after: delay, work)
        }
    }

    /// An operation that ends when the test calls `finish()`.
    private final class ToldOperation: WebImageDownloaderOperationProtocol {
        static let started = Collected<ToldOperation>()

        let request: WebImageRequest
        private let sink = Locked<(any WebImageDownloaderSink)?>(nil)

        init(_ job: WebImageDownloaderJob) { request = job.request }
        var isCancelled: Bool { false }
        func cancel() {}

        func start(_ sink: any WebImageDownloaderSink) {
            self.sink.withLock { $0 = sink }
            Self.started.append(self)
        }

        func finish() {
            guard let sink = sink.withLock({ $0.take() }) else { return }
            let head = WebImageResponse(url: request.url, statusCode: 200, expectedContentLength: 4)
            _ = sink.transferDidReceive(head: head)
            _ = Data("told".utf8).withUnsafeBytes { sink.transferDidReceive(bytes: $0) }
            sink.transferDidEnd(.success(WebImageDownloadEnd(response: head)))
        }
    }
}
