import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The network can lose a connection without a notice, for example while the machine is suspended. Later downloads use
/// another connection.
@Suite(
    .enabled(if: TLSRelay.isAvailable, "nginx, its stream module and openssl are not installed"), .timeLimit(minutes: 1)
)
struct LostConnectionTests {
    private static let answer: [ScriptedServer.Step] = [
        .head(200, ["Content-Type": "image/png"]), .body(Data("a".utf8)),
    ]
    /// Nothing is ever sent.
    private static let silence: [ScriptedServer.Step] = []

    private func withServer(
        http2: Bool, timeout: TimeInterval = 15,
        _ test: (ScriptedServer, URL, WebImageDownloader) async throws -> Void
    ) async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        let relay = try TLSRelay(port: server.port)
        defer { relay.stop() }
        var config = WebImageDownloaderConfig.default
        config.certificateAuthorityFile = relay.certificateFile.path
        config.downloadTimeout = timeout
        let url = URL(string: "https://localhost:\(http2 ? relay.http2Port : relay.http1Port)/")!
        try await withDownloader(config) { _, downloader in try await test(server, url, downloader) }
    }

    /// Downloads a body, and returns whether its connection existed before.
    private func reuses(_ url: URL, _ downloader: WebImageDownloader) async throws -> Bool {
        let ends = Collected<Int>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        let token = downloader.downloadImage(with: url, context: context) { _, data, _, _ in
            ends.append(data?.count ?? 0)
        }
        try await eventually("the download ended") { !ends.values.isEmpty }
        return try #require(token?.metrics).isReusedConnection
    }

    @Test(arguments: [true, false]) func silentConnectionIsNotUsedAgain(http2: Bool) async throws {
        try await withServer(http2: http2, timeout: 1) { server, url, downloader in
            server.play(Self.answer, Self.silence, Self.answer)
            #expect(try await !reuses(url, downloader))
            try await #expect(downloader.failure(url).curlCode == 28)
            #expect(try await !reuses(url, downloader))
            #expect(try await reuses(url, downloader))
        }
    }

    /// A slow response does not end a connection that delivers others.
    @Test func silentStreamDoesNotEndItsConnection() async throws {
        try await withServer(http2: true, timeout: 2) { server, url, downloader in
            server.play(Self.silence, Self.answer)
            async let failure = downloader.failure(url)
            try await eventually("the server has the request") { server.requestCount == 1 }
            #expect(try await reuses(url.appendingPathComponent("other"), downloader))
            try await #expect(failure.curlCode == 28)
            #expect(try await reuses(url, downloader))
        }
    }

    @Test func streamsOfASilentConnectionBeginAgain() async throws {
        try await withServer(http2: true, timeout: 1) { server, url, downloader in
            server.play(Self.silence, Self.silence, Self.answer)
            async let failure = downloader.failure(url)
            try await eventually("the server has a request") { server.requestCount == 1 }
            downloader.config.downloadTimeout = 600
            async let other = downloader.fetch(url.appendingPathComponent("other"))
            try await eventually("the server has both requests") { server.requestCount >= 2 }
            try await #expect(failure.curlCode == 28)
            try await #expect(other.data == Data("a".utf8))
        }
    }

    /// The other connections to a silent server are as old, and may be lost too.
    @Test func keptConnectionsToASilentServerAreNotUsedAgain() async throws {
        var config = WebImageDownloaderConfig.default
        config.downloadTimeout = 1
        try await withDownloader(config) { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            async let first = downloader.fetch(server.url("/a?1"))
            async let second = downloader.fetch(server.url("/a?2"))
            try await eventually("two connections have a request") { server.requests.count == 2 }
            gate.open()
            _ = try await (first, second)
            server.route("/hang", .hang)
            try await #expect(downloader.failure(server.url("/hang")).curlCode == 28)
            #expect(try await !reuses(server.url("/a"), downloader))
        }
    }

    /// A server that restarts ends its connections when the next request may already be under way.
    @Test(arguments: [true, false]) func connectionThatEndsUnansweredIsReplaced(http2: Bool) async throws {
        try await withServer(http2: http2) { server, url, downloader in
            server.play(Self.answer, [.close], Self.answer)
            for _ in 0..<2 { try await #expect(downloader.fetch(url).data == Data("a".utf8)) }
            #expect(server.requestCount == 3)
        }
    }

    /// By default, Linux sends a packet again for a quarter of an hour before it gives a connection up. A child process that
    /// inherits the socket keeps the connection open.
    @Test func socketsEndWithinTheTimeoutAndAreNotInherited() async throws {
        var config = WebImageDownloaderConfig.default
        config.downloadTimeout = 20
        try await withDownloader(config) { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            _ = try await downloader.fetch(server.url("/a"))
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                Int32($0)
            }
            let options = descriptors.compactMap { descriptor -> [Int32]? in
                var address = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let result = withUnsafeMutablePointer(to: &address) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
                }
                guard result == 0, Int(UInt16(bigEndian: address.sin_port)) == server.port else { return nil }
                var limit: UInt32 = 0
                length = socklen_t(MemoryLayout<UInt32>.size)
                getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &limit, &length)
                return [Int32(limit), fcntl(descriptor, F_GETFD) & FD_CLOEXEC]
            }
            #expect(options == [[10_000, FD_CLOEXEC]])
        }
    }
}
