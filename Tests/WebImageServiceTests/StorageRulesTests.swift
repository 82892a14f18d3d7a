import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

@Suite(.timeLimit(minutes: 1)) struct StorageRulesTests {
    private typealias Storage = StorageRules.Storage

    private func parsed(_ rules: [String]) throws -> ParsedSettings {
        var configuration = ServiceConfiguration()
        configuration.storeRules = rules
        return try ConfigurationTable.parsed(configuration)
    }

    @Test func firstRuleThatFitsDecides() throws {
        let rules = try StorageRules(
            parsed([
                "results preset:thumb memory+disk 60", "results preset:* all", "results http://a.example/ tiers",
                "results none 5", "sources http://a.example/ disk+tiers", "sources https://*.example/x/ none",
            ]).storeRules)
        func results(_ source: String, _ presets: [String]) -> Storage {
            rules.ofResults(from: source, presets: presets)
        }
        #expect(results("http://b/", ["default", "thumb"]) == Storage(places: [.memory, .disk], seconds: 60))
        #expect(results("http://b/", ["large"]) == Storage())
        #expect(results("http://a.example/1", ["default"]) == Storage(places: .tiers))
        #expect(results("http://b/", []) == Storage(places: [], seconds: 5))
        #expect(rules.ofSource("http://a.example/1") == Storage(places: [.disk, .tiers]))
        #expect(rules.ofSource("https://b.example/x/1") == Storage(places: []))
        #expect(rules.ofSource("https://b.example/y/1") == Storage())
        #expect(StorageRules().ofResults(from: "http://a/", presets: []) == Storage())
    }

    @Test(arguments: [
        "", "results", "pictures all", "results all all all", "results some", "results memory+", "results disk+disk",
        "results preset: all", "sources preset:a all", "sources memory", "sources disk+memory", "results ftp://a/ all",
        "results all -1", "results all 1.5", "results 60",
    ])
    func textThatIsNoRuleIsAnError(text: String) {
        let error = #expect(throws: ConfigurationError.self) { try parsed([text]) }
        #expect(error?.name == "store-rule")
    }

    /// The outcomes of some requests for a target, one after the other.
    private func outcomes(_ target: String, _ times: Int, _ bench: ServiceBench) async -> [ServiceLogEntry.Outcome] {
        var outcomes: [ServiceLogEntry.Outcome] = []
        for _ in 0..<times { outcomes.append(await bench.get(target).logEntry.outcome) }
        return outcomes
    }

    @Test func onlyResultsOfPresetsAreStored() async throws {
        let bench = try ServiceBench {
            $0.presets = ["thumb=w:8", "default=q:70"]
            $0.storeRules = ["results preset:* all", "results none"]
        }
        #expect(await outcomes("/_/pr:thumb/plain/\(ServiceBench.url)", 2, bench) == [.made, .memory])
        #expect(await outcomes("/_/w:9/plain/\(ServiceBench.url)", 2, bench) == [.made, .made])
        // A result that a preset has stored is also found by its options.
        #expect(await outcomes("/_/w:8/plain/\(ServiceBench.url)", 1, bench) == [.memory])
        var configuration = bench.service.settings.configuration
        configuration.storeRules = []
        try bench.service.reload(configuration)
        #expect(await outcomes("/_/w:9/plain/\(ServiceBench.url)", 2, bench) == [.made, .memory])
    }

    @Test func resultIsStoredInThePlacesOfItsRule() async throws {
        let folder = try ScratchFolder()
        func bench(_ rule: String) throws -> ServiceBench {
            try ServiceBench(folder: folder) { $0.storeRules = [rule] }
        }
        let target = "/_/w:8/plain/\(ServiceBench.url)"
        var next = try bench("results memory")
        #expect(await outcomes(target, 2, next) == [.made, .memory])
        await next.service.shutdown()
        next = try bench("results disk")
        #expect(await outcomes(target, 1, next) == [.made])
        await next.service.shutdown()
        // A result on disk is not kept in memory, either.
        next = try bench("results disk")
        #expect(await outcomes(target, 2, next) == [.disk, .disk])
    }

    @Test func resultIsFreshForTheTimeOfItsRule() async throws {
        let bench = try ServiceBench {
            $0.storeRules = ["results all 60"]
            $0.staleWhileRevalidate = 0
        }
        bench.server.answer(ServiceBench.url, try PictureFixtures.quadrants(), ["Cache-Control": "max-age=3600"])
        let target = "/_/w:8/plain/\(ServiceBench.url)"
        #expect(await bench.get(target).headers["Cache-Control"]?.contains("max-age=60") == true)
        bench.clock.advance(by: .seconds(59))
        #expect(await outcomes(target, 1, bench) == [.memory])
        bench.clock.advance(by: .seconds(2))
        #expect(await outcomes(target, 1, bench) == [.made])
    }
}
