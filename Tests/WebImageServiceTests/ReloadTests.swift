import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Reading the configuration again: every setting takes effect at once or needs a restart, as its declaration says.
@Suite(.timeLimit(minutes: 1))
struct ReloadTests {
    @Test func fixedSettingsKeepTheirValuesAndAreNamed() throws {
        for row in ConfigurationTable.rows where row.effect == .fixed {
            let old = ServiceConfiguration()
            var new = old
            try row.read(&new, Self.value(for: row, unlike: row.print(old)))
            new.ttl = 77
            let (merged, waiting) = old.reloaded(new)
            #expect(waiting == [row.name])
            #expect(row.print(merged) == row.print(old) && merged.ttl == 77, "\(row.name)")
            #expect(!ServiceConfiguration.liveSettings.contains(row.name))
        }
    }

    @Test func liveSettingsTakeTheirNewValues() throws {
        var count = 0
        for row in ConfigurationTable.rows where row.effect == .live {
            let old = ServiceConfiguration()
            var new = old
            try row.read(&new, Self.value(for: row, unlike: row.print(old)))
            #expect(new != old, "\(row.name)")
            let (merged, waiting) = old.reloaded(new)
            #expect(waiting.isEmpty && merged == new, "\(row.name)")
            count += 1
        }
        #expect(count == ServiceConfiguration.liveSettings.count)
        #expect(count + ConfigurationTable.rows.count { $0.effect == .fixed } == ServiceConfiguration.settings.count)
    }

    /// Returns a valid value that differs from the current one.
    private static func value(for row: ConfigurationTable.Row, unlike current: String) throws -> String {
        let candidates = [
            "yes", "no", "5", "7", "300", "json", "2048", "600", "10.0.0.0/8", "/a", "http://a/", "ab", "jpeg:7",
            "a=w:1",
            "a=b", "2M", "png", "none", "w", "*", "results none",
        ]
        return try #require(
            candidates.first { value in
                var configuration = ServiceConfiguration()
                guard (try? row.read(&configuration, value)) != nil else { return false }
                return row.print(configuration) != current
            }, "\(row.name)")
    }

    @Test func fixedSettingOfARunningServiceIsNotHalfApplied() async throws {
        let bench = try ServiceBench()
        let waiting = try bench.service.reload(
            ServiceConfiguration.with { ($0.root, $0.maxTargetBytes, $0.ttl) = ("/", 300, 5) })
        #expect(waiting == ["max-target-bytes", "root", "cache-dir"])
        #expect(bench.service.settings.configuration.ttl == 5)
        // Without the folder of the new root, such a source would be missing (404).
        #expect(await bench.get("/_/w:8/plain/local:///etc/hostname").status == 403)
    }

    @Test func printedConfigurationMarksFixedSettingsAndSizes() throws {
        let printed = ServiceConfiguration.with { $0.resultCacheBytes = 3 << 20 }.printed
        #expect(printed.contains("[BYTES; needs a restart]\nresult-cache = 3M\n"))
        #expect(printed.contains("[SECONDS]\nttl = 86400\n") && printed.contains("max-head-bytes = 32K\n"))
        var configuration = ServiceConfiguration()
        let error = #expect(throws: ConfigurationError.self) {
            try configuration.read(flags: ["--max-head-bytes", "5T"])
        }
        #expect(error?.problem.contains("from 1K to 1M; K, M and G") == true)
    }

    @Test func secretsFileHoldsOnlySecretsInEitherSpelling() throws {
        var configuration = ServiceConfiguration()
        let places = try configuration.read(
            secrets: "# c\nWEBIMAGE_KEY=7365\nsalt = 68\npurge-token = a\n", at: "/etc/s.env")
        #expect(configuration.keys == ["7365"] && configuration.salts == ["68"] && configuration.purgeTokens == ["a"])
        let lines = ["key", "salt", "purge-token", "ttl"].map { places[$0] }
        #expect(lines == ["/etc/s.env:2", "/etc/s.env:3", "/etc/s.env:4", nil])
        for (text, name) in [
            ("quality = 5", "quality"), ("WEBIMAGE_TTL=5", "WEBIMAGE_TTL"), ("WEBIMAGE_KEI=00", "WEBIMAGE_KEI"),
            ("key = hush", "key"), ("hush", "the line"),
        ] {
            let error = #expect(throws: ConfigurationError.self) {
                try configuration.read(secrets: "\n" + text, at: "/etc/s.env")
            }
            #expect(error?.name == name && error?.place == "/etc/s.env:2")
            #expect(error?.description.contains("hush") == false)
        }
    }
}

