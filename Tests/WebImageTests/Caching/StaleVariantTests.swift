import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// A variant of an older original is stale after any load has refreshed the original.
@Suite(.timeLimit(minutes: 1))
struct StaleVariantTests {
    let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")

    init() throws {
        fixture = try EntryFixture()
        try fixture.answer(url, blue: 10)
    }

    private static var thumbnail: WebImageContext { [.imageThumbnailPixelSize: CGSize(width: 10, height: 10)] }
    private static var storedThumbnail: WebImageContext {
        [.imageThumbnailPixelSize: CGSize(width: 10, height: 10), .storeCacheType: ImageCacheType.all]
    }
    private static var transformed: WebImageContext { [.imageTransformer: BlueTransformer(blue: 0)] }

    private static func context(_ kind: String) -> WebImageContext {
        switch kind {
        case "thumbnail": thumbnail
        case "stored thumbnail": storedThumbnail
        case "transformed": transformed
        default: [:]
        }
    }

    private static let kinds = ["thumbnail", "stored thumbnail", "transformed", "original"]

    @Test(arguments: kinds, [false, true])
    func aVariantOfAnOlderOriginalIsStale(kind: String, isRestarted: Bool) async throws {
        let context = Self.context(kind)
        #expect(try await fixture.load(url, [], context).blue == 10)
        try fixture.answer(url, blue: 20)
        // A load of another size refreshes the original.
        let sibling: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 20, height: 20)]
        _ = try await fixture.load(url, .refreshCached, sibling)
        let other = isRestarted ? try fixture.restarted() : fixture
        try other.answer(url, blue: 20)
        #expect(try await other.load(url, [], context).blue == 20)
        let loads = other.loader.loads.count
        #expect(try await other.load(url, [], context).result.cacheType == .memory)
        #expect(other.loader.loads.count == loads)
    }

    @Test(arguments: kinds)
    func aVariantOfTheSameOriginalStays(kind: String) async throws {
        let context = Self.context(kind)
        let first = try await fixture.load(url, [], context)
        _ = try await fixture.load(url, .refreshCached, Self.thumbnail)
        let again = try await fixture.load(url, [], context)
        #expect(again.result.image === first.result.image || kind == "thumbnail" && again.result.cacheType == .memory)
    }

    /// A load has read the older original. It finishes its store only after another load has refreshed the original.
    @Test func lateVariantOfAnOlderOriginalRemovesNoNewerVariant() async throws {
        let older = try EntryFixture.file(blue: 10)
        _ = try await fixture.load(url)
        try fixture.answer(url, blue: 20)
        let newer = try await fixture.load(url, .fromLoaderOnly, Self.transformed)
        let source = url.absoluteString
        let key = EntryKey(source: source, transformer: "Late", string: CacheKey.transformed(source, suffix: "Late"))
        let context: WebImageContext = [
            .entryIdentity: EntryIdentity(key: key, version: ContentDigest(older)),
            .callbackQueue: CallbackQueue.invoking,
        ]
        let calls = Calls<Bool>()
        fixture.cache.storeImage(
            try TestImages.solid(blue: 10), imageData: older, forKey: key.string, options: [], context: context,
            cacheType: .disk
        ) { calls.append(true) }
        #expect(await calls.wait() == true)
        let other = try fixture.restarted()
        let found = try await other.load(url, .fromCacheOnly, Self.transformed)
        #expect(found.blue == newer.blue && found.result.cacheType == .disk && found.result.data == nil)
        #expect(other.cache.diskImageDataSync(forKey: key.string) == nil)
        #expect(
            other.cache.diskImageDataSync(
                forKey: fixture.manager.cacheKey(for: url, context: Self.transformed)) != nil)
    }

    @Test func aVariantOutlivesItsOriginal() async throws {
        _ = try await fixture.load(url, [], Self.transformed)
        fixture.cache.removeImageFromDisk(forKey: url.absoluteString)
        let other = try fixture.restarted()
        #expect(try await other.load(url, .fromCacheOnly, Self.transformed).blue == 10)
    }

    /// An original that the caller stores replaces the older original. Later loads return the image of the new
    /// original, and new variants are made from the new original.
    @Test(arguments: [false, true])
    func imageStoredByTheCallerIsTheNewestOriginal(hasImage: Bool) async throws {
        _ = try await fixture.load(url, [], Self.thumbnail)
        let loaded = try await fixture.load(url).result.image
        let data = try EntryFixture.file(blue: 20)
        let image = try ImageCodersManager.shared.decode(data, options: DecodingOptions())
        for stored in hasImage ? [image, loaded] : [nil] {
            let calls = Calls<Bool>()
            fixture.cache.storeImage(
                stored, imageData: data, forKey: url.absoluteString, options: [],
                context: [.callbackQueue: CallbackQueue.invoking], cacheType: .all
            ) { calls.append(true) }
            #expect(await calls.wait() == true)
            #expect(try await fixture.load(url, [], Self.thumbnail).blue == 20)
            let again = try await fixture.load(url).result.image
            #expect(stored == nil ? again.blue == 20 : again === stored)
        }
    }
}
