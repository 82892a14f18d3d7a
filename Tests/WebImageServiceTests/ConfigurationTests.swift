import Foundation
import Testing
import WebImage
import WebImageTestTraits

@testable import WebImageService

/// Options, environment variables and configuration files set the same settings. One table defines these settings.
@Suite(.timeLimit(minutes: 1))
struct ConfigurationTests {
    @Test func settingsTableIsCompleteAndItsDefaultsRoundTrip() throws {
        #expect(Set(ConfigurationTable.rows.map(\.name)).count == ConfigurationTable.rows.count)
        #expect(ServiceConfiguration.settings.count == ConfigurationTable.rows.count)
        // If the service reads the printed configuration as a file, the result is the same configuration.
        var changed = ServiceConfiguration()
        try changed.read(flags: [
            "--quality", "55", "--listen=127.0.0.1:1", "--listen", "unix:/run/a", "--json-errors", "--no-webp",
            "--source-cache=2G",
        ])
        var read = ServiceConfiguration()
        try read.read(file: changed.printed)
        #expect(read == changed)
        #expect(read.quality == 55 && read.listen == ["127.0.0.1:1", "unix:/run/a"] && read.usesJSONErrors)
        #expect(!read.offersWebP && read.sourceCacheBytes == 2 << 30)
    }

