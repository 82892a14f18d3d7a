import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageHTTP

/// A transfer that starts while the engine shuts down must receive exactly one end. Without an end, the load would
/// wait forever.
@Suite(.timeLimit(minutes: 1))
struct EngineEndTests {
    /// Records how often and how a transfer ended.
    private final class Sink: WebImageDownloaderSink {
        let ends = Collected<WebImageError?>()
        func transferDidReceive(head: WebImageResponse) -> WebImageError? { nil }
        func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? { nil }
        func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {
            if case .failure(let error) = result { ends.append(error) } else { ends.append(nil) }
        }
    }

    private func transfer(_ url: String, _ sink: Sink) throws -> CurlTransfer {
        CurlTransfer(WebImageDownloaderJob(WebImageRequest(url: try #require(URL(string: url)))), sink: sink)
    }

    @Test func commandAfterTheEndOfTheThreadIsRefused() throws {
        let mailbox = CurlMailbox()
        let multi = try #require(CurlMulti(label: ""))
        mailbox.open(multi)
        mailbox.retire()
        CurlLoop(mailbox: mailbox, multi: multi, blocks: BodyBlockPool(), later: DeferredActions(), label: "").run()
        // A caller can have received the mailbox before the engine retired, and can still post a command. The
        // mailbox must refuse the command, because no thread would perform it.
        #expect(!mailbox.post(.start(try transfer("http://127.0.0.1:1/", Sink()))))
    }

    @Test(arguments: [true, false]) func transferStartedDuringShutdownEnds(endingNow: Bool) async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.route("/a", .body(Data("a".utf8)))
        var sinks: [Sink] = []
        for _ in 0..<300 {
            let engine = CurlEngine()
            let (first, second) = (Sink(), Sink())
            engine.start(try transfer(server.url("/a").absoluteString, first))
            let late = try transfer(server.url("/a").absoluteString, second)
            async let started: Void = Task.detached { engine.start(late) }.value
            async let retired: Void = Task.detached { engine.retire(endingNow: endingNow) }.value
            _ = await (started, retired)
            sinks += [first, second]
        }
        try await eventually("every transfer ended") { sinks.allSatisfy { $0.ends.values.count == 1 } }
    }
}
