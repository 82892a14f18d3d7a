import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Clients that do not read their answers keep bodies in memory. The bytes of all such bodies are limited.
@Suite(.timeLimit(minutes: 1))
struct SendBudgetTests {
    /// The limit is 16 MB, and 4 MB for each client.
    private let bench: ServiceBench
    private static let size = 3 << 20

    init() throws {
        bench = try ServiceBench { ($0.maxResultMemory, $0.sourceCacheBytes) = (64 << 20, 0) }
        // Decoders ignore the bytes after the picture.
        for index in 0..<8 {
            let source =
                try PictureFixtures.png(20 + index, 20) { _, _ in PictureFixtures.red } + Data(count: Self.size)
            bench.server.answer("http://example.com/\(index)", source)
        }
    }

    private func raw(_ index: Int, client: String? = nil, method: String = "GET") async -> ServiceResponse {
        await bench.get("/_/raw:1/plain/http://example.com/\(index)", method: method, client: client)
    }

    @Test func bodiesThatAreNotReadUseALimitedMemory() async throws {
        var unread: [ServiceResponse] = []
        for index in 0..<5 { unread.append(await raw(index)) }
        #expect(unread.allSatisfy { $0.status == 200 && $0.body.count > Self.size })
        #expect(bench.service.sending.byteCount == unread.reduce(0) { $0 + $1.body.count })
        let refused = await raw(5)
        #expect(refused.status == 503 && refused.logEntry.reason == "queue" && refused.headers["Retry-After"] == "1")
        #expect(refused.logEntry.outcome == .refused && refused.headers["Cache-Control"] == "no-store")
        // A body that is not sent, and a small one, need no memory.
        #expect(await raw(5, method: "HEAD").status == 200)
        #expect(await bench.picture().status == 200)
        // A part of a body keeps the whole body.
        guard case .bytes(let body) = unread.removeFirst().body else { return }
        let part = body.dropFirst(body.count - 4)
        #expect(await raw(5).status == 503)
        #expect(Array(part) == [0, 0, 0, 0])
    }

    @Test func memoryIsFreeAgainWhenABodyIsReleased() async throws {
        for _ in 0..<3 {
            var unread: [ServiceResponse] = []
            for index in 0..<5 { unread.append(await raw(index)) }
            #expect(await raw(6).status == 503)
            unread = []
            #expect(bench.service.sending.byteCount == 0)
        }
    }

    @Test func oneClientUsesAPartOfTheMemory() async throws {
        let first = await raw(0, client: "203.0.113.1")
        let second = await raw(1, client: "203.0.113.1")
        #expect(first.status == 200 && second.status == 429 && second.logEntry.reason == "client")
        let others = await [raw(1, client: "203.0.113.2"), raw(2, client: "2001:db8::1")]
        #expect(others.map(\.status) == [200, 200])
        // All addresses of a /64 are one client.
        #expect(await raw(3, client: "2001:db8::2").status == 429)
        withExtendedLifetime((first, others)) {}
    }

    /// A single body of any size is sent.
    @Test func bodyAboveTheLimitIsSentAlone() async throws {
        bench.server.answer("http://example.com/0", try PictureFixtures.quadrants() + Data(count: 20 << 20))
        let large = await raw(0, client: "203.0.113.1")
        #expect(large.status == 200 && large.body.count > 20 << 20)
        #expect(await raw(1, client: "203.0.113.2").status == 503)
    }

    /// Answers with a source that arrives read the same bytes.
    @Test func sourceThatArrivesIsCountedOnceForAllItsReaders() throws {
        let budget = SendBudget()
        let (first, second) = (ArrivingSource(seen: 0) {}, ArrivingSource(seen: 0) {})
        func hold(_ source: ArrivingSource, _ client: String) throws(ServiceRefusal) -> SendBudget.Hold {
            try budget.hold(source, count: 4 << 20, limit: 20 << 20, client: client)
        }
        func refusal(_ source: ArrivingSource, _ client: String) -> Int? {
            do throws(ServiceRefusal) { _ = try hold(source, client) } catch { return error.status }
            return nil
        }
        var holds = [try hold(first, "203.0.113.1"), try hold(first, "203.0.113.1"), try hold(first, "203.0.113.2")]
        #expect(budget.byteCount == 4 << 20 + 3 * SendBudget.pieceBytes)
        #expect(refusal(second, "203.0.113.1") == 429 && refusal(second, "203.0.113.3") == nil)
        // The source stays counted until its last reader has left.
        holds.removeFirst(2)
        #expect(budget.byteCount == 4 << 20 + SendBudget.pieceBytes)
        #expect(refusal(second, "203.0.113.1") == nil)
        for number in 4...6 { holds.append(try hold(ArrivingSource(seen: 0) {}, "203.0.113.\(number)")) }
        #expect(refusal(second, "203.0.113.9") == 503 && refusal(first, "203.0.113.9") == nil)
        holds = []
        #expect(budget.byteCount == 0 && refusal(second, "203.0.113.1") == nil)
    }

    @Test func bodiesOfStoredResultsAreCounted() async throws {
        let noise = try TestImages.noise(width: 300, height: 200)
        bench.server.answer(ServiceBench.url, try PictureFixtures.encoded(noise, .png))
        let request = ServiceRequest(target: "/_/w:250/f:png/plain/\(ServiceBench.url)")
        for _ in 0..<2 { #expect(await bench.service.respond(to: request).status == 200) }
        let stored = try #require(bench.service.respondFromMemory(to: request))
        #expect(stored.body.count >= SendBudget.leastBytes && bench.service.sending.byteCount == stored.body.count)
        var unread: [ServiceResponse] = [stored]
        for index in 0..<5 { unread.append(await raw(index)) }
        let more = (0..<200).compactMap { _ in bench.service.respondFromMemory(to: request) }
        #expect(more.count < 200 && bench.service.sending.byteCount <= 16 << 20)
        #expect(await bench.service.respond(to: request).status == 503)
        withExtendedLifetime((unread, more)) {}
    }
}