    /// The server, the command and the signatures use what the rows have parsed, and read no text again.
    @Test func rowsStoreTheParsedValues() throws {
        var configuration = ServiceConfiguration()
        try configuration.read(
            file: "socket-mode = 0640\ntrusted-proxy = 10.0.0.0/8, 192.0.2.1\naccess-log = json\nisolation = none")
        try configuration.read(environment: ["WEBIMAGE_KEY": "00ff,0A", "WEBIMAGE_SALT": "01,02"])
        let parsed = try configuration.parsed()
        #expect(parsed.socketMode == 0o640 && parsed.accessLog == .json && parsed.isolation == .none)
        #expect(parsed.trustedProxies == [AddressRange("10.0.0.0/8"), AddressRange("192.0.2.1")])
        #expect(parsed.keys == [[0x00, 0xFF], [0x0A]] && parsed.salts == [[0x01], [0x02]])
        // A program can set a text without reading it.
        configuration.socketMode = "8"
        configuration.isolation = "some"
        #expect(try configuration.parsed(only: ["trusted-proxy"]).trustedProxies.count == 2)
        #expect(throws: ConfigurationError("socket-mode", "'8' is not an octal number up to 777")) {
            try configuration.parsed(only: ["socket-mode"])
        }
        #expect(throws: ConfigurationError("isolation", "'some' is none of process, picture, none")) {
            try configuration.parsed(only: ["isolation"])
        }
    }

    @Test func laterSourcesOverrideEarlierOnes() throws {
        var configuration = ServiceConfiguration()
        try configuration.read(file: "# a comment\n\n quality = 10 \nttl=5\r\nallowed-source = http://a/, http://b/\n")
        try configuration.read(environment: ["WEBIMAGE_QUALITY": "20", "HOME": "/", "WEBIMAGE_LOG": "debug"])
        try configuration.read(flags: ["--quality", "30", "--ttl", "6"])
        #expect(configuration.quality == 30 && configuration.ttl == 6)
        #expect(configuration.allowedSources == ["http://a/", "http://b/"])
    }

    @Test(arguments: [
        ["--unknown", "1"], ["--quality"], ["--quality", "0"], ["--quality", "x"],
        ["--quality", "99999999999999999999"],
        ["--progressive=maybe"], ["quality"], ["--no-quality"], ["--key", "00"], ["--key=00"], ["--purge-token", "a"],
    ]) func wrongFlagsAreErrors(flags: [String]) {
        var configuration = ServiceConfiguration()
        #expect(throws: ConfigurationError.self) { try configuration.read(flags: flags) }
    }

    /// Variables that the library reads itself.
    @Test(arguments: ["WEBIMAGE_LOG", "WEBIMAGE_PDFIUM", "WEBIMAGE_JPEG_THUMBNAILS", "WEBIMAGE_SANDBOX_MODE"])
    func variablesOfTheLibraryAreNoSettings(_ name: String) throws {
        var configuration = ServiceConfiguration()
        try configuration.read(environment: [name: "off"])
        #expect(configuration.differences(from: ServiceConfiguration()).isEmpty)
    }

    @Test func unknownKeysAreErrorsEverywhere() {
        var configuration = ServiceConfiguration()
        #expect(throws: ConfigurationError.self) { try configuration.read(environment: ["WEBIMAGE_QUALITI": "1"]) }
        #expect(throws: ConfigurationError.self) { try configuration.read(file: "qualiti = 1") }
        #expect(throws: ConfigurationError.self) { try configuration.read(file: "quality") }
    }

    @Test func secretsAreReadFromVariablesAndNeverShown() throws {
        var configuration = ServiceConfiguration()
        try configuration.read(environment: [
            "WEBIMAGE_KEY": "736563726574", "WEBIMAGE_SALT": "68656C6C6F", "WEBIMAGE_PURGE_TOKEN": "hushhush",
        ])
        #expect(!configuration.printed.contains("7365") && !configuration.printed.contains("hush"))
        #expect(configuration.printed.contains("# key = (1 set)"))
        let settings = try ServiceSettings(configuration)
        #expect(settings.imgproxy.signing.signers.count == 1 && configuration.requiresSignature)
        configuration.keys.append("00")
        #expect(throws: ConfigurationError.self) { try ServiceSettings(configuration) }
    }

    /// An empty variable is often one that another program failed to fill. It must not switch a protection off.
    @Test(arguments: ["insecure", "thumbor-unsafe", "only-presets"]) func emptyFlagIsAnError(_ name: String) throws {
        var configuration = ServiceConfiguration()
        let variable = "WEBIMAGE_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
        #expect(throws: ConfigurationError.self) { try configuration.read(environment: [variable: ""]) }
        #expect(throws: ConfigurationError.self) { try configuration.read(file: "\(name) =\n") }
        #expect(throws: ConfigurationError.self) { try configuration.read(flags: ["--\(name)="]) }
        #expect(configuration == ServiceConfiguration())
        try configuration.read(flags: ["--\(name)"])
        #expect(configuration != ServiceConfiguration())
    }

    @Test func settingsThatCannotWorkAreErrorsAtTheStart() {
        func fails(_ change: (inout ServiceConfiguration) -> Void) -> Bool {
            do {
                _ = try ServiceSettings(ServiceConfiguration.with(change))
                return false
            } catch {
                return true
            }
        }
        #expect(fails { $0.presets = ["a=w:x"] })
        #expect(fails { ($0.keys, $0.salts) = (["zz"], ["00"]) })
        #expect(fails { $0.allowedAddresses = ["10.0.0.0/99"] })
        #expect(fails { $0.formatQuality = ["jpg:0"] })
        #expect(fails { $0.urlReplacements = ["=x"] })
        #expect(fails { $0.thumborPrefix = "t" })
        #expect(fails { ($0.keys, $0.salts, $0.thumborPrefix) = (["00"], ["00"], "/t") })
        #expect(fails { $0.watermark = "/nonexistent" })
        #expect(!fails { _ in })
    }
}

