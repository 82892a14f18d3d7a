import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// A load may deliver an image of an older version before its refresh finds that the original on disk is current. The
/// refresh then delivers the image of the current original. Otherwise, the older image would stay on screen. The
/// refresh needs the version of every delivered image, including images that are not stored in memory.
@Suite(.timeLimit(minutes: 1))
struct RefreshVersionTests {
    private let fixture: EntryFixture
    private let url = EntryFixture.url("https://host/a.png")

    init() throws { fixture = try EntryFixture() }

    /// The image comes from disk. Before the refresh asks the loader, another load stores a newer original.
    @Test(arguments: [false, true], [ImageCacheType.none, .disk, .all])
    func anOriginalReplacedBeforeTheRefreshIsDelivered(isThumbnail: Bool, storeType: ImageCacheType) async throws {
        try fixture.answer(url, blue: 10)
        try await fixture.load(url)
        await fixture.cache.flush()
        fixture.cache.clearMemory()
        let newer = try EntryFixture.file(blue: 20)
        try fixture.answer(url, blue: 20)
        let (cache, key) = (fixture.cache, url.absoluteString)
        let delegate = DownloadObserver { cache.storeImageDataToDisk(newer, forKey: key) }
        fixture.manager.delegate = delegate
        var context: WebImageContext = [.storeCacheType: storeType]
        if isThumbnail { context[.imageThumbnailPixelSize] = CGSize(width: 10, height: 10) }
        let found = try await fixture.load(url, .refreshCached, context)
        #expect(found.blue == 20 && found.result.cacheType == .disk)
        withExtendedLifetime(delegate) {}
    }

    /// The image is the first frame of an animated image in memory. Another process replaces the original on disk.
    @Test func firstFrameFromMemoryIsReplacedByARefresh() async throws {
        fixture.loader.answer(url, with: .success(try Self.animation(blue: 10)))
        #expect(try await fixture.load(url).result.image.isAnimated)
        let newer = try Self.animation(blue: 20)
        fixture.loader.answer(url, with: .success(newer))
        let other = try fixture.restarted()
        other.cache.storeImageDataToDisk(newer, forKey: url.absoluteString)
        await other.cache.flush()
        let found = try await fixture.load(url, [.refreshCached, .decodeFirstFrameOnly])
        #expect(found.blue == 20 && !found.result.image.isAnimated)
    }

    private static func animation(blue: UInt8) throws -> Data {
        let frames = try [blue, blue + 100].map {
            ImageFrame(image: try TestImages.solid(width: 24, height: 24, blue: $0), duration: 0.1)
        }
        return try ImageCodersManager.shared.encode(frames, loopCount: 0, format: .png, options: EncodingOptions())
    }
}

/// Calls a function before each download.
private final class DownloadObserver: WebImageManagerDelegate {
    private let willDownload: @Sendable () -> Void

    init(_ willDownload: @escaping @Sendable () -> Void) { self.willDownload = willDownload }

    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool {
        willDownload()
        return true
    }
}
