import Foundation
import Testing
import WebImage
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// The metrics of a running service obey the rules that `promtool check metrics` applies to the text format 0.0.4.
@Suite(.timeLimit(minutes: 2))
struct MetricsTests {
    /// One metric family: its description and its samples.
    private struct Family {
        var help: String?
        var type: String?
        var samples: [(name: String, labels: [String: String], value: Double)] = []
    }

    /// Parses the text. Records an issue for every line that breaks the format or a rule of order.
    private static func families(_ text: String) throws -> [String: Family] {
        #expect(text.hasSuffix("\n"))
        var families: [String: Family] = [:]
        var closed: Set<String> = []
        var last = ""
        var seen: Set<String> = []
        let sample = /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)/
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            var name: String
            if line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE ") {
                name = words[2]
                #expect(words.count == 4, "\(line): the text is missing")
                if words[1] == "HELP" {
                    #expect(families[name]?.help == nil, "\(line): a second HELP")
                    families[name, default: Family()].help = words.count == 4 ? words[3] : nil
                } else {
                    #expect(
                        families[name]?.type == nil && families[name]?.samples.isEmpty != false, "\(line): a late TYPE")
                    families[name, default: Family()].type = words.count == 4 ? words[3] : nil
                }
            } else {
                let match = try #require(try sample.wholeMatch(in: line), "\(line)")
                #expect(seen.insert("\(match.1){\(match.2 ?? "")}").inserted, "\(line): a second sample")
                name = String(match.1)
                for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
                    let base = String(name.dropLast(suffix.count))
                    if families[base]?.type == "histogram" { name = base }
                }
                let value = try #require(Double(String(match.3)), "\(line)")
                var labels: [String: String] = [:]
                for pair in (match.2 ?? "").matches(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/) {
                    #expect(labels.updateValue(String(pair.2), forKey: String(pair.1)) == nil, "\(line): a label twice")
                }
                #expect(families[name]?.type != nil, "\(line): no TYPE before the sample")
                families[name, default: Family()].samples.append((String(match.1), labels, value))
            }
            if name != last {
                #expect(closed.insert(name).inserted, "\(name): the lines are not together")
                last = name
            }
        }
        return families
    }

    private static let units: [String: String] = [
        "milliseconds": "seconds", "microseconds": "seconds", "minutes": "seconds", "hours": "seconds", "ms": "seconds",
        "kilobytes": "bytes", "megabytes": "bytes", "kb": "bytes", "mb": "bytes", "percent": "ratio",
    ]

    private static func check(_ name: String, _ family: Family) {
        let type = family.type ?? ""
        let words = name.split(separator: "_").map(String.init)
        #expect(family.help?.isEmpty == false, "\(name): no help text")
        #expect(["counter", "gauge", "histogram"].contains(type), "\(name): \(type)")
        #expect(!family.samples.isEmpty || type != "gauge", "\(name): no sample")
        #expect(name.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil && !name.contains("__"), "\(name): the spelling")
        #expect(words.first == "webimage", "\(name): no prefix")
        #expect((type == "counter") == name.hasSuffix("_total"), "\(name): only counters end in _total")
        for word in words {
            #expect(Self.units[word] == nil, "\(name): use \(Self.units[word] ?? "")")
            #expect(!["counter", "gauge", "histogram", "summary"].contains(word), "\(name): contains its type")
        }
        if type != "histogram" {
            #expect(!["_count", "_sum", "_bucket"].contains(where: name.hasSuffix), "\(name): a suffix of histograms")
            #expect(family.samples.allSatisfy { $0.labels["le"] == nil }, "\(name): a label of histograms")
        } else {
            #expect(name.hasSuffix("_seconds") || name.hasSuffix("_bytes"), "\(name): no unit")
            checkBuckets(name, family)
        }
        #expect(family.samples.allSatisfy { $0.value.isFinite && ($0.value >= 0 || type == "gauge") }, "\(name)")
        #expect(family.samples.allSatisfy { $0.labels["quantile"] == nil }, "\(name): a label of summaries")
    }

    private static func checkBuckets(_ name: String, _ family: Family) {
        let series = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
        for (labels, samples) in series {
            let buckets = samples.filter { $0.name == name + "_bucket" }
            let bounds = buckets.map { $0.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) } ?? .nan }
            #expect(bounds.last == .infinity && zip(bounds, bounds.dropFirst()).allSatisfy(<), "\(name) \(labels)")
            #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.value <= $1.value }, "\(name) \(labels)")
            let count = samples.first { $0.name == name + "_count" }?.value
            #expect(count == buckets.last?.value && count != nil, "\(name) \(labels)")
            #expect(samples.contains { $0.name == name + "_sum" }, "\(name) \(labels)")
        }
    }

    @Test func textObeysTheRulesOfPrometheus() async throws {
        let scratch = try ScratchFolder()
        let source = try FaultServer()
        defer { source.stop() }
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 80, height: 60), format: .png, options: EncodingOptions())
        source.route("/a.png", .body(picture))
        let service = try await RunningService(["--admin", "127.0.0.1:0"], in: scratch)
        let target = "/_/w:20/f:png/plain/\(source.url("/a.png").absoluteString)"
        for _ in 0..<2 { #expect(try await service.get(target).status == 200) }
        #expect(try await service.get("/_/nonsense:1/plain/a").status == 400)
        _ = try await service.get("/_", method: "POST")
        let admin = try service.admin
        let text = try await onThread { try RawClient(admin).get("/metrics").text }
        let families = try Self.families(text)
        #expect(families.count > 20)
        for (name, family) in families { Self.check(name, family) }
        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            families["webimage_" + name]?.samples.first { $0.labels == labels }?.value
        }
        #expect(value("resident_memory_bytes") ?? 0 > 1_000_000)
        #expect(value("threads") ?? 0 >= 4)
        #expect(value("cache_bytes", ["layer": "result-memory"]) ?? 0 > 1_000)
        #expect(value("cache_bytes", ["layer": "result-cache"]) != nil)
        #expect(value("cache_bytes", ["layer": "source-cache"]) != nil)
        let version = try Tool.run("--version").output
        let build = try #require(families["webimage_build_info"]?.samples.first)
        #expect(build.value == 1 && version.contains(build.labels["version"] ?? "no version"))
        #expect(try await onThread { service.stop() } == 0)
    }

    /// The rules themselves find the mistakes that they are for.
    @Test(arguments: [
        "# HELP webimage_a A.\n# TYPE webimage_a counter\nwebimage_a 1\n",
        "# HELP webimage_a_total A.\n# TYPE webimage_a_total gauge\nwebimage_a_total 1\n",
        "# TYPE webimage_a gauge\nwebimage_a 1\n",
        "# HELP webimage_a_ms A.\n# TYPE webimage_a_ms gauge\nwebimage_a_ms 1\n",
        "# HELP webimage_a A.\n# TYPE webimage_a histogram\nwebimage_a_bucket{le=\"+Inf\"} 1\nwebimage_a_sum 1\nwebimage_a_count 1\n",
        "# HELP webimage_a_seconds A.\n# TYPE webimage_a_seconds histogram\nwebimage_a_seconds_bucket{le=\"1\"} 2\n"
            + "webimage_a_seconds_bucket{le=\"+Inf\"} 1\nwebimage_a_seconds_sum 1\nwebimage_a_seconds_count 1\n",
    ]) func mistakeBreaksARule(text: String) throws {
        withKnownIssue {
            for (name, family) in try Self.families(text) { Self.check(name, family) }
        }
    }
}
