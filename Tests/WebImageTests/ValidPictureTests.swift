import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// A valid picture in a cache is delivered whatever the loader said before, and is that of the file if it is a local one.
@Suite(.timeLimit(minutes: 2))
struct ValidPictureTests {
    private let journey: Journey
    private var manager: WebImageManager { journey.manager }
    private var cache: ImageCache { journey.cache }

    init() throws { journey = try Journey() }

    private func code(_ url: URL, _ options: WebImageOptions = [], _ context: WebImageContext = [:]) async
        -> WebImageError.Code?
    {
        do throws(WebImageError) {
            _ = try await manager.image(for: url, options: options, context: context)
            return nil
        } catch { return error.code }
    }

    private func clear() async {
        cache.clearMemory()
        await cache.clearDisk()
    }

    private static var flipped: WebImageContext {
        [.imageTransformer: ImageFlippingTransformer(horizontal: true, vertical: false)]
    }
    private static var small: WebImageContext { [.imageThumbnailPixelSize: CGSize(width: 20, height: 20)] }

    // MARK: Failures

    static let failures: [FaultBehaviour] = [.status(404), .status(410), .body(Data("nothing".utf8))]
    static let options: [WebImageOptions] = [
        [], .fromCacheOnly, .refreshCached, .queryDiskDataSync, .queryMemoryData, .progressiveLoad,
    ]

    /// A reload fails for a reason that is remembered. The picture of before is still valid.
    @Test(arguments: failures.indices) func failureThatIsRememberedHidesNoCachedPicture(index: Int) async throws {
        let url = journey.server.url("/a.png")
        for context in [[:], Self.small] {
            journey.server.route("/a.png", .body(try Journey.file(width: 40)))
            manager.removeAllFailedURLs()
            _ = try await manager.image(for: url, options: .waitStoreCache, context: context)
            journey.server.route("/a.png", Self.failures[index])
            #expect(await code(url, .fromLoaderOnly) != nil)
            #expect(manager.failure(of: url) != nil)
            let requests = journey.server.requests.count
            for clears in [false, true] {
                for options in Self.options {
                    if clears { cache.clearMemory() }
                    #expect(await code(url, options, context) == nil, "\(options), from disk: \(clears)")
                }
            }
            // The failure forbids the loader: not one of these loads has asked again.
            #expect(journey.server.requests.count == requests)
            #expect(await code(url, .fromLoaderOnly) == .blackListed)
            await clear()
            #expect(await code(url) == .blackListed)
            #expect(await code(url, .fromCacheOnly) == .notCached)
        }
    }

