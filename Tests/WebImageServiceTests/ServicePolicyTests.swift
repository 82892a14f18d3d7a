import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageS3
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests which sources the service accepts, and how it responds to hostile targets.
@Suite(.timeLimit(minutes: 2))
struct ServicePolicyTests {
    static let patterns: [(pattern: String, url: String, matches: Bool)] = [
        ("http://good.com/", "http://good.com/a.jpg", true),
        ("http://good.com", "http://good.com/a.jpg", true),
        ("http://good.com", "http://good.com", true),
        ("http://good.com", "http://good.com.evil.example/a.jpg", false),
        ("http://good.com", "http://good.community/a.jpg", false),
        ("http://good.com/a", "http://good.com/abc", true),
        ("https://good.com/", "http://good.com/", false),
        ("http://*.good.com/", "http://img.good.com/x", true),
        ("http://*.good.com/", "http://evil.example/.good.com/", false),
        ("http://*/x/", "http://a/x/y", true),
        ("http://*/x/", "http://a/b/x/y", false),
        ("local:///shop/", "local:///shop/a.jpg", true),
        ("local:///shop/", "local:///other/a.jpg", false),
        ("*", "http://a/", true),
        ("http://", "http://any.example/a", true),
        ("http://", "https://any.example/a", false),
        ("local://", "local:///a", true),
        ("HTTP://GOOD.com/Path/", "http://good.com/Path/a", true),
        ("http://GOOD.com./Path/", "http://good.com/path/a", false),
        ("http://*.GOOD.com/", "http://img.good.com/a", true),
        ("http://[2001:DB8:0::1]/", "http://[2001:db8::1]/a", true),
        ("http://[2001:db8::1]", "http://[2001:db8::1]/a", true),
        ("http://[2001:db8::1]", "http://[2001:db8::12]/a", false),
        ("http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080/a", true),
        ("http://[2001:db8::1]/", "http://[2001:db8::1]:8080/a", false),
        ("http://good.com:8080", "http://good.com:8080/a", true),
        ("http://good.com:80", "http://good.com:8080/a", false),
        ("s3://123/", "s3://123/a", true),
        ("s3://pictures", "s3://pictures/a", true),
        ("s3://pictures", "s3://pictures-2/a", false),
        ("s3://pictures/a b*/", "s3://pictures/a%20b1/c", true),
        ("s3://pictures/a(", "s3://pictures/a%28", true),
        ("S3://", "s3://any-bucket/a", true),
        ("s3://", "http://any.example/a", false),
    ]

    @Test(arguments: patterns) func patternsMatchPrefixesAndWholeHosts(
        row: (pattern: String, url: String, matches: Bool)
    ) {
        #expect(SourcePattern(text: row.pattern).matches(row.url) == row.matches)
    }

    static let objects: [(source: String, key: String?, status: Int)] = [
        ("s3://pictures/public/a b.jpg", "s3://pictures/public/a%20b.jpg", 200),
        ("s3://pictures/public/%61%20b.jpg", "s3://pictures/public/a%20b.jpg", 200),
        ("S3://pictures/public/ü", "s3://pictures/public/%C3%BC", 200),
        ("s3://pictures/private/a.jpg", nil, 403), ("s3://pictures/publicity/a.jpg", nil, 403),
        ("s3://pictures/public", nil, 403), ("s3://other/public/a.jpg", nil, 403),
        ("s3://pictures/public/../private/a.jpg", nil, 400), ("s3://pictures/public/%2e%2e/private/a.jpg", nil, 400),
        ("s3://pictures/public/..;x/a.jpg", nil, 403), ("s3://pictures/public/..\\a.jpg", nil, 403),
        ("s3://pictures/public/a.jpg?versionId=Ab.1/%2b", "s3://pictures/public/a.jpg?versionId=Ab.1%2F%2B", 200),
        ("s3://pictures/private/a.jpg?versionId=1", nil, 403),
        ("s3://pictures/public/a.jpg?endpoint=http://127.0.0.1", nil, 400), ("s3://pictures/public/a#b", nil, 400),
        ("s3://user:word@pictures/public/a.jpg", nil, 400), ("s3://pictures:80/public/a.jpg", nil, 400),
        ("s3://127.0.0.1/public/a.jpg", nil, 403), ("s3://pictures/", nil, 400), ("s3://pictures", nil, 400),
        ("s3:pictures/public/a.jpg", nil, 400), ("s3://pictures/public/%zz", nil, 400),
        ("s3://pictures/public/" + String(repeating: "a", count: 1100), nil, 400),
    ]