/// Settings that could be read but would never do what their author means. The error says what to write instead.
@Suite(.timeLimit(minutes: 1))
struct ImpossibleSettingTests {
    /// Lines of a configuration file, and a word of the error.
    private static let refusedAlone: [(line: String, advice: String)] = [
        ("allowed-options = width, wdth", "such as width or w"), ("allowed-options = max-bytes", "write 'max_bytes'"),
        ("allowed-options = Width", "write 'width'"), ("allowed-options = w:100", "write 'w'"),
        ("allowed-options = cache-tags", "without arguments"),
        ("base-url = ftp://x", "such as https://"), ("base-url = images.example/", "such as https://"),
        ("base-url = http://images.example", "write 'http://images.example/'"),
        ("base-url = http://user@images.example/", "such as https://"), ("base-url = http://a b/", "such as https://"),
        ("base-url = http://a/#", "such as https://"), ("base-url = http://a/../", "such as https://"),
        ("base-url = local://pictures", "such as https://"), ("base-url = ftp://a/", "such as https://"),
        ("base-url = s3://bucket", "write 's3://bucket/'"),
        ("base-url = s3://b?/", "such as https://"),
        ("thumbor = /info", "such as /thumbor"), ("thumbor = /info/x", "such as /thumbor"),
        ("thumbor = /healthz", "such as /thumbor"), ("thumbor = /_", "such as /thumbor"),
        ("thumbor = /unsafe", "such as /thumbor"), ("thumbor = /a/../b", "a prefix is /NAME"),
        ("thumbor = /ä", "a prefix is /NAME"), ("thumbor = //a", "a prefix is /NAME"),
        ("thumbor = t", "a prefix is /NAME"),
        ("path-prefix = /healthz", "such as /images"), ("path-prefix = /a/./b", "a prefix is /NAME"),
        ("path-prefix = /a//b", "a prefix is /NAME"), ("path-prefix = /a\\b", "a prefix is /NAME"),
        ("allow-origin = https://a.example https://b.example", "one origin"),
        ("allow-origin = https://a.example, https://b.example", "one origin"), ("allow-origin = rubbish", "one origin"),
        ("allow-origin = https://a.example/", "without a path"), ("allow-origin = https://A.example", "in lower case"),
        ("allow-origin = https://a.example:443", "not the default one"), ("allow-origin = http://a:0", "one origin"),
        ("allow-origin = null", "one origin"), ("allow-origin = https://", "one origin"),
        ("allow-origin = https://*.example", "one origin"), ("allow-origin = https://[x]", "one origin"),
        ("user-agent = caf\u{e9}", "not ASCII"), ("user-agent = a\u{1}b", "not ASCII"),
        ("source-formats = png, pfd", "write jpg"), ("source-formats = tree", "write jpg"),
        ("format-quality = png:50", "write jpeg"), ("format-quality = jpeg:0", "from 1 to 100"),
        ("preset = small", "such as small=w:200"), ("preset = a b=w:1", "use letters"),
        ("preset = a:b=w:1", "use letters"),
        ("url-replacement = a*=http://h/${2}", "the pattern has 1"), ("url-replacement = a*=http://h/${x}", "has 1"),
        ("trusted-signatures = a/b", "a segment of a path"), ("purge-token = a b", "openssl rand"),
    ]

