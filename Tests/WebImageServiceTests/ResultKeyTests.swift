import Foundation
import Testing
import WebImage
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests which parameters are part of the key of a result.
@Suite(.timeLimit(minutes: 1))
struct ResultKeyTests {
    private func digest(
        _ options: ProcessingOptions, source: String = "http://a/b", accepted: AcceptedFormats = [],
        generation: Int = 0,
        fingerprint: String = "", kind: ImageTarget.Kind = .picture, place: String? = nil
    ) -> String {
        ResultKey(
            kind: kind, source: source, place: place, options: options, accepted: accepted,
            generation: generation,
            fingerprint: fingerprint
        ).digest
    }

    private static func everyOption() throws -> [ProcessingOptions] {
        let imgproxy = ImgproxyRouterTests.rows.map { row in
            var options = ProcessingOptions()
            row.set(&options)
            return options
        }
        let thumbor = try ThumborRouterTests.rows.map {
            try ThumborRouter().parse("/unsafe/\($0.parts)a.b/c"[...]).options
        }
        return imgproxy + thumbor
    }

    @Test func everyOptionThatChangesAByteChangesTheKeyAndNoOther() throws {
        var known: [String: ProcessingOptions] = [:]
        for var options in try Self.everyOption() {
            let key = digest(options)
            // These options change only the response head, so they must not change the key.
            (options.expires, options.filename, options.isAttachment) = (nil, nil, false)
            #expect(digest(options) == key)
            if let other = known[key] { #expect(other == options) }
            known[key] = options
        }
        #expect(known.count > 80)
        #expect(known[digest(ProcessingOptions())] == ProcessingOptions())
    }

    @Test func everyPartOfTheKeyCounts() {
        let options = ProcessingOptions()
        let keys = [
            digest(options), digest(options, source: "http://a/c"), digest(options, accepted: .webp),
            digest(options, accepted: [.webp, .avif]), digest(options, generation: 1),
            digest(options, fingerprint: "x"),
            digest(options, kind: .info), digest(options, place: "1"),
        ]
        #expect(Set(keys).count == keys.count)
        // If the options name a format, the key does not depend on the formats that the client accepts.
        var named = options
        named.format = .png
        #expect(digest(named) == digest(named, accepted: .webp))
        // The two keys contain the same text, but the text is divided differently between source and fingerprint. The
        // keys must differ.
        #expect(
            digest(options, source: "a\n0:", fingerprint: "b") != digest(options, source: "a", fingerprint: "\n0:b"))
    }

    @Test func settingsHaveTheSameTextInEveryProcess() throws {
        var settings = OutputSettings()
        var random = SeededRandom.printingSeed()
        let texts = Set(
            (0..<20).map { _ in
                settings.formatQuality = [:]
                for format in OutputFormat.allCases.shuffled(using: &random) { settings.formatQuality[format] = 50 }
                return settings.keyText
            })
        #expect(texts.count == 1)
    }