    @Test(arguments: objects) func onlyObjectsOfConfiguredBucketsAreSources(
        row: (source: String, key: String?, status: Int)
    ) throws {
        var configuration = ServiceConfiguration()
        configuration.s3Sources = ["s3://pictures/public?endpoint=https://store.example"]
        for allowed in [[], ["s3://pictures/"], ["http://a.example/"]] {
            configuration.allowedSources = allowed
            let settings = try ServiceSettings(configuration)
            do throws(ServiceRefusal) {
                let reference = try settings.sources.reference(of: row.source)
                #expect(reference.key == row.key && allowed != ["http://a.example/"])
                #expect(reference.store == "https://store.example")
            } catch {
                let isForbidden = row.status == 200 && allowed == ["http://a.example/"]
                #expect(error.status == (isForbidden ? 403 : row.status))
            }
            // Patterns of buckets add no host to which a source may redirect.
            #expect(
                settings.sources.allowedHosts
                    == (allowed.isEmpty ? nil : allowed[0] == "s3://pictures/" ? [] : ["a.example"]))
        }
        // Without a bucket in the configuration, no client can make the service ask a store.
        #expect(throws: ServiceRefusal.self) {
            try ServiceSettings(ServiceConfiguration()).sources.reference(of: row.source)
        }
    }

    @Test func keysOfBucketsAreCheckedAndNeverPrinted() throws {
        var configuration = ServiceConfiguration()
        configuration.s3Sources = ["s3://pictures", "s3://own-pictures?profile=own"]
        configuration.s3Keys = ["pictures:ID:s3cret/+=word", "own-pictures:ID:s3cret"]
        let buckets = try ServiceSettings(configuration).buckets
        #expect(buckets.map(\.bucket) == ["pictures", "own-pictures"])
        #expect(!configuration.printed.contains("s3cret"))
        for (sources, keys, name) in [
            (["s3://pictures", "s3://pictures/b"], [], "s3-source"), (["s3://pictures?x=1"], [], "s3-source"),
            (["https://pictures"], [], "s3-source"), (["s3://pictures"], ["pictures:s3cret"], "s3-key"),
            (["s3://pictures"], ["other:ID:s3cret"], "s3-key"), (["s3://pictures"], ["pictures::s3cret"], "s3-key"),
        ] {
            (configuration.s3Sources, configuration.s3Keys) = (sources, keys)
            let error = #expect(throws: ConfigurationError.self) { try ServiceSettings(configuration) }
            #expect(error?.name == name && error?.description.contains("s3cret") == false)
        }
        #expect(throws: ConfigurationError.self) { try configuration.read(flags: ["--s3-key", "pictures:ID:s3cret"]) }
    }

    @Test(arguments: [
        "good.com", "ftp://good.com/", "http://user@good.com/", "http://[::1/", "http://[zz]/", "http:///a",
        "http://a b/",
        "s3://user@bucket/", "s3://Bucket/", "s3://bucket:80/", "http://good.com:x/", "http://a:b:c/", "//good.com/",
        "http://good.com:65536/", "http://good.com:/",
    ]) func patternThatMatchesNoSourceIsAnErrorWithItsLine(pattern: String) {
        var configuration = ServiceConfiguration()
        let error = #expect(throws: ConfigurationError.self) {
            try configuration.read(file: "ttl = 1\n# c\nallowed-source = http://a/, \(pattern)\n", at: "/etc/x.conf")
        }
        #expect(error?.name == "allowed-source" && error?.place == "/etc/x.conf:3")
        #expect(error?.description.hasPrefix("/etc/x.conf:3: allowed-source: '\(pattern)'") == true)
    }

    @Test func hostsOfPatternsAreThoseOfRedirects() throws {
        func hosts(_ patterns: String...) throws -> Set<String>? {
            try ServiceSettings(ServiceConfiguration.with { ($0.allowedSources, $0.root) = (patterns, "/") })
                .downloadPolicy.allowedHosts
        }
        #expect(try hosts("http://[2001:DB8::1]:80/a") == ["2001:db8::1"])
        #expect(try hosts("http://GOOD.com:8080", "https://*.CDN.example/a") == ["good.com", ".cdn.example"])
        #expect(try hosts("http://good.com/", "https://") == nil)
        #expect(try hosts("local:///") == [])
    }

    @Test(arguments: [
        "http://good.com/a/..;/secret.png", "http://good.com/a/..;x=1/secret.png", "http://good.com/a/..%3b/secret.png",
        "http://good.com/a/..\\secret.png", "http://good.com/a/..%5csecret.png", "http://good.com/a\\..\\secret.png",
        "http://good.com/a/.;/secret.png", "local:///a/..;/secret.png", "local:///a/..\\secret.png",
    ]) func spellingsOfTheFolderAboveAreRefused(source: String) throws {
        let policy = try ServiceSettings(
            ServiceConfiguration.with { ($0.allowedSources, $0.root) = (["http://good.com/a", "local:///a"], "/") }
        ).sources
        let refusal = #expect(throws: ServiceRefusal.self) { try policy.reference(of: source) }
        #expect(refusal?.status == 403)
    }

    @Test func targetIsBelowThePrefixOnlyAfterASlash() async throws {
        let bench = try ServiceBench { $0.pathPrefix = "/img" }
        #expect(await bench.get("/img/_/w:8/plain/\(ServiceBench.url)").status == 200)
        #expect(await bench.get("/imgfoo/_/w:8/plain/\(ServiceBench.url)").status == 404)
        #expect(await bench.get("/img_/w:8/plain/\(ServiceBench.url)").status == 404)
        #expect(await bench.get("/img").status == 200)
    }

    @Test(arguments: ["img", "/img/", "/", "/a?b", "/a b"])
    func prefixThatMatchesNoTargetIsAnErrorWithItsLine(prefix: String) {
        var configuration = ServiceConfiguration()
        let error = #expect(throws: ConfigurationError.self) {
            try configuration.read(file: "\npath-prefix = \(prefix)\n", at: "s.conf")
        }
        #expect(error?.description.hasPrefix("s.conf:2: path-prefix: ") == true)
    }

    @Test func aLongPatternOverALongUrlTakesNoTime() {
        let pattern = SourcePattern(text: "http://" + String(repeating: "*a", count: 50) + "b")
        #expect(!pattern.matches("http://" + String(repeating: "a", count: 4000)))
    }

    static let refusedSources: [(source: String, status: Int)] = [
        ("http://other.example/a.jpg", 403), ("http://good.com@evil.example/a.jpg", 403),
        ("http://user:secret@good.com/a.jpg", 403), ("http://good.com/allowed/../secret", 403),
        ("http://good.com/allowed/%2e%2e/secret", 403), ("ftp://good.com/a", 400), ("file:///etc/passwd", 400),
        ("javascript:alert(1)", 400), ("good.com/a.jpg", 400), ("http://", 400), ("http:///a", 403),
        ("local:///etc/passwd", 403), ("data:image/png;base64,AAAA", 400), ("s3://bucket/key", 403),
    ]

    @Test(arguments: refusedSources) func sourcesOutsideThePolicyAreRefusedWithoutAFetch(
        row: (source: String, status: Int)
    ) async throws {
        let bench = try ServiceBench { $0.allowedSources = ["http://good.com/allowed/"] }
        let encoded = Base64URL.encode(Array(row.source.utf8))
        let response = await bench.get("/_/w:1/\(encoded)")
        #expect(response.status == row.status)
        #expect(!response.text.contains("secret") && bench.server.fetchCount == 0)
    }

    @Test(arguments: [
        ("http://good.com/a%2520%5B1%5D.png", "http://good.com/a%20%5B1%5D.png"),
        ("http://good.com/a%2520[1].png", "http://good.com/a%20%5B1%5D.png"),
        ("http://good.com/фото%25201.png", "http://good.com/%D1%84%D0%BE%D1%82%D0%BE%201.png"),
        ("http://good.com/caf%E9.png", "http://good.com/caf%E9.png"),
        ("http://good.com/a%3Fx[]=1&n=a%2520b", "http://good.com/a?x%5B%5D=1&n=a%20b"),
        ("http:%5C%5Cgood.com%5Ca%20b.png", "http://good.com/a%20b.png"),
    ])
    func sourcesAreReadAsByBrowsers(_ source: String, _ key: String) throws {
        let policy = try ServiceSettings(ServiceConfiguration.with { $0.allowedSources = ["http://good.com/"] }).sources
        let target = try ImgproxyRouter().parse("/_/w:1/plain/\(source)")
        #expect(try policy.reference(of: target.source).key == key)
        // Thumbor's grammar reads a text without `:/` as a host.
        if !source.hasPrefix("http:%5C") {
            #expect(try policy.reference(of: ThumborRouter().parse("/unsafe/1x1/\(source)").source).key == key)
        }
        let encoded = Base64URL.encode(PercentEncoding.decoded(source.utf8))
        #expect(try policy.reference(of: ImgproxyRouter().parse("/_/w:1/\(encoded)").source).key == key)
    }

    @Test func allowedSourcesAreFetchedByTheirNormalisedURL() async throws {
        let bench = try ServiceBench { $0.allowedSources = ["http://good.com/"] }
        bench.server.answer("http://good.com/a.png", try PictureFixtures.quadrants())
        #expect(await bench.get("/_/w:8/plain/http://GOOD.com/a.png").status == 200)
        #expect(await bench.get("/_/w:8/plain/HTTP://good.com/a.png").logEntry.outcome == .memory)
        let settings = try ServiceSettings(
            ServiceConfiguration.with { $0.allowedSources = ["http://good.com/", "https://*.cdn.example/"] })
        #expect(settings.downloadPolicy.allowedHosts == ["good.com", ".cdn.example"])
        #expect(settings.downloadPolicy.publicAddressesOnly)
        #expect(try ServiceSettings(ServiceConfiguration()).downloadPolicy.allowedHosts == nil)
    }

    @Test func replacementsAndABaseUrlRewriteSources() throws {
        let settings = try ServiceSettings(
            ServiceConfiguration.with {
                $0.urlReplacements = ["mys3://*/=http://${1}.s3.example/", "img:=http://img.example/"]
                $0.baseURL = "http://"
            })
        #expect(try settings.sources.reference(of: "mys3://bucket/a/b").key == "http://bucket.s3.example/a/b")
        #expect(try settings.sources.reference(of: "img:a.jpg").key == "http://img.example/a.jpg")
        #expect(try settings.sources.reference(of: "plain.example/a").key == "http://plain.example/a")
    }

    // MARK: Local folders

    private func localBench() throws -> (bench: ServiceBench, folder: ScratchFolder) {
        let folder = try ScratchFolder()
        let root = folder.url.appendingPathComponent("root/sub")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try PictureFixtures.quadrants().write(to: root.appendingPathComponent("a b%.png"))
        try PictureFixtures.quadrants().write(to: folder.url.appendingPathComponent("outside.png"))
        for (name, target) in [("link.png", "../outside.png"), ("sub/deep.png", "../../outside.png"), ("folder", "..")]
        {
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.path + "/root/" + name, withDestinationPath: target)
        }
        mkfifo(folder.url.path + "/root/pipe", 0o600)
        return (try ServiceBench { $0.root = folder.url.path + "/root" }, folder)
    }

    @Test func localFilesAreReadBelowTheRootAlone() async throws {
        let (bench, folder) = try localBench()
        defer { withExtendedLifetime(folder) {} }
        func status(_ path: String) async -> Int { await bench.get("/_/w:8/f:png/plain/local://\(path)").status }
        #expect(await status("/sub/a%20b%25.png") == 200)
        #expect(await status("//sub///a%20b%25.png") == 200)
        #expect(await status("/sub/missing.png") == 404)
        #expect(await status("/sub") == 404)
        #expect(await status("/sub/a%20b%25.png/x") == 404)
        for path in [
            "/link.png", "/sub/deep.png", "/folder/outside.png", "/../outside.png", "/sub/../../outside.png",
            "/%2e%2e/outside.png", "/pipe", "/./sub/a%20b%25.png", "/" + folder.url.path + "/outside.png",
            "/" + String(repeating: "a/", count: 3000) + "b", "/" + String(repeating: "a", count: 5000),
        ] {
            let status = await status(path)
            #expect(status == 403 || status == 404, "\(path.prefix(40)) \(status)")
        }
        let response = await bench.get("/_/w:8/plain/local:///link.png")
        #expect(!response.text.contains(folder.url.path))
        #expect(await bench.get("/_/w:8/plain/local:///").status == 400)
    }

    /// A pipe is reported as a missing file (`ENOENT`). The error must not contain the `errno` value of an earlier
    /// call.
    @Test func namedPipeIsNotFound() throws {
        let (_, folder) = try localBench()
        let root = try LocalFolder(path: folder.url.path + "/root")
        errno = EIO
        let error = #expect(throws: WebImageError.self) { try root.open("/pipe") }
        guard case .posix(ENOENT, _) = error?.underlying else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func changedLocalFileIsProcessedAgain() async throws {
        let (bench, folder) = try localBench()
        let target = "/_/w:8/f:png/plain/local:///sub/a%20b%25.png"
        let first = await bench.get(target)
        try PictureFixtures.png(8, 8) { _, _ in PictureFixtures.blue }.write(
            to: folder.url.appendingPathComponent("root/sub/a b%.png"))
        bench.clock.advance(by: .seconds(86_400 + 120))
        let second = await bench.get(target)
        #expect(second.status == 200 && second.headers["ETag"] != first.headers["ETag"])
        #expect(throws: ConfigurationError.self) { try ServiceBench { $0.root = "/nonexistent/folder" } }
    }

    // MARK: Hostile targets

    static let pieces = [
        "..", "../..", "%2e%2e%2f", "%00", "\0", "%0d%0aX-Evil:%201", "\r\nX-Evil: 1", "%ff%fe", "\u{FFFD}", "%", "%%%",
        "999999999999999999999999", "-1", "1e309", "nan", "[]{}", "|", "<script>", "\"", "'", ";", "&&", "\u{202E}gnp",
        "٣٣",
        String(repeating: "9", count: 5000), String(repeating: ":", count: 5000), String(repeating: "/", count: 5000),
    ]

    @Test func hostileValuesInEveryOptionAreRefusedOrHarmless() async throws {
        let bench = try ServiceBench { $0.thumborPrefix = "/t" }
        for piece in Self.pieces {
            for row in OptionTable.rows {
                let response = await bench.get("/_/\(row.names[0]):\(piece)/w:1/plain/http://missing.example/a.jpg")
                #expect((400..<500).contains(response.status), "\(row.names[0]) \(piece.prefix(20))")
                expectHarmless(response)
            }
            for target in [
                "/\(piece)", "/_/\(piece)", "/_/plain/\(piece)", "/_/\(piece)/plain/http://a/b", "/info/_/\(piece)",
                "/t/unsafe/\(piece)", "/t/\(piece)", "/t/unsafe/filters:\(piece)/a.b/c",
                "/t/unsafe/\(piece)x\(piece)/a.b/c",
                "/t/unsafe/filters:fill(\(piece))/a.b/c", "/?source=\(piece)&options=\(piece)", "\(piece)",
                "/_/plain/http://a/b@\(piece)", "/_/fn:\(piece)/plain/http://a/b",
            ] {
                let response = await bench.get(target)
                #expect((200..<500).contains(response.status), "\(target.prefix(60))")
                expectHarmless(response)
            }
        }
    }

    private func expectHarmless(_ response: ServiceResponse) {
        for field in response.headers.fields {
            #expect(field.name != "X-Evil" && !field.value.utf8.contains { $0 < 0x20 || $0 == 0x7F })
        }
        // A response may contain a script only if it is plain text. Because of `nosniff`, browsers do not treat plain
        // text as HTML. The start page has one of its own.
        let text = response.text.replacing("<script>\(StartPageScript.text)</script>", with: "")
        #expect(response.headers["Content-Type"] != "text/html; charset=utf-8" || !text.contains("<script>"))
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
    }

    @Test func aTargetOfAMegabyteIsRefused() async throws {
        let bench = try ServiceBench()
        let response = await bench.get("/_/" + String(repeating: "w:1/", count: 1 << 18) + "plain/http://a/b")
        #expect(response.status == 414 && response.body.count < 200)
    }

    @Test func randomTargetsNeverEndTheProcess() async throws {
        var random = SeededRandom(seed: 21)
        let alphabet = Array("/:@%.,+-_()x0123456789abcdefghijklmnopqrstuvwxyzAZ= \u{0}\u{7f}é")
        let words =
            OptionTable.rows.flatMap(\.names) + ["plain", "unsafe", "filters", "fit-in", "meta", "trim", "http://a/b"]
        let imgproxy = ImgproxyRouter()
        let thumbor = ThumborRouter()
        for _ in 0..<3000 {
            var target = "/_"
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                target += Bool.random(using: &random) ? "/" : ":"
                target +=
                    Bool.random(using: &random)
                    ? words.randomElement(using: &random)!
                    : String(
                        (0..<Int.random(in: 0..<8, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
                    )
            }
            if let read = try? imgproxy.parse(target[...]) {
                let geometry = ResultGeometry(source: PixelSize(width: 300, height: 200), options: read.options)
                #expect(
                    geometry.result.width > 0 && geometry.result.height > 0
                        && max(geometry.result.width, geometry.result.height) <= 65_535 * 2)
            }
            _ = try? thumbor.parse("/unsafe/\(target.dropFirst(3))"[...])
        }
    }
}

extension ServiceConfiguration {
    static func with(_ change: (inout ServiceConfiguration) -> Void) -> ServiceConfiguration {
        var configuration = ServiceConfiguration()
        change(&configuration)
        return configuration
    }
}
