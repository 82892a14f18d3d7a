import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

/// Tests `FaultServer`, the HTTP server that the download tests use.
@Suite(.timeLimit(minutes: 1))
struct FaultServerTests {
    @Test func stopEndsHangingConnectionsAtOnce() async throws {
        try await withDownloader { _, downloader in
            let server = try FaultServer()
            server.route("/a", .hang)
            let task = Task { try await downloader.fetch(server.url("/a")) }
            try await eventually("the request arrived") { server.requestCount("/a") == 1 }
            server.stop()
            server.stop()
            #expect(server.concurrentRequests == 0)
            _ = await task.result
        }
    }

    @Test func requestsAreRecorded() async throws {
        try await withDownloader { server, downloader in
            _ = try await downloader.failure(server.url("/a?x=1"))
            let request = try #require(server.requests.first)
            #expect(request.method == "GET")
            #expect(request.path == "/a")
            #expect(request.query == "x=1")
            #expect(request.headers["host"] == "127.0.0.1:\(server.port)")
        }
    }
}
