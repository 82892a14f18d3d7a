import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests which header fields and credentials a request has after a redirect. Another origin must not receive any
/// secret: with or without a policy, through a proxy, over HTTP/1.1 and HTTP/2.
@Suite(.timeLimit(minutes: 1))
struct RedirectSecretTests {
    static let secrets = [
        "Authorization": "Bearer secret", "Cookie": "c=secret", "X-Api-Key": "secret", "X-Auth-Token": "secret",
        "Proxy-Authorization": "Basic secret", "Referer": "http://secret.test/", "If-None-Match": "\"secret\"",
    ]
    static let harmless = [
        "Accept-Language": "de", "Cache-Control": "no-cache", "Pragma": "no-cache", "Range": "bytes=0-9",
        "User-Agent": "tests",
    ]

    private func config(_ hasPolicy: Bool) -> WebImageDownloaderConfig {
        var config = WebImageDownloaderConfig.default
        if hasPolicy {
            var policy = DownloadPolicy()
            policy.allowsDowngrade = true
            config.policy = policy
        }
        return config
    }

    private func setFields(_ downloader: WebImageDownloader) {
        for (field, value) in Self.secrets.merging(Self.harmless, uniquingKeysWith: { own, _ in own }) {
            downloader.setValue(value, forHTTPHeaderField: field)
        }
    }

