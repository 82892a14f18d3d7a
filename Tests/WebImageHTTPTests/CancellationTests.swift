import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// A load that is cancelled at any moment completes exactly once and leaves no handle open.
@Suite(.timeLimit(minutes: 3))
struct CancellationTests {
    private static func routes(_ server: FaultServer) {
        var dripping = FaultResponse(.zeros(20_000))
        dripping.piece = 2000
        dripping.interval = .milliseconds(1)
        var chunked = FaultResponse(.zeros(30_000))
        chunked.framing = .chunked
        var late = FaultResponse(.zeros(100))
        late.delay = .milliseconds(5)
        server.route("/quick", .respond(FaultResponse(.zeros(5000))))
        server.route("/drip", .respond(dripping))
        server.route("/chunked", .respond(chunked))
        server.route("/late", .respond(late))
        server.route("/hang", .hang)
        server.route("/redirect", .redirect(to: "/drip"))
    }

    private static let paths = ["/quick", "/drip", "/chunked", "/late", "/hang", "/redirect", "/missing"]

    @Test func fiveThousandCancelsAtRandomInstantsEndOnceEach() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 16
        try await withDownloader(config) { server, downloader in
            Self.routes(server)
            let ends = Collected<Bool>()
            let seed = SeededRandom.printingSeed().seed
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<5000 {
                    if number >= 64 { await group.next() }
                    group.addTask {
                        var random = SeededRandom(seed: seed &+ UInt64(number))
                        // Every second load has a unique URL. The other loads share seven URLs.
                        let path =
                            Self.paths[number % Self.paths.count] + (number.isMultiple(of: 2) ? "?\(number)" : "")
                        let load = Task { try await downloader.fetch(server.url(path)) { _, _, _ in } }
                        let delay = UInt64.random(in: 0...8_000_000, using: &random)
                        // Use a real pause and do not wait for an event, so that the cancel can reach the transfer at
                        // any moment.
                        if delay > 500_000 { try? await Task.sleep(nanoseconds: delay) }
                        load.cancel()
                        ends.append((try? await load.value) != nil)
                    }
                }
            }
            #expect(ends.values.contains(true))
            #expect(ends.values.contains(false))
            #expect(downloader.currentDownloadCount == 0)
            try await #expect(downloader.fetch(server.url("/quick")).data.count == 5000)
            try await eventually("the server is idle") { server.concurrentRequests == 0 }
        }
    }

    @Test func callbackFormCompletesOnceForEveryCancel() async throws {
        try await withDownloader { server, downloader in
            Self.routes(server)
            let completions = Collected<Int>()
            let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
            for number in 0..<500 {
                let token = downloader.downloadImage(
                    with: server.url(Self.paths[number % Self.paths.count]), context: context
                ) { image, _, error, finished in
                    #expect(finished)
                    #expect((image == nil) != (error == nil))
                    completions.append(number)
                }
                if number.isMultiple(of: 50) {
                    try await eventually("most completed") { completions.values.count >= number - 50 }
                }
                if !number.isMultiple(of: 3) || number % Self.paths.count == 4 { token?.cancel() }
                token?.cancel()
            }
            try await eventually("all completed") { completions.values.count == 500 }
            #expect(Set(completions.values).count == 500)
        }
    }

    @Test func cancelBeforeTheLoadBeginsSendsNothing() async throws {
        try await withDownloader { server, downloader in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await downloader.fetch(server.url("/a"))
            }
            await #expect { try await task.value } throws: { ($0 as? WebImageError)?.isCancellation == true }
            #expect(server.requests.isEmpty)
            #expect(downloader.currentDownloadCount == 0)
        }
    }

    @Test func cancelAllEndsEveryDownload() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .hang)
            let tasks = (0..<20).map { number in
                Task { try await downloader.fetch(server.url("/a?\(number)")) }
            }
            try await eventually("all asked") { downloader.currentDownloadCount == 20 }
            downloader.cancelAllDownloads()
            for task in tasks {
                await #expect { try await task.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
            }
            #expect(downloader.currentDownloadCount == 0)
        }
    }

    @Test func cancelDuringNameLookupReturnsAtOnce() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            let ends = Collected<Bool>()
            let lookup = Task {
                defer { ends.append(true) }
                return try await downloader.fetch(URL(string: "http://nonexistent.invalid/a")!)
            }
            // If the machine has no name server, the lookup can fail before this check runs.
            try await eventually("the lookup began") {
                downloader.currentDownloadCount == 1 || !ends.values.isEmpty
            }
            lookup.cancel()
            try await #expect(downloader.fetch(server.url("/a")).data == Data("a".utf8))
            _ = await lookup.result
        }
    }

    @Test func shutdownEndsRunningLoadsAndRefusesNewOnes() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .hang)
            let running = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the request arrived") { server.requestCount("/a") == 1 }
            downloader.shutdown()
            await #expect { try await running.value } throws: { ($0 as? WebImageError)?.code == .cancelled }
            try await #expect(downloader.failure(server.url("/a")).code == .invalidDownloadOperation)
        }
    }

    @Test func droppedDownloaderClosesItsHandles() async throws {
        let label = " \(UUID().uuidString)"
        let server = try FaultServer()
        server.route("/a", .body(Data("a".utf8)))
        do {
            let downloader = WebImageDownloader(config: .default, engine: CurlEngine(label: label))
            _ = try await downloader.fetch(server.url("/a"))
            #expect(LiveHandles.current["curl multi" + label] == 1)
        }
        try await LiveHandles.expectNone { $0.hasSuffix(label) }
        server.stop()
    }
}