    @Test func storedResultRoundTripsOrIsNil() throws {
        let head = ResultEntry.Head(
            mediaType: "image/png", etag: "\"x\"", stored: 1, lifetime: Lifetime(maxAge: 9), sourceVersion: "v",
            source: "http://a/b", width: 3, height: 4)
        let envelope = ResultEntry(head: head, body: Data("body".utf8)).envelope
        let read = try #require(ResultEntry(envelope: envelope, source: "http://a/b"))
        #expect(read.head == head && read.body == Data("body".utf8))
        #expect(ResultEntry(envelope: envelope, source: "http://a/c") == nil)
        for count in 0..<(envelope.count - 4) {
            #expect(ResultEntry(envelope: envelope.prefix(count), source: "http://a/b") == nil)
        }
        var large = envelope
        large.replaceSubrange(4..<8, with: [255, 255, 255, 255])
        #expect(ResultEntry(envelope: large, source: "http://a/b") == nil)
        // This envelope is a slice, so its indices do not start at 0.
        #expect(
            ResultEntry(envelope: (Data([9]) + envelope).dropFirst(), source: "http://a/b")?.body == Data("body".utf8))
    }

    /// A tier is shared with other programs. A number in it must not end the process by an overflow, and no entry becomes a
    /// page in a browser.
    @Test func storedResultWithImpossibleValuesIsNoEntry() throws {
        let head = ResultEntry.Head(
            mediaType: "image/png", etag: "\"x\"", stored: 1, lifetime: Lifetime(maxAge: 9), sourceVersion: "v",
            source: "http://a/b", width: 3, height: 4)
        let numbers: [WritableKeyPath<ResultEntry.Head, Int>] = [
            \.lifetime.maxAge, \.lifetime.age, \.lifetime.staleWhileRevalidate, \.lifetime.staleIfError,
        ]
        var heads: [ResultEntry.Head] = []
        for value in [Int.max, .min, -1, 1 << 60] {
            for path in numbers {
                var changed = head
                changed[keyPath: path] = value
                heads.append(changed)
            }
            for path in [\ResultEntry.Head.width, \.height] {
                var changed = head
                changed[keyPath: path] = value
                heads.append(changed)
            }
        }
        for value in [-1e300, 1e300, -1, 1e13] {
            var changed = head
            changed.stored = value
            heads.append(changed)
        }
        for type in ["text/html", "image/svg", "", "application/javascript"] {
            var changed = head
            changed.mediaType = type
            heads.append(changed)
        }
        var negative = head
        negative.seen = -1
        heads.append(negative)
        for head in heads {
            let read = ResultEntry(
                envelope: ResultEntry(head: head, body: Data("body".utf8)).envelope, source: "http://a/b")
            #expect(read == nil, "\(head)")
        }
        // The greatest numbers can be added.
        var greatest = head
        for path in numbers { greatest[keyPath: path] = StoredNumber.most }
        let envelope = ResultEntry(head: greatest, body: Data()).envelope
        let read = try #require(ResultEntry(envelope: envelope, source: "http://a/b"))
        #expect(read.isUsableAfterError(now: 1e9) && read.softlyPurged(now: 1e9).head.lifetime.maxAge > 0)
    }

    @Test func numbersOfOthersHaveALimit() {
        for text in ["", "x", "-1", "9223372036854775807", "9223372036854775808", "1e5", "9007199254740993"] {
            #expect(StoredNumber.read(Data(text.utf8)) == nil, "\(text)")
        }
        #expect(StoredNumber.read(Data("9007199254740992".utf8)) == StoredNumber.most)
        for stamp in [Int.max, .min, -1, StoredNumber.most + 1] {
            #expect(!CachePurge(.tag("a"), isSoft: false, stamp: stamp).isPlausible)
        }
    }

    @Test func recentValuesStayWithinTheirBudget() {
        let values = RecentValues<Int, String>(budget: 100)
        for key in 0..<50 { values.set("v", for: key, cost: 10) }
        #expect(values.totalCost <= 100 && values.value(for: 49) == "v" && values.value(for: 0) == nil)
        values.set("large", for: 99, cost: 30)
        #expect(values.value(for: 99) == nil)
        // A value that is read regularly is not evicted.
        for key in 100..<200 {
            #expect(values.value(for: 49) == "v")
            values.set("v", for: key, cost: 10)
        }
        values.set("again", for: 49, cost: 5)
        #expect(values.value(for: 49) == "again")
        values.remove(49)
        #expect(values.value(for: 49) == nil)
    }

    /// Clients choose the URLs, and the table of purges has 100,000 entries.
    @Test func purgeOfALongSourceIsKeptUnderAShortKey() async {
        let long = "http://example.com/" + String(repeating: "a", count: 7_000)
        let store = ResultStore(
            memoryBytes: 0, disk: nil, clock: SystemClock(),
            purges: PurgeJournal(tiers: nil, disk: nil, clock: SystemClock()))
        #expect(ResultStore.tableKey(long).utf8.count == 64)
        #expect(await store.generation(of: long) == 0)
        await store.purge(long)
        #expect(await store.generation(of: long) == 1 && store.knownGeneration(of: long) == 1)
        #expect(await store.generation(of: long + "b") == 0)
    }
}
