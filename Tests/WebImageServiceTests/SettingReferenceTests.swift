import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// A name in a setting that refers to nothing is an error with its line, at the start and at a reload.
@Suite(.timeLimit(minutes: 1))
struct SettingReferenceTests {
    /// A file, the line of the name that refers to nothing, and a word of the error.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let text: String
        let line: Int
        let advice: String
        var testDescription: String { text.replacingOccurrences(of: "\n", with: "; ") }

        init(_ name: String, _ text: String, line: Int, _ advice: String) {
            (self.name, self.text, self.line, self.advice) = (name, text, line, advice)
        }
    }

    private static let bucket = "s3-source = s3://one-bucket?endpoint=http://127.0.0.1:1"
    private static let allowed = "allowed-source = https://a.example/pictures/"

    /// The cases of each setting that refers to something. A new setting must be here or in `plain`.
    private static let cases: [Case] = [
        Case("allowed-source", "allowed-source = http://a/\nallowed-source = local:///", line: 2, "need root"),
        Case("allowed-source", "allowed-source = s3://one-bucket/", line: 1, "need s3-source"),
        Case("allowed-source", "\(bucket)\nallowed-source = s3://two-bucket/", line: 2, "two-bucket"),
        Case("store-rule", "store-rule = results all\nstore-rule = results preset:smal disk", line: 2, "'smal'"),
        Case(
            "store-rule", "preset = small=w:9\nstore-rule = results preset:small all; results preset:x none", line: 2,
            "'x'"),
        Case("store-rule", "store-rule = results local:///a/ none\nttl = 5", line: 1, "need root"),
        Case("store-rule", "\(bucket)\nstore-rule = sources s3://two-bucket/ none", line: 2, "two-bucket"),
        Case("store-rule", "\(allowed)\nstore-rule = sources https://b.example/ none", line: 2, "allowed-source"),
        Case("store-rule", "\(allowed)\nstore-rule = sources https://a.example/p/*/ none", line: 2, "allowed-source"),
        Case("base-url", "base-url = local:///pictures/", line: 1, "need root"),
        Case("base-url", "base-url = s3://one-bucket/", line: 1, "s3-source"),
        Case("base-url", "\(bucket)\nbase-url = s3://two-bucket/", line: 2, "two-bucket"),
        Case("base-url", "\(allowed)\nbase-url = https://a.example/other/", line: 2, "allowed-source"),
        Case("base-url", "\(allowed)\nbase-url = https://a.example.org/", line: 2, "allowed-source"),
        Case(
            "base-url", "allowed-source = https://a.example\nbase-url = https://a.example.org/", line: 2,
            "allowed-source"),
        Case("base-url", "allowed-source = https://\nbase-url = http://", line: 2, "allowed-source"),
        Case("base-url", "root = /\n\(allowed)\nbase-url = local:///", line: 3, "allowed-source"),
        Case("url-replacement", "url-replacement = a:*=local:///${1}", line: 1, "need root"),
        Case("url-replacement", "\(bucket)\nurl-replacement = a:*=s3://two-bucket/${1}", line: 2, "two-bucket"),
        Case(
            "url-replacement", "url-replacement = b=c\n\(allowed)\nurl-replacement = a:=http://b/", line: 3,
            "allowed-source"),
        Case("preset", "preset = a=w:1\npreset = b=pr:a:c", line: 2, "'c'"),
        Case("s3-source", "\(bucket)\ns3-source = s3://two-bucket?profile=nobody", line: 2, "nobody"),
        Case("s3-source", "s3-source = s3://two-bucket?ca=/nonexistent.pem", line: 1, "/nonexistent.pem"),
        Case("s3-key", "\(bucket)\ns3-key = one-bucket:a:b\ns3-key = two-bucket:a:b", line: 3, "not in s3-source"),
        Case("allowed-options", "allowed-options = grayscale", line: 1, "set thumbor"),
        Case("only-presets", "only-presets = yes", line: 1, "define a preset"),
        Case("key", "key = 00\nsalt = 00\nkey = 01", line: 3, "as many salts"),
        Case("salt", "salt = 00", line: 1, "as many salts"),
        Case("trusted-signatures", "trusted-signatures = a", line: 1, "key and salt"),
        Case("thumbor", "key = 00\nsalt = 00\nthumbor = /t", line: 3, "set thumbor-key"),
        Case("tier-password", "tier = valkey://h\ntier-password = a,b", line: 2, "more passwords"),
        Case("watermark", "ttl = 5\nwatermark = /nonexistent.png", line: 2, "/nonexistent.png cannot be read"),
        Case("fallback", "ttl = 5\nfallback = /nonexistent.png", line: 2, "/nonexistent.png cannot be read"),
        Case("root", "ttl = 5\nroot = /nonexistent", line: 2, "/nonexistent cannot be opened: No such file"),
    ]

    /// Settings that refer to something that `webimage serve` opens; its tests check them.
    private static let elsewhere: Set<String> = ["tier", "secrets-file", "listen", "admin", "cache-dir"]

    /// Settings whose value names nothing.
    private static let plain: Set<String> = [
        "insecure", "socket-mode", "trusted-proxy", "max-connections", "max-connections-per-client", "head-timeout",
        "idle-timeout", "send-timeout", "drain", "max-head-bytes", "access-log", "path-prefix", "signature-size",
        "thumbor-key", "thumbor-unsafe", "base64-includes-filename", "max-target-bytes", "allowed-address",
        "source-timeout", "source-deadline", "max-redirects", "user-agent", "result-cache", "source-cache",
        "result-memory", "ttl", "min-ttl", "max-ttl", "stale-while-revalidate", "stale-if-error", "negative-ttl",
        "max-source-bytes", "max-source-megapixels", "max-animation-frames", "max-animation-megapixels",
        "max-result-memory", "source-formats", "max-result-dimension", "max-result-megapixels", "decode-timeout",
        "queue", "queue-per-host", "queue-wait", "max-requests", "max-requests-per-client", "isolation",
        "security-options", "quality", "format-quality", "progressive", "avif", "webp", "jxl", "avif-budget",
        "client-hints", "watermark-opacity", "allow-origin", "canonical-link", "json-errors", "fallback-status",
        "purge-token",
    ]

    @Test func everySettingIsCheckedOrNamesNothing() {
        let names = ConfigurationTable.rows.map(\.name)
        let known = Set(Self.cases.map(\.name)).union(Self.elsewhere).union(Self.plain)
        #expect(Set(names) == known, "say what a new setting refers to: \(Set(names).symmetricDifference(known))")
        #expect(Self.plain.isDisjoint(with: Self.cases.map(\.name)))
    }

    @Test(arguments: cases) func nameThatRefersToNothingIsAnErrorWithItsLine(row: Case) async throws {
        var configuration = ServiceConfiguration()
        let places = try configuration.read(file: row.text, at: "s.conf")
        let bench = try ServiceBench()
        for isReload in [false, true] {
            let error = #expect(throws: ConfigurationError.self, "\(isReload)") {
                // A folder is opened at the start, not at a reload.
                if isReload, row.name != "root" {
                    try bench.service.reload(configuration)
                } else {
                    try configuration.check()
                }
            }
            #expect(
                error?.name == row.name && error?.problem.contains(row.advice) == true, "\(error?.description ?? "")")
            #expect(error.flatMap { places.place(of: $0) } == "s.conf:\(row.line)")
        }
        #expect(await bench.picture().status == 200)
    }

    @Test(arguments: [
        "\(bucket)\nallowed-source = s3://one-bucket/, s3://*, https://", "root = /\nallowed-source = local:///, *",
        "preset = default=w:9\nstore-rule = results preset:default all; results preset:* none",
        "\(allowed)\nstore-rule = sources https://a.example/ none; sources https://*.example/ none",
        "\(allowed)\nbase-url = https://a.example/pictures/2026/", "\(allowed)\nbase-url = https://A.example/",
        "allowed-source = https://*.example/\nbase-url = https://img.example/a/",
        "allowed-source = *\nbase-url = http://",
        "allowed-source = http://\nbase-url = http://",
        "allowed-source = https://a.example\nbase-url = https://a.example/x/",
        // A later replacement, or the prefix of sources, changes the result.
        "url-replacement = a=local:///; local:///=http://h/", "base-url = http://h/\nurl-replacement = a=local:///",
        "\(bucket)\nurl-replacement = a*=s3://one-bucket/${1}",
    ]) func nameThatRefersToSomethingIsAccepted(text: String) throws {
        var configuration = ServiceConfiguration()
        try configuration.read(file: text)
        _ = try ServiceSettings(configuration)
    }

    /// The folder of `root` is opened at the next start. Until then the other settings of the reload apply.
    @Test func reloadMayReferToASettingThatNeedsARestart() async throws {
        let bench = try ServiceBench()
        let configuration = ServiceConfiguration.with {
            ($0.root, $0.allowedSources, $0.quality) = ("/", ["local:///", "http://example.com/"], 50)
            $0.cacheFolder = bench.folder.url.path
        }
        #expect(try bench.service.reload(configuration) == ["root"])
        #expect(bench.service.settings.configuration.quality == 50)
        #expect(await bench.picture().status == 200)
    }

    /// Such a preset could never be used.
    @Test(arguments: ["msr:51", "msfs:99999999", "maf:1000", "mrd:9000"])
    func presetWithALimitAboveThatOfTheServiceIsAnError(limit: String) throws {
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceSettings(ServiceConfiguration.with { $0.presets = ["a=w:1", "b=pr:a/\(limit)"] })
        }
        #expect(error?.name == "preset" && error?.index == 1 && error?.problem.contains("above the limit") == true)
    }

    /// `security-options = no` is for targets. The presets are the operator's own.
    @Test func presetMayLimitAlthoughTargetsMayNot() async throws {
        let bench = try ServiceBench {
            ($0.allowsSecurityOptions, $0.thumborPrefix) = (false, "/t")
            $0.presets = ["default=mrd:20", "small=msr:0.001"]
        }
        let response = await bench.picture("w:40/f:png")
        #expect(response.status == 200 && response.logEntry.size == PixelSize(width: 20, height: 15))
        #expect(await bench.get("/t/unsafe/40x30/\(ServiceBench.url)").logEntry.size?.width == 20)
        #expect(await bench.picture("pr:small").status == 413)
        for name in OptionTable.limits.flatMap(\.names) {
            let refused = await bench.picture("\(name):1")
            #expect(refused.status == 403 && refused.logEntry.reason == "option", "\(name)")
        }
    }

    /// Forty presets that each name the next one twice have a million million options.
    @Test func presetsThatMultiplyAreAnError() throws {
        let presets = (0..<40).map { "p\($0)=w:1/pr:p\($0 + 1):p\($0 + 1)" } + ["p40=h:1"]
        let error = #expect(throws: ConfigurationError.self) {
            try ServiceSettings(ServiceConfiguration.with { $0.presets = presets })
        }
        #expect(
            error?.name == "preset" && error?.index == 0 && error?.problem.contains("more than 2000 options") == true)
    }

    /// A target may name a preset often. Its cost is limited as well.
    @Test(arguments: [":", "/pr:"]) func targetThatNamesPresetsTooOftenIsRefused(separator: String) async throws {
        let bench = try ServiceBench { $0.presets = ["a=" + Array(repeating: "w:1", count: 50).joined(separator: "/")] }
        func options(_ count: Int) -> String {
            "pr:" + Array(repeating: "a", count: count).joined(separator: separator)
        }
        #expect(await bench.picture(options(30)).status == 200)
        let refused = await bench.picture(options(60))
        #expect(refused.status == 400 && refused.text.contains("more than 2000 options"))
    }
}
