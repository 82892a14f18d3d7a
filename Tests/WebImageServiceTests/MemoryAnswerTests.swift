import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests the responses that the service returns without waiting, because their results are in memory.
@Suite(.timeLimit(minutes: 2))
struct MemoryAnswerTests {
    private static let target = "/_/w:40/plain/\(ServiceBench.url)"

    /// Requests a target twice. The first response comes from the source, and the second response comes from memory.
    private func warm(_ bench: ServiceBench, _ target: String = target, _ headers: ServiceHeaders = [:]) async {
        for _ in 0..<2 { _ = await bench.get(target, headers) }
    }

    private func immediate(
        _ bench: ServiceBench, _ target: String = target, _ headers: ServiceHeaders = [:], method: String = "GET"
    ) -> ServiceResponse? {
        bench.service.respondFromMemory(to: ServiceRequest(method: method, target: target, headers: headers))
    }

    @Test func onlyResultsThatMemoryHasAnsweredAreImmediate() async throws {
        let bench = try ServiceBench()
        #expect(immediate(bench) == nil)
        _ = await bench.get(Self.target)
        #expect(immediate(bench) == nil)
        _ = await bench.get(Self.target)
        #expect(immediate(bench)?.status == 200)
        #expect(immediate(bench, "/_/w:41/plain/\(ServiceBench.url)") == nil)
        #expect(immediate(bench, method: "POST") == nil && immediate(bench, "/healthz") == nil)
    }

    @Test(
        arguments: [
            [:], ["If-None-Match": "ETAG"], ["If-None-Match": "\"x\""], ["Range": "bytes=2-5"],
            ["Range": "bytes=9999999-"],
            ["Range": "bytes=0-1", "If-Range": "\"x\""],
            [
                "traceparent": "00-\(String(repeating: "1", count: 32))-"
                    + "\(String(repeating: "2", count: 16))-01"
            ],
        ] as [[String: String]])
    func theResponseIsTheOneThatWaits(fields: [String: String]) async throws {
        for target in [
            Self.target, "/_/w:40/f:png/fn:cat.png/att:1/plain/\(ServiceBench.url)",
            "/_/exp:1700001000/w:40/plain/\(ServiceBench.url)", "/t/unsafe/40x30/\(ServiceBench.url)",
        ] {
            let bench = try ServiceBench {
                $0.linksCanonical = true
                $0.allowedOrigin = "https://shop.example"
                $0.thumborPrefix = "/t"
                $0.allowsUnsafeThumbor = true
            }
            var headers: ServiceHeaders = ["Accept": "image/webp", "X-Request-Id": "one"]
            let etag = await bench.get(target, headers).headers["ETag"] ?? ""
            await warm(bench, target, headers)
            for (name, value) in fields { headers[name] = value == "ETAG" ? etag : value }
            bench.clock.advance(by: .seconds(3))
            for method in ["GET", "HEAD"] {
                let waiting = await bench.get(target, headers, method: method)
                let response = try #require(immediate(bench, target, headers, method: method), "\(target)")
                #expect(response.status == waiting.status && response.data == waiting.data)
                func sorted(_ response: ServiceResponse) -> [String] {
                    response.headers.fields.map { "\($0.name): \($0.value)" }.sorted()
                }
                #expect(sorted(response) == sorted(waiting))
                #expect(response.logEntry.outcome == waiting.logEntry.outcome)
                #expect(response.logEntry.route == waiting.logEntry.route)
                #expect(response.logEntry.source == waiting.logEntry.source)
                #expect(response.logEntry.traceParent == waiting.logEntry.traceParent)
                #expect(response.logEntry.size == waiting.logEntry.size)
                #expect(response.logEntry.format == waiting.logEntry.format)
            }
        }
    }

    @Test func aPurgedResultIsNotAnsweredFromMemory() async throws {
        let bench = try ServiceBench { $0.purgeTokens = ["secret"] }
        for purge in ["source=\(ServiceBench.url)", "target=\(Self.target)"] {
            await warm(bench)
            #expect(immediate(bench) != nil)
            let query = purge.replacingOccurrences(of: ":", with: "%3A").replacingOccurrences(of: "/", with: "%2F")
            let request = ServiceRequest(
                method: "POST", target: "/purge?\(query)", headers: ["Authorization": "Bearer secret"])
            #expect(await bench.service.respondToOperator(request).status == 200)
            #expect(immediate(bench) == nil, "\(purge)")
        }
    }

    @Test func aStaleOrExpiredResultIsNotAnsweredFromMemory() async throws {
        let bench = try ServiceBench { $0.ttl = 10 }
        await warm(bench)
        let expiring = "/_/w:40/exp:1700000004/plain/\(ServiceBench.url)"
        await warm(bench, expiring)
        bench.clock.advance(by: .seconds(4))
        #expect(immediate(bench) != nil && immediate(bench, expiring) == nil)
        #expect(await bench.get(expiring).status == 410)
        bench.clock.advance(by: .seconds(6))
        _ = await bench.get("/_/w:30/plain/\(ServiceBench.url)")
        #expect(immediate(bench) == nil)
    }

    @Test func aPurgeByAnotherProcessIsNoticedAfterFiveSeconds() async throws {
        let bench = try ServiceBench()
        await warm(bench)
        bench.clock.advance(by: .seconds(5))
        // After five seconds, the service must read the number of purges from disk. `respondFromMemory` never
        // reads from disk, so it returns nil.
        #expect(immediate(bench) == nil)
        await warm(bench)
        #expect(immediate(bench) != nil)
    }

    @Test func settingsThatForbidATargetApplyToResultsInMemory() async throws {
        let bench = try ServiceBench()
        await warm(bench)
        var configuration = ServiceConfiguration()
        configuration.cacheFolder = bench.folder.url.path
        configuration.allowedSources = ["https://other.example/"]
        try bench.service.reload(configuration)
        #expect(immediate(bench) == nil)
        #expect(await bench.get(Self.target).status == 403)
    }

    @Test func aDrainingServiceAnswersNothingFromMemory() async throws {
        let bench = try ServiceBench()
        await warm(bench)
        bench.service.announceDraining()
        #expect(immediate(bench) != nil)
        bench.service.beginDraining()
        #expect(immediate(bench) == nil)
    }

    @Test func aResultIsAnsweredOnlyForItsAcceptField() async throws {
        let bench = try ServiceBench()
        await warm(bench, Self.target, ["Accept": "image/webp"])
        #expect(immediate(bench, Self.target, ["Accept": "image/webp"])?.headers["Content-Type"] == "image/webp")
        #expect(immediate(bench) == nil && immediate(bench, Self.target, ["Accept": "image/*"]) == nil)
        await warm(bench)
        #expect(immediate(bench)?.headers["Content-Type"] == "image/png")
    }

    @Test func clientHintsAreNotAnsweredFromMemory() async throws {
        let bench = try ServiceBench { $0.usesClientHints = true }
        await warm(bench, Self.target, ["Width": "30"])
        #expect(immediate(bench, Self.target, ["Width": "50"]) == nil)
        #expect(immediate(bench, Self.target, ["Width": "30"]) == nil)
    }

    @Test func responsesFromMemoryAreCounted() async throws {
        let bench = try ServiceBench()
        await warm(bench)
        for _ in 0..<3 { #expect(immediate(bench) != nil) }
        let text = await bench.service.respondToOperator(ServiceRequest(target: "/metrics")).text
        #expect(text.contains(#"requests_total{route="imgproxy",outcome="memory",status="200"} 4"#), "\(text)")
    }
}
