import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Each kind of server failure has its own error with a hint.
@Suite(.timeLimit(minutes: 1))
struct DownloadFaultTests {
    @Test func unknownHostIsCurl6() async throws {
        try await withDownloader { _, downloader in
            let error = try await downloader.failure(URL(string: "http://nonexistent.invalid/a.png")!)
            #expect(error.code == .transport)
            #expect(error.curlCode == 6)
            #expect(error.description.contains("nonexistent.invalid"))
            #expect(error.hint != nil)
        }
    }

    @Test func refusedConnectionIsCurl7() async throws {
        try await withDownloader { server, downloader in
            let url = server.url("/a.png")
            server.stop()
            let error = try await downloader.failure(url)
            #expect(error.curlCode == 7)
            #expect(error.hint?.contains("server is running") == true)
        }
    }

    @Test func proxyThatRequiresCredentialsIsNamed() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .status(407))
            try await #expect(downloader.failure(server.url("/a")).hint?.contains("URL of the proxy") == true)
        }
    }

    @Test(arguments: [404, 410, 403, 429, 500, 503, 304])
    func unacceptableStatusIsNamed(status: Int) async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .status(status))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.code == .invalidDownloadStatusCode)
            #expect(error.underlying == .http(status: status))
            #expect(error.hint != nil)
            #expect(
                downloader.shouldBlock(ImageDataLoad(url: server.url("/a")), after: error)
                    == [404, 410].contains(status))
        }
    }

    @Test func unacceptableTypeIsNamed() async throws {
        var config = WebImageDownloaderConfig.default
        config.acceptableContentTypes = ["image/png"]
        try await withDownloader(config) { server, downloader in
            server.route("/html", .body(Data("<html>".utf8), type: "Text/HTML; charset=utf-8"))
            server.route("/png", .body(Data("png".utf8), type: "image/PNG"))
            let error = try await downloader.failure(server.url("/html"))
            #expect(error.code == .invalidDownloadContentType)
            #expect(error.underlying == .message("content type text/html"))
            try await #expect(downloader.fetch(server.url("/png")).data == Data("png".utf8))
        }
    }

    @Test func earlyCloseIsCurl18() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.zeros(100_000))
            response.closeAfter = 40_000
            server.route("/a", .respond(response))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.code == .transport)
            #expect(error.curlCode == 18)
            #expect(!downloader.shouldBlock(ImageDataLoad(url: server.url("/a")), after: error))
        }
    }

    @Test func earlyCloseOfChunkedBodyIsCurl18() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.zeros(100_000))
            response.framing = .chunked
            response.closeAfter = 40_000
            server.route("/a", .respond(response))
            try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
        }
    }

    @Test func claimedLengthTooLongIsCurl18() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.zeros(1000))
            response.framing = .claimedLength(2000)
            server.route("/a", .respond(response))
            try await #expect(downloader.failure(server.url("/a")).curlCode == 18)
        }
    }

    @Test func bodyLongerThanContentLengthIsTruncated() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.data(Data("0123456789".utf8)))
            response.framing = .claimedLength(4)
            server.route("/a", .respond(response))
            try await #expect(downloader.fetch(server.url("/a")).data == Data("0123".utf8))
        }
    }

    @Test func bodyOverTheCapFailsByItsContentLength() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxBodyBytes = 10_000
        try await withDownloader(config) { server, downloader in
            var response = FaultResponse(.zeros(50_000))
            response.interval = .seconds(60)
            response.piece = 100
            server.route("/a", .respond(response))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.code == .limitExceeded)
            #expect(error.underlying == .limit(.bodyBytes, actual: 50_000, allowed: 10_000))
        }
    }

    @Test func bodyOverTheCapFailsWhileStreaming() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxBodyBytes = 100_000
        try await withDownloader(config) { server, downloader in
            var response = FaultResponse(.endless)
            response.framing = .chunked
            server.route("/a", .respond(response))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.underlying == .limit(.bodyBytes, actual: .max, allowed: 100_000))
        }
    }

    @Test func compressedBodyOverTheCapFailsByItsDecodedBytes() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxBodyBytes = 1_000_000
        try await withDownloader(config) { server, downloader in
            let bomb = try #require(Data(base64Encoded: gzippedTwoMegabytesOfZeros))
            server.route("/bomb", .body(bomb, headers: ["Content-Encoding": "gzip"]))
            let error = try await downloader.failure(server.url("/bomb"))
            #expect(error.underlying == .limit(.bodyBytes, actual: .max, allowed: 1_000_000))
        }
    }

    @Test func bodyOfExactlyTheCapPasses() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxBodyBytes = 10_000
        try await withDownloader(config) { server, downloader in
            server.route("/a", .respond(FaultResponse(.zeros(10_000))))
            try await #expect(downloader.fetch(server.url("/a")).data.count == 10_000)
        }
    }

    @Test func redirectLoopIsCurl47() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .redirect(to: "/b"))
            server.route("/b", .redirect(to: "/a"))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.curlCode == 47)
            #expect(server.requests.count == 11)
        }
    }

    @Test func redirectToFileIsRefused() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .redirect(to: "file:///etc/hostname"))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.curlCode == 1)
            #expect(error.hint?.contains("redirected") == true)
        }
    }

    @Test func redirectIsFollowedAndNamesTheFinalURL() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .redirect(to: "/b", status: 301))
            server.route("/b", .redirect(to: server.url("/c").absoluteString, status: 307))
            server.route("/c", .body(Data("c".utf8), headers: ["X-Two": "1", "x-two": "2"]))
            let result = try await downloader.fetch(server.url("/a"))
            #expect(result.data == Data("c".utf8))
            #expect(result.response.url == server.url("/c"))
            #expect(result.response.statusCode == 200)
            #expect(result.response.allHeaderFields["location"] == nil)
            #expect(result.response.mimeType == "image/png")
        }
    }

    @Test(arguments: [false, true])
    func silentServerIsCurl28AfterTheTimeout(afterSomeBytes: Bool) async throws {
        var config = WebImageDownloaderConfig.default
        config.downloadTimeout = 0.3
        try await withDownloader(config) { server, downloader in
            var stalling = FaultResponse(.zeros(1000))
            stalling.piece = 10
            stalling.interval = .seconds(60)
            server.route("/a", afterSomeBytes ? .respond(stalling) : .hang)
            let start = ContinuousClock.now
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.curlCode == 28)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
            // The configured timeout applies, not the default of 15 s.
            #expect(ContinuousClock.now - start < Sanitizer.time(.seconds(10)))
        }
    }

    @Test func slowButSteadyBodyOutlivesTheTimeout() async throws {
        var config = WebImageDownloaderConfig.default
        config.downloadTimeout = 3
        try await withDownloader(config) { server, downloader in
            var dripping = FaultResponse(.zeros(15))
            dripping.piece = 1
            dripping.interval = .milliseconds(300)
            server.route("/a", .respond(dripping))
            try await #expect(downloader.fetch(server.url("/a")).data.count == 15)
        }
    }

    @Test func garbageInsteadOfHTTPIsNamed() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .raw(Data("\u{1}\u{2}garbage that is no HTTP\r\n\r\nmore".utf8)))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.code == .transport)
            #expect(error.hint?.contains("does not speak HTTP") == true)
        }
    }

    @Test func emptyReplyIsCurl52AndResetIsCurl56() async throws {
        try await withDownloader { server, downloader in
            server.route("/close", .close)
            server.route("/reset", .reset)
            try await #expect(downloader.failure(server.url("/close")).curlCode == 52)
            try await #expect(downloader.failure(server.url("/reset")).curlCode == 56)
        }
    }

    @Test func emptyBodyIsBadImageDataAndBlocksNoURL() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data()))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.code == .badImageData)
            #expect(!downloader.shouldBlock(ImageDataLoad(url: server.url("/a")), after: error))
        }
    }

    @Test func endlessHeaderFieldsAreRefused() async throws {
        try await withDownloader { server, downloader in
            let field = "X-Field: " + String(repeating: "x", count: 8000) + "\r\n"
            let head = "HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 100)
            server.route("/a", .raw(Data(head.utf8)))
            let error = try await downloader.failure(server.url("/a"))
            #expect(error.code == .invalidDownloadResponse)
        }
    }

    @Test(arguments: ["http:///a.png", "ftp://127.0.0.1/a.png", "a.png"])
    func urlsThatAreNotHTTPAreInvalid(text: String) async throws {
        try await withDownloader { _, downloader in
            try await #expect(downloader.failure(URL(string: text)!).code == .invalidURL)
        }
    }

    @Test func lineBreaksInHeaderFieldsAreRefused() async throws {
        try await withDownloader { server, downloader in
            downloader.setValue("a\r\nX-Injected: 1", forHTTPHeaderField: "X-Mine")
            try await #expect(downloader.failure(server.url("/a")).code == .invalidDownloadOperation)
            #expect(server.requests.isEmpty)
        }
    }
}