    @Test(arguments: refusedAlone) func impossibleValueIsAnErrorWithItsLine(row: (line: String, advice: String)) {
        var configuration = ServiceConfiguration()
        let error = #expect(throws: ConfigurationError.self) {
            try configuration.read(file: "\n\(row.line)\n", at: "s.conf")
        }
        let name = row.line.prefix { $0 != " " }
        #expect(error?.description.hasPrefix("s.conf:2: \(name): ") == true)
        #expect(error?.problem.contains(row.advice) == true, "\(error?.problem ?? "")")
    }

    /// Values that contradict other settings, and a word of the error.
    private static let refusedTogether: [(text: String, name: String, advice: String)] = [
        ("min-ttl = 20\nmax-ttl = 10", "min-ttl", "raise max-ttl"),
        ("min-ttl = 40000000", "min-ttl", "from 0 to 31536000"),
        ("trusted-signatures = a", "trusted-signatures", "key and salt"),
        (
            "key = 00\nsalt = 00\ntrusted-signatures = t\nthumbor = /t\nthumbor-unsafe = yes", "thumbor",
            "another prefix"
        ),
        ("only-presets = yes", "only-presets", "define a preset"),
        ("allowed-options = width, grayscale", "allowed-options", "set thumbor"),
        ("max-target-bytes = 2K\nmax-head-bytes = 2K", "max-target-bytes", "raise max-head-bytes"),
        ("preset = a=w:1\npreset = a=w:2", "preset", "twice"),
        ("format-quality = jpg:5, jpeg:6", "format-quality", "twice"),
        ("tier = valkey://h\ntier-password = a,b", "tier-password", "commas"),
    ]

    @Test(arguments: refusedTogether)
    func contradictionIsAnErrorAtTheStartAndAtAReload(row: (text: String, name: String, advice: String)) async throws {
        func read() throws -> ServiceConfiguration {
            var configuration = ServiceConfiguration()
            try configuration.read(file: row.text)
            return configuration
        }
        let bench = try ServiceBench()
        for isReload in [false, true] {
            let error = #expect(throws: ConfigurationError.self, "\(isReload)") {
                let configuration = try read()
                if isReload {
                    // A reload of the command checks the whole configuration first, with the settings of the next start.
                    try configuration.check()
                    try bench.service.reload(configuration)
                } else {
                    _ = try ServiceSettings(configuration)
                }
            }
            #expect(error?.name == row.name)
            #expect(error?.problem.contains(row.advice) == true, "\(error?.problem ?? "")")
        }
        #expect(await bench.picture().status == 200)
    }

    /// A program sets the same values without reading a text.
    @Test func valuesThatAProgramSetsAreChecked() {
        let changes: [(String, (inout ServiceConfiguration) -> Void)] = [
            ("base-url", { $0.baseURL = "ftp://x" }), ("allow-origin", { $0.allowedOrigin = "a b" }),
            ("allowed-options", { $0.allowedOptions = ["wdth"] }), ("thumbor", { $0.thumborPrefix = "/info" }),
            ("quality", { $0.quality = 0 }), ("max-redirects", { $0.maxRedirects = -1 }),
            ("isolation", { $0.isolation = "thread" }), ("user-agent", { $0.userAgent = "a\r\nCookie: b" }),
            ("trusted-proxy", { $0.trustedProxies = ["x"] }),
        ]
        for (name, change) in changes {
            #expect { try ServiceSettings(ServiceConfiguration.with(change)) } throws: {
                ($0 as? ConfigurationError)?.name == name
            }
        }
    }

    @Test(arguments: [
        "allowed-options = w, width, cache-tag, pr, ex", "thumbor = /t\nallowed-options = grayscale, size",
        "base-url = http://", "base-url = https://Images.example/a/?u=", "base-url = http://[::1]:8080/",
        "root = /\nbase-url = local:///pictures/",
        "s3-source = s3://bucket?endpoint=http://127.0.0.1:1\nbase-url = s3://bucket/a/", "thumbor = /thumbor",
        "thumbor = /img/t", "thumbor = /information",
        "path-prefix = /img", "path-prefix = /info", "allow-origin = *", "allow-origin = https://shop.example",
        "allow-origin = http://localhost:3000", "allow-origin = https://[::1]:444",
        "allow-origin = capacitor://localhost",
        "allow-origin = chrome-extension://abcdef", "min-ttl = 10\nmax-ttl = 10", "max-ttl = 5",
        "user-agent = Mozilla/5.0 (a; b)",
        "source-formats = jpg, tif, heif, apng, pdf, jp2, dng, raw, lottie, mp4, Video",
        "format-quality = jpg:5, webp:6",
        "max-head-bytes = 8K", "max-target-bytes = 4K\nmax-head-bytes = 8K", "only-presets = yes\npreset = a=w:1",
        "url-replacement = a*b*=http://h/${2}/${1}", "url-replacement = a=",
        "key = 00\nsalt = 00\ntrusted-signatures = local-test", "base-url =\nallow-origin =\nthumbor =",
    ]) func possibleValueIsAccepted(text: String) throws {
        var configuration = ServiceConfiguration()
        try configuration.read(file: text)
        _ = try ServiceSettings(configuration)
    }
}

/// Tests the endpoints for health, metrics and information, and the start page.
@Suite(.timeLimit(minutes: 1))
struct ServicePagesTests {
    @Test func healthAndReadinessReportWhetherRequestsAreAccepted() async throws {
        let bench = try ServiceBench()
        #expect(await bench.get("/healthz").status == 200)
        #expect(await bench.get("/readyz").status == 200)
        bench.service.beginDraining()
        #expect(await bench.get("/healthz").status == 200)
        #expect(await bench.get("/readyz").status == 503)
        let picture = await bench.picture()
        #expect(picture.status == 503 && picture.headers["Retry-After"] != nil)
    }

