import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests configuration members, options and environment variables that no other suite tests.
@Suite(.timeLimit(minutes: 1))
struct ConfigurationTests {
    @Test(arguments: [0, 1, 3]) func redirectsEndAtTheMaximum(maximum: Int) async throws {
        for policy in [nil, try localPolicy()] {
            var config = WebImageDownloaderConfig.default
            config.maxRedirects = maximum
            config.policy = policy
            try await withDownloader(config) { server, downloader in
                server.route(
                    "/hop",
                    .dynamic { request in
                        let left = request.query.flatMap { Int($0) } ?? 0
                        return left == 0 ? .body(Data("end".utf8)) : .redirect(to: "/hop?\(left - 1)")
                    })
                try await #expect(downloader.fetch(server.url("/hop?\(maximum)")).data == Data("end".utf8))
                let error = try await downloader.failure(server.url("/hop?\(maximum + 1)"))
                #expect(error.code == .transport)
                #expect(error.curlCode == 47)
            }
        }
    }

    private func localPolicy() throws -> DownloadPolicy {
        var policy = DownloadPolicy.server
        policy.allowedAddresses = [try #require(AddressRange("127.0.0.0/8"))]
        return policy
    }

    @Test func priorityOptionsDecideTheOrder() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloads = 1
        try await withDownloader(config) { server, downloader in
            let gate = FaultGate()
            server.route("/first", .gated(gate, .body(Data("1".utf8))))
            let done = Collected<Int>()
            let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
            downloader.downloadImage(with: server.url("/first"), context: context) { _, _, _, _ in done.append(0) }
            try await eventually("the first runs") { server.requestCount("/first") == 1 }
            let options: [(String, WebImageDownloaderOptions)] = [
                ("/low", .lowPriority), ("/normal", []), ("/high", [.highPriority, .lowPriority]),
            ]
            for (path, options) in options {
                downloader.downloadImage(with: server.url(path), options: options, context: context) { _, _, _, _ in
                    done.append(1)
                }
            }
            gate.open()
            try await eventually("all four downloads completed") { done.values.count == 4 }
            #expect(server.requests.map(\.path) == ["/first", "/high", "/normal", "/low"])
        }
    }

    @Test func changedMaximumAndOrderApplyAtOnce() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/first", .gated(gate, .body(Data("1".utf8))))
            for path in ["/a", "/b"] { server.route(path, .body(Data(path.utf8))) }
            downloader.config.maxConcurrentDownloads = 1
            downloader.config.executionOrder = .lifo
            var tasks = [Task { try await downloader.fetch(server.url("/first")) }]
            try await eventually("the first runs") { server.requestCount("/first") == 1 }
            for (number, path) in ["/a", "/b"].enumerated() {
                tasks.append(Task { try await downloader.fetch(server.url(path)) })
                try await eventually("the download is queued") { downloader.currentDownloadCount == number + 2 }
            }
            gate.open()
            for task in tasks { _ = try await task.value }
            #expect(server.requests.map(\.path) == ["/first", "/b", "/a"])
        }
    }

    @Test func limitOfTheContextOverridesTheConfiguration() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .respond(FaultResponse(.zeros(10_000))))
            let limits = DecodingLimits(maxEncodedBytes: 9999)
            let load = ImageDataLoad(url: server.url("/a"), context: [.decodingLimits: limits])
            await #expect {
                try await downloader.loadData(for: load, progress: nil)
            } throws: {
                ($0 as? WebImageError)?.underlying == .limit(.bodyBytes, actual: 10_000, allowed: 9999)
            }
        }
    }

    @Test func nonPositiveTimeoutIsTheDefault() async throws {
        var config = WebImageDownloaderConfig.default
        config.downloadTimeout = 0
        try await withDownloader(config) { server, downloader in
            var late = FaultResponse(.zeros(10))
            late.delay = .milliseconds(300)
            server.route("/a", .respond(late))
            try await #expect(downloader.fetch(server.url("/a")).data.count == 10)
        }
    }

    /// Runs in a separate process, because the test sets environment variables, which apply to the whole process.
    @Test func proxyOfTheEnvironmentIsIgnoredUnderTheServerPolicy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try FaultServer(host: "127.0.0.3")
            setenv("http_proxy", "http://127.0.0.3:\(proxy.port)", 1)
            for name in ["no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
            proxy.route("http://public.example/a", .body(Data("through".utf8)))
            let url = try #require(URL(string: "http://public.example/a"))
            try await withDownloader { _, downloader in
                try await #expect(downloader.fetch(url).data == Data("through".utf8))
            }
            #expect(proxy.requests.count == 1)
            var config = WebImageDownloaderConfig.default
            config.resolvedHosts = ["public.example:80:127.0.0.1"]
            config.policy = .server
            try await withDownloader(config) { _, downloader in
                // `DownloadPolicy.server` ignores the proxy of the environment. The downloader therefore resolves
                // the name itself, checks the address and refuses it.
                try await #expect(downloader.failure(url).code == .invalidDownloadOperation)
            }
            // This policy only ignores the proxies of the environment. The request therefore reaches the server
            // directly.
            config.policy = DownloadPolicy()
            config.policy?.usesEnvironmentProxies = false
            try await withDownloader(config) { server, downloader in
                server.route("/a", .body(Data("straight".utf8)))
                try await #expect(downloader.fetch(server.url("/a")).data == Data("straight".utf8))
            }
            config = .default
            config.proxy = ""
            try await withDownloader(config) { server, downloader in
                server.route("/a", .body(Data("straight".utf8)))
                try await #expect(downloader.fetch(server.url("/a")).data == Data("straight".utf8))
            }
            #expect(proxy.requests.count == 1)
            proxy.stop()
        }
    }
}

