import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Another process refreshes an original on the disk that both processes use. This process takes the newer version in
/// once, and then finds its variants in memory again.
@Suite(.timeLimit(minutes: 1))
struct OtherProcessTests {
    private let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")

    init() throws { fixture = try EntryFixture() }

    /// The original, a thumbnail, and a transformed image. Each variant is looked up several times.
    static var contexts: [WebImageContext] {
        [
            [:], [.imageThumbnailPixelSize: CGSize(width: 10, height: 10)],
            [.imageThumbnailPixelSize: CGSize(width: 10, height: 10), .storeCacheType: ImageCacheType.all],
            [.imageTransformer: BlueTransformer(blue: 0)],
        ]
    }

    /// Loads version 10 here, then lets another process replace it by version 20.
    private func replaceByAnotherProcess(_ context: WebImageContext) async throws {
        try fixture.answer(url, blue: 10)
        #expect(try await fixture.load(url, [], context).blue == 10)
        await fixture.cache.flush()
        let other = try fixture.restarted()
        try other.answer(url, blue: 20)
        #expect(try await other.load(url, .refreshCached, [:]).blue == 20)
        await other.cache.flush()
        fixture.cache.clearMemory()
    }

    @Test(arguments: 0..<4) func newerVersionOnDiskIsTakenInOnce(index: Int) async throws {
        let context = Self.contexts[index]
        try await replaceByAnotherProcess(context)
        #expect(try await fixture.load(url, [], context).blue == 20)
        for _ in 0..<3 {
            let again = try await fixture.load(url, [], context)
            #expect(again.blue == 20 && again.result.cacheType == .memory)
        }
    }

    @Test func newerVersionIsTakenInByABlockingLookUp() async throws {
        let context = Self.contexts[1]
        try await replaceByAnotherProcess(context)
        #expect(try await fixture.load(url, .queryDiskDataSync, context).blue == 20)
        #expect(try await fixture.load(url, [], context).result.cacheType == .memory)
    }

    /// Counts the decodes of a manager.
    private final class DecodeCounter: WebImageManagerListener {
        private let decodes = Locked(0)
        var count: Int { decodes.withLock { $0 } }
        func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {
            if span.stage == .decode { decodes.withLock { $0 += 1 } }
        }
        func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {}
    }

    private func encodedCache(_ fixture: EntryFixture) -> ImageEncodedCache {
        let storage = ImageCache(namespace: "encoded", diskCacheDirectory: fixture.folder)
        return ImageEncodedCache(manager: fixture.manager, storage: storage)
    }

    /// The version is decoded once, for the first encode. Later calls find the encoded image and decode nothing, also
    /// after the decoded image was removed from memory.
    @Test(arguments: [nil, 10] as [CGFloat?]) func encodedImagesOfTheNewerVersionAreFound(width: CGFloat?) async throws
    {
        let encoded = encodedCache(fixture)
        var request = ImageRequest(url: url)
        if let width { request = ImageRequest(url: url, size: CGSize(width: width, height: width)) }
        try await replaceByAnotherProcess([:])
        let counter = DecodeCounter()
        fixture.manager.listener = counter
        let first = try await encoded.encodedImage(for: request, format: .png)
        #expect(counter.count == 1)
        for _ in 0..<3 {
            let again = try await encoded.encodedImage(for: request, format: .png)
            #expect(again.cacheType == .memory && again.etag == first.etag)
        }
        fixture.cache.clearMemory()
        _ = try await encoded.encodedImage(for: request, format: .png)
        #expect(counter.count == 1, "the picture is decoded again")
    }

    /// The other process has also encoded the newer version. This process sends its bytes without a load.
    @Test func encodedImageOfAnotherProcessIsSentWithoutADecode() async throws {
        let request = ImageRequest(url: url)
        try await replaceByAnotherProcess([:])
        let other = try fixture.restarted()
        let theirs = encodedCache(other)
        let sent = try await theirs.encodedImage(for: request, format: .png)
        await theirs.flush()
        let counter = DecodeCounter()
        fixture.manager.listener = counter
        let found = try await encodedCache(fixture).encodedImage(for: request, format: .png)
        #expect(found.etag == sent.etag && found.cacheType == .disk)
        #expect(counter.count == 0 && fixture.loader.loads.count == 1)
    }

    /// A version that this process has fetched but not yet written is newer than the version on disk.
    @Test func olderVersionOnDiskIsNotTakenInBeforeTheNewerOneIsWritten() async throws {
        try fixture.answer(url, blue: 10)
        try await fixture.load(url)
        await fixture.cache.flush()
        try fixture.answer(url, blue: 20)
        // `.memory` keeps the newer version off the disk, as a slow write does.
        let context: WebImageContext = [
            .storeCacheType: ImageCacheType.memory, .originalStoreCacheType: ImageCacheType.none,
        ]
        _ = try await fixture.load(url, .refreshCached, context)
        #expect(try await fixture.load(url).blue == 20)
        // A thumbnail is made from the older bytes on disk. It must not replace the newer version.
        _ = try await fixture.load(url, [], Self.contexts[1])
        #expect(try await fixture.load(url).blue == 20)
    }
}
