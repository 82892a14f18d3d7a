import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Before a byte is sent, the `.server` policy refuses URLs that lead to internal addresses.
@Suite(.timeLimit(minutes: 1))
struct SafetyTests {
    /// Returns a configuration with the `.server` policy and `lines` as `resolvedHosts`. `address` is the
    /// only non-public address or range that the policy allows. A test passes the address of its server, so
    /// that the server can send redirects.
    private func config(allowing address: String? = nil, resolving lines: [String] = []) throws
        -> WebImageDownloaderConfig
    {
        var config = WebImageDownloaderConfig.default
        config.policy = .server
        if let address { config.policy?.allowedAddresses = [try #require(AddressRange(address))] }
        config.resolvedHosts = lines
        return config
    }

    @Test func redirectToAPrivateAddressIsRefusedBeforeAConnection() async throws {
        try await withDownloader(try config(allowing: "127.0.0.1")) { server, downloader in
            let inner = try FaultServer(host: "127.0.0.2")
            defer { inner.stop() }
            inner.route("/secret", .body(Data("secret".utf8)))
            for status in [301, 302, 303, 307, 308] {
                server.route("/away", .redirect(to: inner.url("/secret").absoluteString, status: status))
                try await #expect(downloader.failure(server.url("/away")).code == .invalidDownloadOperation)
            }
            server.route("/protocol", .redirect(to: "//127.0.0.2:\(inner.port)/secret"))
            try await #expect(downloader.failure(server.url("/protocol")).code == .invalidDownloadOperation)
            #expect(inner.connectionCount == 0)
        }
    }

    @Test func nameOfAPrivateAddressIsRefusedBeforeAByteIsSent() async throws {
        let inner = try FaultServer(host: "127.0.0.2")
        defer { inner.stop() }
        inner.route("/secret", .body(Data("secret".utf8)))
        let name = "innocent.example:\(inner.port)"
        let url = try #require(URL(string: "http://\(name)/secret"))
        try await withDownloader(try config(allowing: "127.0.0.1", resolving: ["\(name):127.0.0.2"])) {
            server, downloader in
            let error = try await downloader.failure(url)
            #expect(error.code == .invalidDownloadOperation)
            #expect("\(error)".contains("127.0.0.2 is not public (loopback)"))
            server.route("/away", .redirect(to: url.absoluteString))
            try await #expect(downloader.failure(server.url("/away")).code == .invalidDownloadOperation)
            #expect(inner.connectionCount == 0)
        }
        // Without a policy, the same name reaches the server. Above, the policy was therefore the reason for
        // the refusal.
        var open = WebImageDownloaderConfig.default
        open.resolvedHosts = ["\(name):127.0.0.2"]
        try await withDownloader(open) { _, downloader in
            try await #expect(downloader.fetch(url).data == Data("secret".utf8))
        }
    }

    @Test func keptConnectionIsCheckedAgain() async throws {
        try await withDownloader { server, downloader in
            let name = "innocent.example:\(server.port)"
            downloader.config.resolvedHosts = ["\(name):127.0.0.1"]
            server.route("/a", .body(Data("a".utf8)))
            let url = try #require(URL(string: "http://\(name)/a"))
            _ = try await downloader.fetch(url)
            downloader.config.policy = .server
            try await #expect(downloader.failure(url).code == .invalidDownloadOperation)
            #expect(server.requests.count == 1)
        }
    }

    @Test func redirectsAreFollowedUnderAPolicy() async throws {
        try await withDownloader(try config(allowing: "127.0.0.0/8")) { server, downloader in
            server.route("/one", .redirect(to: "two?x"))
            server.route("/two", .redirect(to: "/three", status: 308))
            server.route("/three", .body(Data("three".utf8)))
            let result = try await downloader.fetch(server.url("/one"))
            #expect(result.data == Data("three".utf8))
            #expect(result.response.url == server.url("/three"))
            server.route("/loop", .redirect(to: "/loop"))
            try await #expect(downloader.failure(server.url("/loop")).curlCode == 47)
            #expect(server.requestCount("/loop") == 11)
        }
    }

    @Test func crossOriginRedirectCarriesNoSecrets() async throws {
        var config = try config(allowing: "127.0.0.0/8")
        (config.username, config.password) = ("user", "secret")
        try await withDownloader(config) { server, downloader in
            let other = try FaultServer()
            defer { other.stop() }
            other.route("/b", .body(Data("b".utf8)))
            server.route("/away", .redirect(to: other.url("/b").absoluteString))
            server.route("/near", .redirect(to: "/b"))
            server.route("/b", .body(Data("b".utf8)))
            for (field, value) in ["Authorization": "Bearer x", "X-Api-Key": "k", "Cookie": "c=1"] {
                downloader.setValue(value, forHTTPHeaderField: field)
            }
            _ = try await downloader.fetch(server.url("/away"))
            let fields = try #require(other.requests.first?.headers)
            for field in ["authorization", "x-api-key", "cookie"] { #expect(fields[field] == nil) }
            #expect(fields["accept"] == "image/*,*/*;q=0.8")
            _ = try await downloader.fetch(server.url("/near"))
            #expect(server.requests.last?.headers["x-api-key"] == "k")
        }
    }

    /// The length of these two bodies is not known from the head. The first body is chunked. The second body is
    /// compressed and exceeds the limit only after decompression.
    @Test func bodyOfUnknownLengthOverTheLimitIsRefusedUnderAPolicy() async throws {
        var config = try config(allowing: "127.0.0.1")
        config.maxBodyBytes = 1000
        try await withDownloader(config) { server, downloader in
            var lying = FaultResponse(.zeros(5000))
            lying.framing = .chunked
            server.route("/lying", .respond(lying))
            try await #expect(downloader.failure(server.url("/lying")).code == .limitExceeded)
            downloader.config.maxBodyBytes = 1_000_000
            let bomb = try #require(Data(base64Encoded: gzippedTwoMegabytesOfZeros))
            server.route("/bomb", .body(bomb, headers: ["Content-Encoding": "gzip"]))
            try await #expect(downloader.failure(server.url("/bomb")).code == .limitExceeded)
        }
    }

    @Test func explicitProxyIsTrustedAndHostNamesAreStillChecked() async throws {
        let proxy = try FaultServer(host: "127.0.0.3")
        defer { proxy.stop() }
        proxy.route("http://public.example/a", .body(Data("through".utf8)))
        var config = try config()
        config.proxy = "http://127.0.0.3:\(proxy.port)"
        let url = try #require(URL(string: "http://public.example/a"))
        try await withDownloader(config) { _, downloader in
            try await #expect(downloader.fetch(url).data == Data("through".utf8))
            // The proxy resolves host names, so the downloader cannot check the addresses of host names. If the
            // host is a numeric address, the downloader must still check this address.
            let inner = try #require(URL(string: "http://10.0.0.1/"))
            try await #expect(downloader.failure(inner).code == .invalidDownloadOperation)
            #expect(proxy.requests.count == 1)
        }
    }
}
