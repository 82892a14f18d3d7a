import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// Loads alternative sources and low-data substitutes with the manager, and checks which of these images the caches
/// store.
@Suite(.timeLimit(minutes: 1))
struct AlternativeLoadTests {
    private let journey: Journey
    private let loaders: ImageLoadersManager
    private var manager: WebImageManager { journey.manager }
    private var server: FaultServer { journey.server }

    init() throws {
        journey = try Journey()
        loaders = try #require(journey.manager.imageLoader as? ImageLoadersManager)
        server.route("/low.png", .body(try Journey.file(width: 10), headers: ["ETag": "\"low\""]))
        server.route("/other.png", .body(try Journey.file(width: 40), headers: ["ETag": "\"other\""]))
        server.route("/a.png", .body(try Journey.file(width: 40), headers: ["ETag": "\"a\""]))
    }

    private var url: URL { server.url("/a.png") }
    private var key: String { url.absoluteString }
    private var alternatives: WebImageContext {
        [.alternativeSources: [server.url("/missing.png"), server.url("/other.png")]]
    }
    private var low: WebImageContext { [.lowDataSource: server.url("/low.png")] }

    private func expectNothingKept() async {
        await journey.cache.flush()
        #expect(journey.cache.imageFromMemoryCache(forKey: key) == nil)
        #expect(await journey.cache.diskResource(forKey: key) == nil)
    }

    @Test(arguments: [404, 503]) func nextSourceIsDeliveredAndStored(status: Int) async throws {
        server.route("/a.png", .status(status))
        let image = try await manager.image(for: url, options: .waitStoreCache, context: alternatives)
        #expect(image.pixelSize.width == 40)
        #expect(server.requests.map(\.path) == ["/a.png", "/missing.png", "/other.png"])
        #expect(journey.cache.imageFromMemoryCache(forKey: key) != nil)
        let kept = await journey.cache.diskResource(forKey: key)
        #expect(kept?.data == (try Journey.file(width: 40)))
        // The original is stored without metadata, because the validators of the alternative URL do not apply to this
        // URL.
        #expect(kept?.metadata == nil)
        #expect(manager.failure(of: url) == nil)
    }

    @Test func progressOfASmallerNextSourceIsReported() async throws {
        var response = FaultResponse(.zeros(1 << 20))
        response.closeAfter = 900_000
        server.route("/a.png", .respond(response))
        let seen = Locked<[Int]>([])
        let other = server.url("/other.png")
        _ = try await manager.image(for: url, context: [.alternativeSources: [other]]) { received, _, url in
            if url == other { seen.withLock { $0.append(received) } }
        }
        #expect(seen.withLock { $0.last } == (try Journey.file(width: 40)).count)
    }

    @Test func urlIsRememberedAsFailedOnlyIfEverySourceFailsPermanently() async throws {
        let context: WebImageContext = [.alternativeSources: [server.url("/missing.png")]]
        for (status, condemns) in [(503, false), (404, true)] {
            server.route("/a.png", .status(status))
            await #expect { try await manager.image(for: url, context: context) } throws: {
                ($0 as? WebImageError)?.earlierFailures.count == 1
            }
            #expect((manager.failure(of: url) != nil) == condemns)
        }
        // The failure that another load has recorded does not prevent this load from using its alternative sources.
        try await #expect(manager.image(for: url, context: alternatives).pixelSize.width == 40)
    }

    @Test func lowDataImageIsDeliveredAndNotStored() async throws {
        loaders.prefersLowData = true
        for _ in 0..<2 {
            let image = try await manager.image(for: url, options: .waitStoreCache, context: low)
            #expect(image.pixelSize.width == 10)
            await expectNothingKept()
        }
        #expect(server.requestCount("/low.png") == 2 && server.requestCount("/a.png") == 0)
        loaders.prefersLowData = false
        try await #expect(manager.image(for: url, context: low).pixelSize.width == 40)
        // A load does not use the substitute when the full image is cached.
        loaders.prefersLowData = true
        try await #expect(manager.image(for: url, context: low).pixelSize.width == 40)
    }

    @Test func variantsOfALowDataImageAreNotStored() async throws {
        loaders.prefersLowData = true
        var context = low
        context[.imageThumbnailPixelSize] = CGSize(width: 8, height: 8)
        context[.storeCacheType] = ImageCacheType.all
        context[.originalStoreCacheType] = ImageCacheType.all
        let small = try await manager.image(for: url, options: .waitStoreCache, context: context)
        #expect(small.pixelSize.width <= 8)
        await expectNothingKept()
        await journey.cache.flush()
        #expect(journey.cache.totalDiskCount() == 0)
        loaders.prefersLowData = false
        journey.server.route("/low.png", .status(404))
        _ = try await manager.image(for: url, options: .waitStoreCache, context: context)
        #expect(server.requestCount("/a.png") == 1)
    }

    @Test func fullImageIsDeliveredWhenTheLowDataSourceFails() async throws {
        loaders.prefersLowData = true
        server.route("/low.png", .status(404))
        try await #expect(manager.image(for: url, options: .waitStoreCache, context: low).pixelSize.width == 40)
        #expect(await journey.cache.diskResource(forKey: key) != nil)
        #expect(journey.cache.imageFromMemoryCache(forKey: key) != nil)
    }

    @Test func refreshUsesTheServerOfTheFullImage() async throws {
        _ = try await manager.image(for: url, options: .waitStoreCache)
        loaders.prefersLowData = true
        for clears in [false, true] {
            if clears { journey.cache.clearMemory() }
            let image = try await manager.image(for: url, options: .refreshCached, context: low)
            #expect(image.pixelSize.width == 40)
        }
        #expect(server.requestCount("/low.png") == 0)
    }

    @Test func lowDataImageThatEndsAfterTheCancelIsNotStored() async throws {
        loaders.prefersLowData = true
        let file = try ImageCodersManager.shared.encode(
            try TestImages.noise(width: 200, height: 200), format: .png, options: EncodingOptions())
        let nearly = FaultResponse(.data(file), headers: ["Content-Type": "image/png"])
        server.route("/low.png", .respond(nearly))
        // Cancel at various moments, especially between the last byte and the store.
        for round in 0..<60 {
            var context = low
            context[.callbackQueue] = CallbackQueue.invoking
            let operation: WebImageCombinedOperation = manager.loadImage(with: url, context: context, progress: nil) {
                _, _, _, _, _, _ in
            }
            _ = await eventually { server.requestCount("/low.png") > round || !manager.isRunning }
            for _ in 0..<round * 20 { await Task.yield() }
            operation.cancel()
            #expect(await eventually { !manager.isRunning })
        }
        #expect(await eventually { journey.downloader.currentDownloadCount == 0 })
        await expectNothingKept()
    }

    @Test func credentialsOfEverySourceScopeTheEntry() throws {
        let modifier = WebImageDownloaderRequestModifier { request in
            guard request.url.path == "/other.png" else { return request }
            var request = request
            request.setValue("secret", forHTTPHeaderField: "Authorization")
            return request
        }
        var context = alternatives
        context[.downloadRequestModifier] = modifier
        let load = ImageDataLoad(url: url, context: context)
        #expect(![CacheScope.shared, .unstored].contains(loaders.cacheScope(of: load)))
        #expect(loaders.identity(of: load).sharing != nil)
        #expect(loaders.identity(of: ImageDataLoad(url: url, context: alternatives)).cacheScope == .shared)
    }
}
