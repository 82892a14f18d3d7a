import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// One value that makes a manager.
@Suite(.timeLimit(minutes: 1))
struct ConfigurationTests {
    private let folder: ScratchFolder
    private var configuration = WebImageConfiguration(name: "configured")
    private let file: URL

    init() throws {
        folder = try ScratchFolder()
        configuration.folder = folder.url
        file = folder.url.appendingPathComponent("picture.png")
        let image = try TestImages.solid(width: 40, height: 30)
        try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions()).write(to: file)
    }

    private func code(_ manager: WebImageManager, _ request: ImageRequest) async -> WebImageError.Code? {
        do throws(WebImageError) {
            _ = try await manager.image(for: request)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func theDefaultLoadsFilesAndHasItsOwnCache() async throws {
        let manager = WebImageManager(configuration)
        #expect(try await manager.image(for: file).pixelSize == PixelSize(width: 40, height: 30))
        let cache = try #require(manager.imageCache as? ImageCache)
        #expect(cache !== ImageCache.shared && cache.diskCachePath == folder.url.path + "/configured")
        #expect(manager.decodingLimits == nil && manager.coder == nil && manager.failedURLLifetime == .seconds(300))
        let another = WebImageManager(configuration)
        #expect(another.imageCache as? ImageCache !== cache)
    }

    @Test func theLimitsAreThoseOfEveryLoad() async throws {
        var configuration = configuration
        configuration.limits.maxPixels = 1199
        let manager = WebImageManager(configuration)
        #expect(await code(manager, ImageRequest(url: file)) == .limitExceeded)
        var trusted = ImageRequest(url: file, options: .retryFailed)
        trusted.limits = .default
        #expect(await code(manager, trusted) == nil)
        // A picture in memory was checked when it was decoded.
        #expect(await code(manager, ImageRequest(url: file)) == nil)
        manager.decodingLimits = nil
        #expect(await code(manager, ImageRequest(url: file, size: CGSize(width: 9, height: 9))) == nil)
    }

    @Test func thePolicyRefusesFilesAndAddresses() async throws {
        var configuration = configuration
        configuration.policy = .server
        #expect(configuration.downloads.policy == .server)
        let manager = WebImageManager(configuration)
        #expect(await code(manager, ImageRequest(url: file)) == .invalidDownloadOperation)
        let local = try #require(URL(string: "http://127.0.0.1:1/a.png"))
        #expect(await code(manager, ImageRequest(url: local)) == .invalidDownloadOperation)
        #expect(await code(WebImageManager(self.configuration), ImageRequest(url: local)) == .transport)
    }

    @Test func theCodersDecodeAndTheLoadersAreAskedFirst() async throws {
        let (loader, coder) = (FakeDataLoader(), FakeCoder())
        let url = try #require(URL(string: "http://host/picture"))
        loader.answer(url, with: .success(FakeCoder.file(width: 7)))
        var configuration = configuration
        configuration.loaders = [loader]
        configuration.coders = ImageCodersManager(coders: [coder])
        let manager = WebImageManager(configuration)
        #expect(try await manager.image(for: url).pixelSize.width == 7)
        #expect(loader.requests == [url] && coder.decodeCount == 1)
        // A request can name another coder.
        var request = ImageRequest(url: file)
        request.loader = FileImageLoader()
        #expect(await code(manager, request) == .unsupportedFormat)
        request.coder = ImageCodersManager.shared
        request.options = .retryFailed
        #expect(await code(manager, request) == nil)
    }

    @Test func cachesListenersAndSettingsReachTheManager() async throws {
        let (further, metrics, second) = (FakeImageCache(), WebImageMetrics(), WebImageMetrics())
        var configuration = configuration
        configuration.cache.maxMemoryCount = 3
        configuration.furtherCaches = [further]
        configuration.listeners = [metrics, second]
        configuration.failedURLLifetime = nil
        configuration.transformer = ImageResizingTransformer(size: CGSize(width: 5, height: 5), scaleMode: .fill)
        configuration.cacheKeyFilter = WebImageCacheKeyFilter { $0.lastPathComponent }
        let manager = WebImageManager(configuration)
        let caches = try #require(manager.imageCache as? ImageCachesManager)
        #expect((caches.caches?.first as? ImageCache)?.config.maxMemoryCount == 3 && caches.caches?.count == 2)
        #expect(manager.failedURLLifetime == nil)
        #expect(try await manager.image(for: file).pixelSize.width == 5)
        #expect(further.memoryKeys.contains { $0.hasPrefix("picture") && !$0.contains("/") })
        #expect(await eventually { [metrics, second].allSatisfy { $0.prometheusText.contains("stage=\"load\"") } })
    }

    @Test func headersAndModifiersReachTheServer() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.route("/a.png", .body(try Data(contentsOf: file), type: "image/png"))
        var configuration = configuration
        configuration.headers = ["X-Name": "value"]
        configuration.requestModifier = WebImageDownloaderRequestModifier(headers: ["X-Modified": "modified"])
        let manager = WebImageManager(configuration)
        _ = try await manager.image(for: server.url("/a.png"))
        let request = try #require(server.requests.first)
        #expect(request.headers["x-name"] == "value" && request.headers["x-modified"] == "modified")
    }
}
