import Foundation
import Testing
import WebImageCore
import WebImageLoading
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

    /// A client would take the bytes of a body for the next response on the connection.
    @Test(arguments: [204, 304]) func responseWithoutABodyLeavesTheConnectionUsable(status: Int) async throws {
        try await withDownloader { server, downloader in
            var chunked = FaultResponse(.data(Data("body".utf8)), status: status)
            chunked.framing = .chunked
            server.route("/status", .status(status))
            server.route("/body", .body(Data("body".utf8), status: status))
            server.route("/chunked", .respond(chunked))
            server.route("/a", .body(Data("picture".utf8)))
            for path in ["/status", "/body", "/chunked"] {
                _ = try? await downloader.fetch(server.url(path))
                let next = try await downloader.fetch(server.url("/a"))
                #expect(next.data == Data("picture".utf8), "\(path)")
            }
            #expect(server.requestCount("/a") == 3)
            // A client may close the connection after a 304 that it did not ask for.
            #expect(status == 304 || server.connectionCount == 1)
        }
    }

    /// No final response follows, so the connection is closed behind the head.
    @Test(arguments: [100, 103]) func informationalResponseHasNoBody(status: Int) async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .status(status))
            let failure = try await downloader.failure(server.url("/a"))
            // 52 is CURLE_GOT_NOTHING: the client received no final head.
            guard case .curl(let code, _)? = failure.underlying, code == 52 else {
                Issue.record("the client received more than a head: \(failure)")
                return
            }
        }
    }
}