/// The policy for downloads follows the configuration, also for redirects and for stored results.
@Suite(.timeLimit(minutes: 1))
final class ReloadedPolicyTests: Sendable {
    private let server: FaultServer
    private let folder: ScratchFolder
    private let here: String
    private let away: String

    init() throws {
        server = try FaultServer()
        folder = try ScratchFolder()
        here = "http://127.0.0.1:\(server.port)/"
        away = "http://localhost:\(server.port)/"
        server.route("/a.png", .body(try PictureFixtures.quadrants(), headers: ["Cache-Control": "max-age=600"]))
        server.route("/away", .redirect(to: away + "a.png"))
    }

    deinit { server.stop() }

    private func configuration(_ allowed: [String]) -> ServiceConfiguration {
        ServiceConfiguration.with {
            $0.cacheFolder = folder.url.path
            $0.allowedAddresses = ["127.0.0.0/8", "::1"]
            $0.allowedSources = allowed
            $0.negativeTTL = 0
        }
    }

    private func status(_ service: ImageService, _ options: String) async -> Int {
        await service.respond(to: ServiceRequest(target: "/_/\(options)/plain/\(here)away")).status
    }

    @Test func redirectIsAllowedAndRefusedAsTheReloadedConfigurationSays() async throws {
        let narrow = configuration([here]), wide = configuration([here, away])
        let service = try ImageService(configuration: narrow)
        #expect(await status(service, "w:10") == 403)
        try service.reload(wide)
        #expect(await status(service, "w:10") == 200)
        #expect(await status(service, "raw:1") == 200)
        let info = "/info/_/plain/\(here)away"
        #expect(await service.respond(to: ServiceRequest(target: info)).status == 200)
        try service.reload(narrow)
        // Neither a new result, nor a stored result, nor a stored source comes from the other host.
        for options in ["w:20", "w:10", "raw:1"] { #expect(await status(service, options) == 403, "\(options)") }
        #expect(await service.respond(to: ServiceRequest(target: info)).status == 403)
        #expect(service.respondFromMemory(to: ServiceRequest(target: "/_/w:10/plain/\(here)away")) == nil)
        try service.reload(wide)
        #expect(await status(service, "w:10") == 200)
        await service.shutdown()
        // A later process finds the result on disk.
        let next = try ImageService(configuration: narrow)
        #expect(await status(next, "w:10") == 403)
    }

    @Test func requestThatJoinsOlderWorkObeysTheNewPolicy() async throws {
        let gate = FaultGate()
        server.route("/a.png", .gated(gate, .body(try PictureFixtures.quadrants())))
        let service = try ImageService(configuration: configuration([here, away]))
        async let first = status(service, "w:10")
        #expect(await eventually { self.server.requestCount("/a.png") == 1 })
        try service.reload(configuration([here]))
        async let second = status(service, "w:10")
        #expect(await eventually { service.provider.subscriberCount == 2 })
        gate.open()
        #expect(await first == 200)
        #expect(await second == 403)
    }

    @Test func settingsOfDownloadsTakeEffectAtOnce() async throws {
        let service = try ImageService(configuration: configuration([]))
        #expect(await status(service, "w:10") == 200)
        var strict = configuration([])
        strict.maxRedirects = 0
        try service.reload(strict)
        #expect(await status(service, "w:11") == 502)
        strict = configuration([])
        strict.allowedAddresses = []
        try service.reload(strict)
        #expect(await status(service, "w:12") == 403)
        var named = configuration([])
        named.userAgent = "named/1"
        try service.reload(named)
        #expect(await status(service, "w:13") == 200)
        #expect(server.requests.last?.headers["user-agent"] == "named/1")
        try service.reload(configuration([]))
        #expect(await status(service, "w:14") == 200)
        #expect(server.requests.last?.headers["user-agent"] == server.requests.first?.headers["user-agent"])
    }
}
