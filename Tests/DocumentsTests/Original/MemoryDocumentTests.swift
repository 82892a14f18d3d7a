import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// Call sites from SDWebImage's documents about memory, large images and refreshing.
@Suite(.timeLimit(minutes: 1)) struct MemoryDocumentTests {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test(.tags(.m1)) func cacheSettingsChangeAtRunTime() async throws {
        let cache = desk.cache
        cache.config.maxDiskAge = 3600 * 24 * 7
        cache.config.maxMemoryCost = 1024 * 1024 * 4 * 20
        cache.config.shouldUseWeakMemoryCache = false
        cache.config.diskCacheReadingOptions = .mappedIfSafe
        let config = cache.config
        #expect(config.maxDiskAge == 604_800 && config.maxMemoryCost == 83_886_080)
        #expect(config.diskCacheReadingOptions == .mappedIfSafe && !config.shouldUseWeakMemoryCache)

        config.shouldCacheImagesInMemory = false
        let url = try desk.picture("/disk.png")
        _ = await desk.load(url, options: .waitStoreCache)
        #expect(cache.imageFromMemoryCache(forKey: url.absoluteString) == nil)
        #expect(await desk.load(url).cacheType == .disk)
    }

    @Test(.tags(.m2)) func optionsProcessorRewritesEveryRequest() async throws {
        desk.manager.optionsProcessor = SDWebImageOptionsProcessor() { url, options, context in
            var mutableOptions = options
            mutableOptions.insert(.avoidDecodeImage)
            var context = context ?? [:]
            context[.imageThumbnailPixelSize] = CGSize(width: 10, height: 10)
            return SDWebImageOptionsResult(options: mutableOptions, context: context)
        }
        let end = await desk.load(try desk.picture("/processed.png", width: 40, height: 20))
        #expect(end.image?.size == CGSize(width: 10, height: 5))
    }

    @Test(.tags(.m3))
    func memoryCostIsPixelsTimesBytesPerPixel() throws {
        let file = try Desk.file(width: 64, height: 8)
        func cost(_ layout: PixelFormat?) throws -> Int {
            var options: SDImageCoderOptions = [:]
            options[.decodePixelFormat] = layout
            let image = SDImageCodersManager.shared.decodedImage(with: file, options: options)
            return Int(try #require(image).sd_memoryCost)
        }
        #expect(try cost(nil) == 64 * 8 * 4)
        #expect(try cost(.rgb8) == 64 * 8 * 3)
        #expect(try cost(.gray8) == 64 * 8)
        let image = try #require(UIImage(data: file))
        image.sd_memoryCost = 7
        #expect(image.sd_memoryCost == 7)
    }

    @Test(.tags(.m4)) func scaleDownOptionAndTransformerLimitTheSize() async throws {
        let url = try desk.picture("/wide.png", width: 400, height: 100)
        let bounded = await desk.load(
            url, options: .scaleDownLargeImages, context: [.imageScaleDownLimitBytes: 200 * 50 * 4])
        #expect(bounded.image?.size == CGSize(width: 200, height: 50))
        let resized = await desk.load(
            url,
            context: [
                .imageTransformer: SDImageResizingTransformer(
                    size: CGSize(width: 30, height: 30), scaleMode: .aspectFit)
            ])
        #expect(resized.image?.size == CGSize(width: 30, height: 30))
        #expect(SDImageCoderHelper.defaultScaleDownLimitBytes == 60 << 20)
    }

    @Test(.tags(.r1)) func cachedImageIsUsedDespiteItsHeaders() async throws {
        desk.server.route("/stale.png", .body(try Desk.file(), headers: ["Cache-Control": "no-cache, max-age=0"]))
        let url = desk.server.url("/stale.png")
        _ = await desk.load(url, options: .waitStoreCache)
        desk.cache.clearMemory()
        #expect(await desk.load(url).cacheType == .disk)
        #expect(desk.server.requestCount("/stale.png") == 1)
    }

    @Test(.tags(.r2)) func refreshDeliversTheCachedThenTheChangedImage() async throws {
        let url = try desk.picture("/avatar.png", width: 10, height: 10)
        _ = await desk.load(url, options: .waitStoreCache)
        _ = try desk.picture("/avatar.png", width: 20, height: 20)
        let widths = Calls<CGFloat>()
        desk.manager.loadImage(with: url, options: .refreshCached, progress: nil) { image, _, _, _, _, _ in
            widths.add(image?.size.width ?? 0)
        }
        #expect(await eventually { widths.all.count == 2 })
        #expect(widths.all == [10, 20])
    }
}
