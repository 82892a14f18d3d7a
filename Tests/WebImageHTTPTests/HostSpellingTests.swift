import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// A host can be spelled in many ways, such as `LOCALHOST` or `%6cocalhost`. The downloader converts every
/// spelling to the canonical one. Otherwise a denied host would be reachable under another spelling, and
/// limits, shared downloads, cookies and credentials would treat one host as several.
@Suite(.timeLimit(minutes: 1))
struct HostSpellingTests {
    static let names = [
        "localhost", "LOCALHOST", "%6cocalhost", "%6C%6F%63alhost", "localhost.", "lo%63alhost%2e",
        "%EF%BD%8Cocalhost", "ｌｏｃａｌｈｏｓｔ", "local\u{AD}host",
    ]

    static let addresses = [
        "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F.1", "0177.0.0.1",
        "%31%32%37.0.0.1", "127%2e0.0.1", "①②⑦.0.0.1", "127。0。0。1", "[::ffff:127.0.0.1]", "[::FFFF:7f00:1]",
    ]

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("10.20.30.40", "10.20.30.40"), ("127.0.0.01", "127.0.0.1"), ("010.0.0.1", "8.0.0.1"), ("00.0.0.1", "0.0.0.1"),
        ("127.0.1", "127.0.0.1"), ("1.2.3.4.", "1.2.3.4"), ("0x7f.0.0.1", "127.0.0.1"), ("1.2.3.a", "1.2.3.a"),
        ("1.2.3.4.5", "1.2.3.4.5"), ("256.1.1.1", "256.1.1.1"), ("1..2.3", "1..2.3"), ("a.test", "a.test"),
        ("1.2.3.99999999999999999999", "1.2.3.99999999999999999999"),
    ])
    func anAddressHasOneSpelling(host: String, canonical: String) throws {
        let url = try #require(URL(string: "http://\(host):8080/x?y"))
        #expect(url.withCanonicalHost?.absoluteString == "http://\(canonical):8080/x?y")
    }

    enum Way: CaseIterable, Sendable { case direct, redirect }

    private func url(_ host: String, _ server: FaultServer, _ path: String = "/a") throws -> URL {
        try #require(URL(string: "http://\(host):\(server.port)\(path)"))
    }

    private func expectDenial(
        of host: String, by way: Way = .direct, _ change: (inout DownloadPolicy) -> Void
    ) async throws {
        let outer = try FaultServer(host: "127.0.0.77")
        defer { outer.stop() }
        var config = WebImageDownloaderConfig.default
        var policy = DownloadPolicy()
        change(&policy)
        config.policy = policy
        try await withDownloader(config) { server, downloader in
            server.route("/a", .body(Data("secret".utf8)))
            let target = try url(host, server)
            outer.route("/away", .redirect(to: "http://\(host):\(server.port)/a"))
            let error = try await downloader.failure(way == .redirect ? outer.url("/away") : target)
            #expect(error.code == .invalidDownloadOperation, "\(error)")
            #expect(server.connectionCount == 0)
            #expect(outer.requests.count == (way == .redirect ? 1 : 0))
        }
    }

    @Test(arguments: names, Way.allCases) func deniedNameIsRefusedInEverySpelling(_ host: String, _ way: Way)
        async throws
    {
        try await expectDenial(of: host, by: way) { $0.deniedHosts = ["localhost"] }
    }

    @Test(arguments: addresses, Way.allCases)
    func deniedAddressIsRefusedInEverySpelling(_ host: String, _ way: Way) async throws {
        try await expectDenial(of: host, by: way) { $0.deniedHosts = ["127.0.0.1"] }
    }

    @Test(arguments: ["LOCALHOST", "localhost.", "%6cocalhost", ".localhost", ".LOCALHOST."])
    func patternsMatchInEverySpelling(_ pattern: String) async throws {
        try await expectDenial(of: "localhost") { $0.deniedHosts = [pattern] }
        try await expectDenial(of: "localhost") { policy in
            policy.allowedHosts = [pattern, "127.0.0.77"]
            policy.deniedHosts = ["localhost"]
        }
    }

    @Test func internationalNamesCompareInTheirASCIIForm() throws {
        var policy = DownloadPolicy()
        for pattern in ["bücher.example", "BÜCHER.example.", "xn--bcher-kva.example", "b%C3%BCcher.example"] {
            policy.deniedHosts = [pattern]
            for host in ["bücher.example", "xn--bcher-kva.example", "XN--BCHER-KVA.example", "b%C3%BCcher.example"] {
                let url = try #require(URL(string: "http://\(host)/"))
                #expect(policy.refusal(of: url) != nil, "\(host) against \(pattern)")
            }
        }
        policy.deniedHosts = [".example"]
        #expect(try policy.refusal(of: #require(URL(string: "http://a%2eexample/"))) != nil)
        #expect(try policy.refusal(of: #require(URL(string: "http://counterexample/"))) == nil)
    }

    @Test(arguments: names) func allowedNameIsFetchedInEverySpelling(_ host: String) async throws {
        var config = WebImageDownloaderConfig.default
        config.policy = DownloadPolicy()
        config.policy?.allowedHosts = ["localhost"]
        try await withDownloader(config) { server, downloader in
            server.route("/a", .body(Data("a".utf8)))
            try await #expect(downloader.fetch(try url(host, server)).data == Data("a".utf8))
            try await #expect(downloader.failure(server.url("/a")).code == .invalidDownloadOperation)
        }
    }

    @Test(arguments: ["a%2fb", "a%40b", "a%00b", "a%3ab", "a%5cb", "a%20b", "%2e", "."])
    func impossibleHostIsRefused(_ host: String) async throws {
        try await withDownloader { server, downloader in
            // For some of these hosts `URL(string:)` returns nil, so there is nothing to test.
            guard let url = URL(string: "http://\(host):\(server.port)/a") else { return }
            try await #expect(downloader.failure(url).code == .invalidURL)
            #expect(downloader.identity(of: ImageDataLoad(url: url)).cacheScope == .unstored)
        }
    }

    @Test func spellingsShareOneDownload() async throws {
        try await withDownloader { server, downloader in
            let gate = FaultGate()
            server.route("/a", .gated(gate, .body(Data("a".utf8))))
            let urls = try Self.names.map { try url($0, server) }
            let joined = Collected<Int>()
            let tasks = urls.enumerated().map { index, url in
                Task { try await downloader.fetch(url) { _, _, _ in joined.append(index) } }
            }
            try await eventually("all have joined") { Set(joined.values).count == urls.count }
            try await eventually("one request") { server.requests.count == 1 && downloader.currentDownloadCount == 1 }
            gate.open()
            for task in tasks { try await #expect(task.value.data == Data("a".utf8)) }
            #expect(server.requests.count == 1)
        }
    }

    @Test func spellingsShareTheLimitOfTheirHost() async throws {
        var config = WebImageDownloaderConfig.default
        config.maxConcurrentDownloadsPerHost = 1
        try await withDownloader(config) { server, downloader in
            let gate = FaultGate()
            let all = Self.names + Self.addresses.prefix(2)
            for index in all.indices { server.route("/\(index)", .gated(gate, .body(Data("a".utf8)))) }
            let urls = try all.indices.map { try url(all[$0], server, "/\($0)") }
            let tasks = urls.map { url in Task { try await downloader.fetch(url) } }
            try await eventually("one of each host") { server.concurrentRequests == 2 }
            gate.open()
            for task in tasks { _ = try await task.value }
            #expect(server.maxConcurrentRequests == 2)
        }
    }

    @Test func spellingsShareCookies() async throws {
        try await withDownloader { server, downloader in
            server.route("/login", .body(Data("in".utf8), headers: ["Set-Cookie": "session=1"]))
            server.route("/a", .body(Data("a".utf8)))
            _ = try await downloader.fetch(try url("localhost", server, "/login"), options: .handleCookies)
            for host in Self.names {
                _ = try await downloader.fetch(try url(host, server), options: .handleCookies)
                #expect(server.requests.last?.headers["cookie"] == "session=1", "\(host)")
            }
            _ = try await downloader.fetch(server.url("/a"), options: .handleCookies)
            #expect(server.requests.last?.headers["cookie"] == nil)
        }
    }

    @Test func spellingsShareTheScopeOfTheirCredentials() throws {
        let downloader = WebImageDownloader(config: .default, engine: CurlEngine())
        downloader.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        let identities = try Self.names.map { name in
            downloader.identity(of: ImageDataLoad(url: try #require(URL(string: "http://\(name)/a"))))
        }
        #expect(Set(identities).count == 1)
        #expect(identities.first?.cacheScope != .shared)
    }

    @Test func normalisationKeepsUserPortAndPath() throws {
        let url = try #require(URL(string: "http://us%40er:p%2Fw@%6cOCALhost:8080/a%2Fb%20c?q=%25&r=%2F#f"))
        #expect(url.withCanonicalHost?.absoluteString == "http://us%40er:p%2Fw@localhost:8080/a%2Fb%20c?q=%25&r=%2F#f")
        let zoned = try #require(URL(string: "http://[FE80:0::1%25eth0]/a"))
        #expect(zoned.withCanonicalHost?.absoluteString == "http://[fe80::1%25eth0]/a")
        for same in ["http://a-b_c.example/", "https://xn--bcher-kva.example:1/x", "http://[::1]/", "http://10.0.0.1/"]
        {
            #expect(URL(string: same)?.withCanonicalHost?.absoluteString == same)
        }
    }

    @Test(arguments: ["1.2.3.4.5", "256.1.1.1", "4294967296", "08.1.1.1", "0xg.1", "1.2.3.256", "1..2", "a.1"])
    func hostThatIsNoAddressStaysAName(_ host: String) throws {
        let canonical = try #require(CanonicalHost(host))
        #expect(canonical.address == nil)
        #expect(canonical.text == host)
    }
}
