import Foundation
import Testing

@testable import WebImageCore
@testable import WebImageLoading

@Suite struct CacheTierEnvelopeTests {
    private let key = CacheTierKey(namespace: "test", cacheKey: "https://example.org/a.jpg")
    private let entry = CacheTierEntry(
        .value(data: Data((0..<600).map { UInt8(truncatingIfNeeded: $0) }), metadata: Data("m".utf8), extended: nil),
        pixelSize: PixelSize(width: 30, height: 20), stored: 1_700_000_000.5, lifetime: .seconds(60))

    private func encoded(_ entry: CacheTierEntry) throws -> Data {
        try #require(CacheTierEnvelope.encode(entry, for: key)).reduce(Data(), +)
    }

    @Test func entriesSurvive() throws {
        let absent = CacheTierEntry(.absent, stored: 5, lifetime: .milliseconds(1500))
        let empty = CacheTierEntry(
            .value(data: Data([1]), metadata: Data(), extended: Data("x".utf8)), stored: 0, lifetime: .seconds(1))
        for entry in [entry, absent, empty] {
            #expect(CacheTierEnvelope.decode(try encoded(entry), for: key) == entry)
        }
    }

    @Test func everyBitFlipAndEveryTruncationIsRejected() throws {
        let bytes = try encoded(entry)
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                #expect(CacheTierEnvelope.decode(flipped, for: key) == nil, "bit \(bit) of byte \(index)")
            }
            #expect(CacheTierEnvelope.decode(bytes.prefix(index), for: key) == nil)
        }
        #expect(CacheTierEnvelope.decode(bytes + Data([0]), for: key) == nil)
    }

    @Test func valueOfAnotherKeyOrNamespaceIsRejected() throws {
        let bytes = try encoded(entry)
        for other in [
            CacheTierKey(namespace: "test", cacheKey: "https://example.org/b.jpg"),
            CacheTierKey(namespace: "tesu", cacheKey: "https://example.org/a.jpg"),
        ] { #expect(CacheTierEnvelope.decode(bytes, for: other) == nil) }
        // Namespace and key cannot be shifted into each other.
        #expect(
            CacheTierKey(namespace: "a", cacheKey: "b").digest != CacheTierKey(namespace: "", cacheKey: "ab").digest)
    }

    @Test func valueOverTheLimitIsRejectedByItsHead() throws {
        #expect(CacheTierEnvelope.decode(try encoded(entry), for: key, mostValue: 599) == nil)
        var large = entry
        large.content = .value(
            data: Data([1]), metadata: Data(count: CacheTierEnvelope.mostMetadata + 1), extended: nil)
        #expect(CacheTierEnvelope.encode(large, for: key) == nil)
    }

    @Test func onlySharedEntriesOfWebURLsHaveAKey() throws {
        func key(_ url: String, _ scope: CacheScope = .shared) throws -> CacheTierKey? {
            CacheTierKey(namespace: "n", cacheKey: "k", url: try #require(URL(string: url)), scope: scope)
        }
        #expect(try key("https://example.org/a") != nil)
        #expect(try key("HTTP://example.org/a") != nil)
        #expect(try key("https://example.org/a", .scoped("alice")) == nil)
        #expect(try key("https://example.org/a", .unstored) == nil)
        #expect(try key("https://user:word@example.org/a") == nil)
        #expect(try key("file:///a") == nil)
        #expect(try key("data:image/png;base64,AAAA") == nil)
    }

    @Test func lifetimeEndsByTheReadersClockAndNeverGrows() {
        #expect(entry.remainingLifetime(at: 1_700_000_010.5) == .seconds(50))
        #expect(entry.remainingLifetime(at: 1_700_000_060.5) == nil)
        // The writer's clock is an hour ahead.
        #expect(entry.remainingLifetime(at: 1_699_996_400.5) == .seconds(60))
    }
}