    private func expectNoSecrets(_ request: FaultRequest?) throws {
        let fields = try #require(request).headers
        for field in Self.secrets.keys { #expect(fields[field.lowercased()] == nil, "\(field)") }
        for (field, value) in Self.harmless { #expect(fields[field.lowercased()] == value, "\(field)") }
    }

    @Test(arguments: [301, 302, 303, 307, 308], [true, false])
    func anotherOriginReceivesNoSecrets(_ status: Int, hasPolicy: Bool) async throws {
        try await withDownloader(config(hasPolicy)) { server, downloader in
            let other = try FaultServer()
            defer { other.stop() }
            server.route("/away", .redirect(to: other.url("/b").absoluteString, status: status))
            server.route("/near", .redirect(to: "/away", status: status))
            other.route("/b", .body(Data("b".utf8)))
            setFields(downloader)
            _ = try await downloader.fetch(server.url("/near"))
            try expectNoSecrets(other.requests.last)
            #expect(server.requests.map(\.path) == ["/near", "/away"])
            // The same origin receives everything.
            for request in server.requests {
                for (field, value) in Self.secrets { #expect(request.headers[field.lowercased()] == value) }
            }
        }
    }

    /// The fields stay dropped when a chain of redirects leads back to the first origin, because the other origin has
    /// chosen the target.
    @Test(arguments: [true, false]) func returnToTheFirstOriginReceivesNoSecrets(hasPolicy: Bool) async throws {
        try await withDownloader(config(hasPolicy)) { server, downloader in
            let other = try FaultServer()
            defer { other.stop() }
            server.route("/away", .redirect(to: other.url("/back").absoluteString))
            other.route("/back", .redirect(to: server.url("/b").absoluteString))
            server.route("/b", .body(Data("b".utf8)))
            setFields(downloader)
            _ = try await downloader.fetch(server.url("/away"))
            try expectNoSecrets(server.requests.last)
        }
    }

    @Test(arguments: [true, false]) func proxyForwardsNoSecretsToAnotherOrigin(hasPolicy: Bool) async throws {
        let proxy = try FaultServer(host: "127.0.0.3")
        defer { proxy.stop() }
        var config = config(hasPolicy)
        config.proxy = "http://127.0.0.3:\(proxy.port)"
        try await withDownloader(config) { _, downloader in
            let (source, target) = ("http://one.test/a", "http://two.test/b")
            // The path of a request to a proxy is the whole URL.
            proxy.route(source, .redirect(to: target))
            proxy.route(target, .body(Data("b".utf8)))
            setFields(downloader)
            _ = try await downloader.fetch(try #require(URL(string: source)))
            #expect(proxy.requests.map(\.path) == [source, target])
            #expect(proxy.requests.first?.headers["x-api-key"] == "secret")
            try expectNoSecrets(proxy.requests.last)
        }
    }

    /// User name and password of the configuration answer a challenge of the first origin, not of another one. The
    /// same is true for those in the URL.
    @Test(arguments: [true, false], [true, false])
    func challengeOfAnotherOriginIsNotAnswered(hasPolicy: Bool, isInURL: Bool) async throws {
        var config = config(hasPolicy)
        if !isInURL { (config.username, config.password) = ("user", "secret") }
        try await withDownloader(config) { server, downloader in
            let other = try FaultServer()
            defer { other.stop() }
            let challenge = FaultBehaviour.body(Data(), status: 401, headers: ["WWW-Authenticate": "Basic realm=x"])
            server.route(
                "/away",
                .dynamic {
                    $0.headers["authorization"] == nil ? challenge : .redirect(to: other.url("/b").absoluteString)
                })
            other.route("/b", challenge)
            var url = server.url("/away")
            if isInURL {
                var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
                (components.user, components.password) = ("user", "secret")
                url = try #require(components.url)
            }
            try await #expect(downloader.failure(url).underlying == .http(status: 401))
            #expect(other.requests.map { $0.headers["authorization"] } == [nil])
            #expect(server.requests.last?.headers["authorization"] != nil)
        }
    }

    /// Without a policy, curl followed redirects of POST requests and sent the body to the other origin.
    @Test(arguments: [true, false]) func anotherOriginReceivesNoBody(hasPolicy: Bool) async throws {
        try await withDownloader(config(hasPolicy)) { server, downloader in
            let other = try FaultServer()
            defer { other.stop() }
            server.route("/away", .redirect(to: other.url("/b").absoluteString, status: 307))
            other.route("/b", .body(Data("b".utf8)))
            let modifier = WebImageDownloaderRequestModifier(method: "POST", headers: nil, body: Data("secret".utf8))
            let load = ImageDataLoad(url: server.url("/away"), context: [.downloadRequestModifier: modifier])
            await #expect(throws: WebImageError.self) { try await downloader.loadData(for: load, progress: nil) }
            #expect(other.requests.isEmpty)
        }
    }

    /// A redirect is followed as soon as its head has arrived. A server cannot delay the load with the body of the
    /// redirect.
    @Test func redirectWithAStalledBodyIsFollowed() async throws {
        try await withDownloader { server, downloader in
            var stalled = FaultResponse(.zeros(100), status: 302, headers: ["Location": "/b"])
            (stalled.piece, stalled.interval) = (1, .seconds(60))
            server.route("/short", .respond(stalled))
            stalled.body = .zeros(1 << 20)
            server.route("/long", .respond(stalled))
            (stalled.body, stalled.framing) = (.endless, .chunked)
            server.route("/endless", .respond(stalled))
            server.route("/b", .body(Data("b".utf8)))
            for path in ["/short", "/long", "/endless"] {
                let start = ContinuousClock.now
                try await #expect(downloader.fetch(server.url(path)).data == Data("b".utf8))
                #expect(ContinuousClock.now - start < .seconds(45), "\(path)")
            }
        }
    }

    /// An operation without a downloader follows redirects itself, by the same rules.
    @Test func operationWithoutADownloaderSendsNoSecrets() async throws {
        let (server, other) = (try FaultServer(), try FaultServer())
        defer {
            server.stop()
            other.stop()
        }
        server.route("/away", .redirect(to: other.url("/b").absoluteString))
        server.route("/loop", .redirect(to: "/loop"))
        other.route("/b", .body(Data("b".utf8)))
        func run(_ path: String) async -> Result<WebImageDownloadEnd, WebImageError> {
            var request = WebImageRequest(url: server.url(path))
            for (field, value) in Self.secrets.merging(Self.harmless, uniquingKeysWith: { own, _ in own }) {
                request.setValue(value, forHTTPHeaderField: field)
            }
            let operation = WebImageDownloaderOperation(WebImageDownloaderJob(request: request))
            return await withCheckedContinuation { operation.start(EndSink($0)) }
        }
        let end = try await run("/away").get()
        #expect(end.response.url == other.url("/b"))
        #expect(end.metrics.redirectCount == 1)
        try expectNoSecrets(other.requests.last)
        let failure = await run("/loop")
        #expect(throws: WebImageError.self) { try failure.get() }
        #expect(server.requestCount("/loop") == 11)
    }

    private final class EndSink: WebImageDownloaderSink {
        private let continuation: CheckedContinuation<Result<WebImageDownloadEnd, WebImageError>, Never>

        init(_ continuation: CheckedContinuation<Result<WebImageDownloadEnd, WebImageError>, Never>) {
            self.continuation = continuation
        }

        func transferDidReceive(head: WebImageResponse) -> WebImageError? { nil }
        func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? { nil }
        func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {
            continuation.resume(returning: result)
        }
    }

    @Test(.enabled(if: NginxServer.isAvailable, "nginx and openssl are not installed"), arguments: [true, false])
    func redirectsOverTLSCarryNoSecrets(hasPolicy: Bool) async throws {
        let nginx = try NginxServer()
        var config = config(hasPolicy)
        config.certificateAuthorityFile = nginx.certificateFile.path
        try await withDownloader(config) { server, downloader in
            setFields(downloader)
            downloader.setValue(nil, forHTTPHeaderField: "Range")
            // From https to plain http.
            server.route("/", .body(Data("plain".utf8)))
            try await #expect(downloader.fetch(nginx.secureURL("/leave/\(server.port)")).data == Data("plain".utf8))
            let fields = try #require(server.requests.last).headers
            for field in Self.secrets.keys { #expect(fields[field.lowercased()] == nil, "\(field)") }
            // From one https origin to another over HTTP/2, and within one.
            let other = try await downloader.fetch(nginx.secureURL("/other/\(nginx.httpsPort)"))
            #expect(String(decoding: other.data, as: UTF8.self) == "HTTP/2.0|")
            let same = try await downloader.fetch(nginx.secureURL("/echo"))
            #expect(String(decoding: same.data, as: UTF8.self).contains("secret"))
        }
    }
}
