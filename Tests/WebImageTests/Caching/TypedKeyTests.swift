import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Whatever text a URL contains, its load never receives an entry of another scope, size or transformer.
@Suite(.timeLimit(minutes: 1))
struct TypedKeyTests {
    let fixture: EntryFixture
    private let picture = EntryFixture.url("https://host/private.png")

    init() throws { fixture = try EntryFixture() }

    /// URLs whose text equals the key string of a scoped entry. There is one URL for each format that a version of this
    /// package has used.
    private var forgeries: [URL] {
        let key = fixture.manager.cacheKey(for: picture, context: [.cacheScope: "alice"]) ?? ""
        return ["https://host/private.png#scope=alice", key].compactMap { URL(string: $0) }
    }

    @Test(arguments: [false, true])
    func aFragmentNeverReachesAScopedEntry(isRestarted: Bool) async throws {
        try fixture.answer(picture, blue: 1)
        _ = try await fixture.load(picture, [], [.cacheScope: "alice"])
        let other = isRestarted ? try fixture.restarted() : fixture
        for url in forgeries {
            try other.answer(url, blue: 2)
            for options in [WebImageOptions.queryDiskDataSync, .queryMemoryData, []] {
                #expect(try await other.load(url, options).blue == 2, "\(url)")
            }
        }
        // The load of a URL that equals the key string replaces the entry. The scoped load may then miss, but it must
        // not receive the other image.
        try other.answer(picture, blue: 1)
        #expect(try await other.load(picture, [], [.cacheScope: "alice"]).blue == 1)
    }

    @Test(arguments: [false, true])
    func urlThatLooksLikeAVariantKeyHasItsOwnImage(isRestarted: Bool) async throws {
        let source = EntryFixture.url("https://host/a.png")
        try fixture.answer(source, blue: 10)
        let contexts: [WebImageContext] = [
            [.imageThumbnailPixelSize: CGSize(width: 10, height: 10), .storeCacheType: ImageCacheType.all],
            [.imageTransformer: BlueTransformer()],
        ]
        for context in contexts {
            let key = try #require(fixture.manager.cacheKey(for: source, context: context))
            let lookAlike = EntryFixture.url(key)
            let wanted = try await fixture.load(source, [], context).blue
            let other = isRestarted ? try fixture.restarted() : fixture
            try other.answer(lookAlike, blue: 77)
            #expect(try await other.load(lookAlike).blue == 77)
            // The text of `lookAlike` equals the key string of the variant. The load of the variant must not receive
            // the entry of `lookAlike`.
            #expect(try await other.load(source, .fromCacheOnly, context).blue == wanted)
            #expect(try await other.load(lookAlike).blue == 77)
        }
    }

    @Test func urlThatLooksLikeAVariantKeyIsRefreshedWithItsOwnBytes() async throws {
        let source = EntryFixture.url("https://host/a.png")
        try fixture.answer(source, blue: 10)
        fixture.loader.metadata = Data("validators of a".utf8)
        let context: WebImageContext = [
            .imageThumbnailPixelSize: CGSize(width: 10, height: 10), .storeCacheType: ImageCacheType.all,
        ]
        _ = try await fixture.load(source, [], context)
        let key = try #require(fixture.manager.cacheKey(for: source, context: context))
        let lookAlike = EntryFixture.url(key)
        try fixture.answer(lookAlike, blue: 77)
        #expect(try await fixture.load(lookAlike, .refreshCached).blue == 77)
        #expect(fixture.loader.loads.last?.cached == nil)
    }
}