    @Test func metricsCountRequestsAndStages() async throws {
        let bench = try ServiceBench()
        for _ in 0..<2 { _ = await bench.picture() }
        _ = await bench.picture("w:x")
        let response = await bench.service.respondToOperator(ServiceRequest(target: "/metrics"))
        #expect(response.headers["Content-Type"]?.hasPrefix("text/plain; version=0.0.4") == true)
        let text = response.text
        #expect(text.contains("webimage_requests_total{route=\"imgproxy\",outcome=\"made\",status=\"200\"} 1"))
        #expect(text.contains("webimage_requests_total{route=\"imgproxy\",outcome=\"memory\",status=\"200\"} 1"))
        #expect(text.contains("webimage_refusals_total{reason=\"option\"} 1"))
        #expect(text.contains("webimage_stage_duration_seconds_count{stage=\"decode\"} 1"))
        #expect(text.contains("webimage_requests_in_flight 1"))
        // The public listener does not serve metrics.
        #expect(await bench.get("/metrics").status == 400)
    }

    @Test func infoIsJSON() async throws {
        let bench = try ServiceBench { $0.thumborPrefix = "/t" }
        let response = await bench.get("/info/_/plain/\(ServiceBench.url)")
        #expect(response.status == 200 && response.headers["Content-Type"] == "application/json")
        let object = try #require(try JSONSerialization.jsonObject(with: response.data) as? [String: Any])
        #expect(object["format"] as? String == "png" && object["width"] as? Int == 80 && object["height"] as? Int == 60)
        #expect(
            object["frames"] as? Int == 1 && object["alpha"] as? Bool == false && object["orientation"] as? Int == 1)
        #expect((object["blurhash"] as? String)?.isEmpty == false && (object["thumbhash"] as? String)?.isEmpty == false)
        #expect((object["average_color"] as? String)?.count == 7)
        #expect(await bench.get("/info/_/plain/\(ServiceBench.url)").logEntry.outcome == .memory)
        let meta = await bench.get("/t/unsafe/meta/40x40/\(ServiceBench.url)")
        #expect(meta.text.contains("\"target\":{\"height\":40,\"width\":40}"))
        #expect(await bench.get("/t/unsafe/40x40/\(ServiceBench.url)").logEntry.size?.width == 40)
    }

    @Test func errorsAreJSONOnRequest() async throws {
        let bench = try ServiceBench { $0.usesJSONErrors = true }
        let response = await bench.picture("nope:1")
        let object = try #require(try JSONSerialization.jsonObject(with: response.data) as? [String: Any])
        #expect(object["status"] as? Int == 400 && object["option"] as? String == "nope")
        #expect(object["request"] as? String == response.headers["X-Request-Id"])
    }

    @Test func requestIdentifiersAreKept() async throws {
        let bench = try ServiceBench()
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let named = await bench.picture("w:1", ["X-Request-Id": "abc-1", "traceparent": trace])
        #expect(named.headers["X-Request-Id"] == "abc-1" && named.logEntry.traceParent == trace)
        for wrong in ["", "a b", String(repeating: "a", count: 65), "a\u{e9}"] {
            #expect(await bench.picture("w:1", ["X-Request-Id": wrong]).headers["X-Request-Id"]?.count == 16)
        }
        #expect(await bench.picture("w:1", ["traceparent": trace.uppercased()]).logEntry.traceParent == nil)
    }

    @Test func reloadAppliesToTheNextRequestOrNotAtAll() async throws {
        let bench = try ServiceBench()
        #expect(await bench.picture("w:9").status == 200)
        try bench.service.reload(ServiceConfiguration.with { $0.allowedSources = ["http://other/"] })
        #expect(await bench.picture("w:9").status == 403)
        #expect(throws: ConfigurationError.self) {
            try bench.service.reload(ServiceConfiguration.with { $0.presets = ["x"] })
        }
        #expect(await bench.picture("w:9").status == 403)
    }
}
