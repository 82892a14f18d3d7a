import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// `removeImage(for:)` removes a picture with everything that was made from it.
@Suite(.timeLimit(minutes: 1))
struct ForgottenPictureTests {
    private let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")
    private let other = EntryFixture.url("https://host/b.png")

    init() throws { fixture = try EntryFixture() }

    static var contexts: [WebImageContext] {
        [
            [:], [.imageThumbnailPixelSize: CGSize(width: 10, height: 10), .storeCacheType: ImageCacheType.all],
            [.imageTransformer: BlueTransformer(blue: 0)],
            [.imageThumbnailPixelSize: CGSize(width: 20, height: 20), .imageTransformer: BlueTransformer(blue: 1)],
        ]
    }

    @Test(arguments: [false, true]) func removeImageRemovesEveryVariant(isFlushed: Bool) async throws {
        let storage = ImageCache(namespace: "encoded", diskCacheDirectory: fixture.folder)
        let encoded = ImageEncodedCache(manager: fixture.manager, storage: storage)
        try fixture.answer(url, blue: 10)
        try fixture.answer(other, blue: 30)
        for context in Self.contexts {
            try await fixture.load(url, [], context)
            try await fixture.load(other, [], context)
        }
        for url in [url, other] {
            _ = try await encoded.encodedImage(for: ImageRequest(url: url), format: .png)
            _ = try await encoded.encodedImage(
                for: ImageRequest(url: url, size: CGSize(width: 8, height: 8)), format: .jpeg)
        }
        if isFlushed {
            await fixture.cache.flush()
            await encoded.flush()
        }
        let before = (fixture.cache.totalDiskCount(), storage.totalDiskCount())
        await fixture.manager.removeImage(for: url)
        for context in Self.contexts {
            let key = fixture.manager.cacheKey(for: url, context: context)
            #expect(fixture.cache.imageFromMemoryCache(forKey: key) == nil)
            #expect(!fixture.cache.diskImageDataExists(withKey: key))
            let kept = fixture.manager.cacheKey(for: other, context: context)
            #expect(fixture.cache.imageFromMemoryCache(forKey: kept) != nil)
        }
        // Half of the entries belonged to the removed picture.
        #expect(fixture.cache.totalDiskCount() == before.0 / 2)
        #expect(storage.totalDiskCount() == before.1 / 2 && before.1 == 4)
        try fixture.answer(url, blue: 20)
        for context in Self.contexts.dropLast() { #expect(try await fixture.load(url, [], context).blue == 20) }
        let again = try await encoded.encodedImage(for: ImageRequest(url: url), format: .png)
        #expect(again.cacheType == .none)
        let kept = try await encoded.encodedImage(for: ImageRequest(url: other), format: .png)
        #expect(kept.cacheType == .memory)
    }

    @Test func removedPictureIsKeptForOtherUsers() async throws {
        try fixture.answer(url, blue: 10)
        let user: WebImageContext = [.cacheScope: "user"]
        try await fixture.load(url)
        try await fixture.load(url, [], user)
        await fixture.manager.removeImage(for: url)
        #expect(try await fixture.load(url, .fromCacheOnly, user).blue == 10)
        await #expect(throws: WebImageError.self) { try await fixture.load(url, .fromCacheOnly) }
        await fixture.manager.removeImage(for: url, context: user)
        await #expect(throws: WebImageError.self) { try await fixture.load(url, .fromCacheOnly, user) }
    }

    @Test func imageInUseIsNotFoundAgainAfterItsRemoval() async throws {
        try fixture.answer(url, blue: 10)
        let held = try await fixture.load(url).result.image
        fixture.cache.clearMemory()
        fixture.cache.storeImageToMemory(held, forKey: url.absoluteString)
        fixture.cache.memoryCache.configDidChange(fixture.cache.config)
        await fixture.manager.removeImage(for: url)
        #expect(fixture.cache.imageFromMemoryCache(forKey: url.absoluteString) == nil)
        withExtendedLifetime(held) {}
    }

    @Test func nilAndUnknownURLsDoNothing() async throws {
        await fixture.manager.removeImage(for: nil)
        await fixture.manager.removeImage(for: url)
    }
}