    /// A failed refresh reports that the URL has failed before, beside the picture.
    @Test func refreshOfAFailedURLDeliversTheCachedPictureWithTheError() async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", .body(try Journey.file(width: 40)))
        _ = try await manager.image(for: url)
        journey.server.route("/a.png", .status(404))
        #expect(await code(url, .fromLoaderOnly) == .invalidDownloadStatusCode)
        let ends = Calls<(Int?, WebImageError.Code?)>()
        manager.loadImage(with: url, options: .refreshCached, context: [.callbackQueue: CallbackQueue.invoking]) {
            image, _, error, _, finished, _ in if finished { ends.append((image?.pixelSize.width, error?.code)) }
        }
        try await eventually("the load has ended") { ends.all.count == 2 }
        #expect(ends.all.map(\.0) == [40, 40] && ends.all.map(\.1) == [nil, .blackListed])
    }

    @Test func thumbnailInMemoryIsUsedAfterItsOriginalHasGone() async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", .body(try Journey.file(width: 40)))
        _ = try await manager.image(for: url, options: .waitStoreCache, context: Self.small)
        await cache.clearDisk()
        journey.server.route("/a.png", .status(404))
        #expect(await code(url) == .invalidDownloadStatusCode)
        #expect(await code(url, [], Self.small) == nil)
    }

    @Test(arguments: [0, 1, 2]) func pictureThatTheProgramStoresForgetsTheFailure(way: Int) async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", .status(404))
        #expect(await code(url) == .invalidDownloadStatusCode)
        #expect(await code(url) == .blackListed)
        let image = try TestImages.solid(width: 12, height: 8)
        switch way {
        case 0: manager.saveImage(toCache: image, for: url)
        case 1: cache.storeImage(image, forKey: url.absoluteString)
        default: cache.storeImageDataToDisk(try Journey.file(width: 12), forKey: url.absoluteString)
        }
        try await #expect(manager.image(for: url).pixelSize.width == 12)
        #expect(manager.failure(of: url) == nil)
        await clear()
        journey.server.route("/a.png", .body(try Journey.file(width: 40)))
        try await #expect(manager.image(for: url).pixelSize.width == 40)
    }

    /// A load that may try the URL again shares no work with one that may not.
    @Test func retryIsNotJoinedToARefusedLoad() async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", .status(404))
        #expect(await code(url) == .invalidDownloadStatusCode)
        journey.server.route("/a.png", .body(try Journey.file(width: 40)))
        async let refused = code(url)
        async let retried = code(url, .retryFailed)
        #expect(await refused != .invalidDownloadStatusCode)
        #expect(await retried == nil)
    }

    // MARK: Local files

    static let edits = ["in place", "by another file", "by a file of the same size"]

    private func edit(_ file: URL, _ way: String, width: Int, blue: UInt8) throws {
        let data = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: width, height: 30, blue: blue), format: .bmp, options: EncodingOptions())
        try data.write(to: file, options: way == "by another file" ? .atomic : [])
    }

    /// Every kind of load shows the file as it is now, without a wait between the edits.
    @Test(arguments: edits) func editedFileIsLoadedAgain(way: String) async throws {
        let file = journey.folder.appendingPathComponent("a b.bmp")
        let contexts: [WebImageContext] = [
            [:], Self.small, Self.flipped, [.cacheScope: "ada"], [.imageCoder: ImageCodersManager.shared],
        ]
        let encoded = ImageEncodedCache(
            manager: manager, storage: ImageCache(namespace: "encoded", diskCacheDirectory: journey.folder.path))
        for round in 1...8 {
            let width = way == "by a file of the same size" ? 40 : 40 + round
            try edit(file, way, width: width, blue: UInt8(round * 10))
            for context in contexts {
                for _ in 0..<2 {
                    let image = try await manager.image(for: file, context: context)
                    #expect(image.pixels.withUnsafeBytes { $0[0] } == UInt8(round * 10), "\(context) at round \(round)")
                }
            }
            let data = try await encoded.encodedImage(for: ImageRequest(url: file), format: .png).data
            let image = try ImageCodersManager.shared.decode(data, options: DecodingOptions())
            #expect(image.pixels.withUnsafeBytes { $0[0] } == UInt8(round * 10))
        }
    }

    @Test func unchangedFileIsAHitInMemory() async throws {
        let file = journey.folder.appendingPathComponent("a.png")
        try Journey.file(width: 40).write(to: file)
        for context in [[:], Self.small] {
            let first = try await manager.image(for: file, context: context)
            let second = try await manager.result(for: file, context: context)
            #expect(second.cacheType == .memory && second.image === first)
        }
        #expect(await manager.cachedImageExists(for: file))
    }

    @Test func removedFileIsAFailure() async throws {
        let file = journey.folder.appendingPathComponent("a.png")
        try Journey.file(width: 40).write(to: file)
        #expect(await code(file) == nil)
        try FileManager.default.removeItem(at: file)
        #expect(await code(file) == .fileSystem)
    }

    // MARK: Lost entries on disk

    /// The picture is in memory, its entry on disk has gone. The first refresh stores the bytes again, so that the next one
    /// needs no request, and the picture is there after a restart without a network.
    @Test(arguments: ["cleared", "removed", "expired", "by another process"])
    func refreshRestoresALostEntry(way: String) async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", .body(try Journey.file(width: 40), headers: ["Cache-Control": "max-age=3600"]))
        for context in [[:], Self.small, Self.flipped] {
            _ = try await manager.image(for: url, options: .waitStoreCache, context: context)
            switch way {
            case "cleared": await cache.clearDisk()
            case "removed":
                cache.removeImageFromDisk(forKey: url.absoluteString)
                cache.removeImageFromDisk(forKey: manager.cacheKey(for: url, context: context))
            case "expired":
                cache.config.maxDiskAge = 0.000_001
                await cache.deleteOldFiles()
                cache.config.maxDiskAge = -1
            default:
                await cache.flush()
                await ImageCache(namespace: "default", diskCacheDirectory: journey.folder.path).clearDisk()
            }
            #expect(!cache.diskImageDataExists(withKey: url.absoluteString))
            let before = journey.server.requests.count
            for _ in 0..<3 { _ = try await manager.image(for: url, options: .refreshCached, context: context) }
            #expect(journey.server.requests.count == before + 1)
            await cache.flush()
            let restarted = WebImageManager(
                cache: ImageCache(namespace: "default", diskCacheDirectory: journey.folder.path),
                loader: ImageLoadersManager(loaders: []))
            #expect(try await restarted.image(for: url, context: context).pixelSize.width <= 40)
        }
    }

    @Test func refreshStoresNothingThatMustNotBeStored() async throws {
        let url = journey.server.url("/a.png")
        journey.server.route("/a.png", .body(try Journey.file(width: 40), headers: ["Cache-Control": "no-store"]))
        _ = try await manager.image(for: url)
        _ = try await manager.image(for: url, options: .refreshCached)
        await cache.flush()
        #expect(cache.diskImageDataSync(forKey: url.absoluteString) == nil)
    }
}