/// Tests client certificates, and redirects from https to http, with nginx.
@Suite(.enabled(if: NginxServer.isAvailable, "nginx and openssl are not installed"), .timeLimit(minutes: 1))
struct ClientCertificateTests {
    private let nginx: NginxServer

    init() throws {
        nginx = try NginxServer()
        try Data("a".utf8).write(to: nginx.root.appendingPathComponent("a.png"))
    }

    private func config(_ certificate: ClientCertificate?) -> WebImageDownloaderConfig {
        var config = WebImageDownloaderConfig.default
        config.certificateAuthorityFile = nginx.certificateFile.path
        config.clientCertificate = certificate
        return config
    }

    @Test func clientCertificateIsAccepted() async throws {
        let url = nginx.clientCertificateURL("/a.png")
        var certificate = ClientCertificate(
            certificateFile: nginx.certificateFile.path, keyFile: nginx.keyFile.path)
        try await withDownloader(config(certificate)) { _, downloader in
            try await #expect(downloader.fetch(url).data == Data("a".utf8))
        }
        (certificate.keyFile, certificate.password) = (nginx.encryptedKeyFile.path, "secret")
        try await withDownloader(config(certificate)) { _, downloader in
            try await #expect(downloader.fetch(url).data == Data("a".utf8))
        }
        let both = nginx.root.appendingPathComponent("both.pem")
        try (Data(contentsOf: nginx.certificateFile) + Data(contentsOf: nginx.keyFile)).write(to: both)
        try await withDownloader(config(ClientCertificate(certificateFile: both.path))) { _, downloader in
            try await #expect(downloader.fetch(url).data == Data("a".utf8))
        }
    }

    @Test func requestWithoutClientCertificateIsRefused() async throws {
        try await withDownloader(config(nil)) { _, downloader in
            let error = try await downloader.failure(nginx.clientCertificateURL("/a.png"))
            #expect(error.code == .invalidDownloadStatusCode)
            #expect(error.underlying == .http(status: 400))
        }
    }

    @Test func unusableClientCertificateIsCurl58() async throws {
        let wrong = [
            ClientCertificate(certificateFile: "/nowhere.pem"),
            ClientCertificate(
                certificateFile: nginx.certificateFile.path, keyFile: nginx.encryptedKeyFile.path, password: "wrong"),
        ]
        for certificate in wrong {
            try await withDownloader(config(certificate)) { _, downloader in
                let error = try await downloader.failure(nginx.clientCertificateURL("/a.png"))
                #expect(error.code == .transport)
                #expect(error.curlCode == 58)
                #expect(error.hint?.contains("client certificate") == true)
            }
        }
    }

    @Test func redirectFromHTTPSToHTTPIsRefusedUnderAPolicyUnlessAllowed() async throws {
        var config = config(nil)
        config.policy = DownloadPolicy()
        try await withDownloader(config) { server, downloader in
            server.route("/", .body(Data("plain".utf8)))
            let source = nginx.secureURL("/leave/\(server.port)")
            let error = try await downloader.failure(source)
            #expect(error.code == .invalidDownloadOperation)
            #expect(server.requests.isEmpty)
            downloader.config.policy?.allowsDowngrade = true
            try await #expect(downloader.fetch(source).data == Data("plain".utf8))
        }
    }
}
