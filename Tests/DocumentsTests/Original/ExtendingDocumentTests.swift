import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// Call sites from SDWebImage's document about extending the library. The call sites of views are in
/// ``AnimatedDocumentTests``.
@Suite(.timeLimit(minutes: 1)) struct ExtendingDocumentTests {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test(.tags(.x1)) @available(*, deprecated)
    func customOperationClassDownloads() async throws {
        desk.downloader.config.operationClass = MyWebImageDownloaderOperation.self
        let before = MyWebImageDownloaderOperation.starts.all.count
        let url = try desk.picture("/mine.png")
        #expect(await desk.load(url).image != nil)
        #expect(MyWebImageDownloaderOperation.starts.all.dropFirst(before).contains(url))
        desk.downloader.setOperationClass(nil)
        #expect(desk.downloader.config.operationClass == nil)
        desk.downloader.setOperationClass(MyWebImageDownloaderOperation.self)
        #expect(desk.downloader.config.operationClass is MyWebImageDownloaderOperation.Type)
    }

    @Test(.tags(.x2)) @available(*, deprecated)
    func customCoderIsAskedFirst() async throws {
        let coder = MyWebImageCoder()
        SDImageCodersManager.shared.addCoder(coder)
        defer { SDImageCodersManager.shared.removeCoder(coder) }
        #expect(SDWebImageCodersManager.sharedInstance === SDImageCodersManager.shared)
        desk.server.route("/plain.mine", .body(MyWebImageCoder.file, type: "image/x-mine"))
        let end = await desk.load(desk.server.url("/plain.mine"))
        #expect(end.image?.size == CGSize(width: 3, height: 2))
        let own: any SDWebImageCoder = coder
        #expect(own.canDecode(from: MyWebImageCoder.file))
    }

    @Test(.tags(.x2)) func gifCoderDecodesIncrementally() throws {
        let coder: SDProgressiveImageCoder = SDImageGIFCoder(incrementalWithOptions: nil)
        let file = try Desk.animation()
        #expect(coder.canIncrementalDecode(from: file))
        coder.updateIncrementalData(file, finished: true)
        #expect(coder.incrementalDecodedImage(options: nil)?.size == CGSize(width: 8, height: 8))
    }

    @Test(.tags(.x3)) func gifReturnsItsFramesAndDurations() throws {
        let image = try #require(UIImage.sd_image(withGIFData: try Desk.animation()))
        #expect(image.sd_isAnimated && image.sd_imageFrameCount == 3 && image.sd_imageFormat == .GIF)
        let frames = try #require(image as? SDAnimatedImageProvider)
        #expect((0..<3).map { frames.animatedImageDuration(at: $0) } == [0.05, 0.05, 0.05])
    }

    @Test(.tags(.x4)) func animatedImageInitializersReturnOrdinaryImages() throws {
        let data = try Desk.animation()
        let path = desk.scratch.url.appendingPathComponent("poster@2x.gif").path
        try data.write(to: URL(fileURLWithPath: path))
        let file = try #require(SDAnimatedImage(contentsOfFile: path))
        #expect(file.scale == 2 && file.size == CGSize(width: 4, height: 4))
        let scaled = try #require(SDAnimatedImage(data: data, scale: 2))
        #expect(scaled.animatedImageFrameCount == 3 && scaled.animatedImageLoopCount == 0)
        #expect(SDAnimatedImage(named: "no picture of this name.gif") == nil)
        let executable = try #require(Bundle.main.executableURL).deletingLastPathComponent()
        let named = executable.appendingPathComponent("documents-\(UUID().uuidString).gif")
        try data.write(to: named)
        defer { try? FileManager.default.removeItem(at: named) }
        #expect(SDAnimatedImage(named: named.lastPathComponent)?.animatedImageFrameCount == 3)

        let plain: UIImage = scaled
        desk.cache.store(plain, forKey: "animated")
        #expect(desk.cache.imageFromMemoryCache(forKey: "animated") === scaled)
    }

    @Test(.tags(.x7)) @available(*, deprecated) func coderReturnsSingleFrames() throws {
        let gifData = try Desk.animation()
        let coder = SDImageGIFCoder(animatedImageData: gifData)
        let firstFrame = coder?.animatedImageFrame(at: 0)
        #expect(firstFrame?.size == CGSize(width: 8, height: 8))
        #expect(coder?.animatedImageFrameCount == 3 && coder?.animatedImageLoopCount == 0)
        #expect(coder?.animatedImageDuration(at: 2) == 0.05)
        #expect(coder?.animatedImageFrame(at: 3) == nil)
        let role: (any SDAnimatedImageCoder)? = SDImageGIFCoder(animatedImageData: gifData, options: nil)
        #expect(role?.animatedImageData == gifData)
    }

    @Test(.tags(.x8)) func contextNamesTheAnimatedImageClass() async throws {
        desk.server.route("/mine.gif", .body(try Desk.animation(), type: "image/gif"))
        let end = await desk.load(
            desk.server.url("/mine.gif"), context: [.animatedImageClass: MyAnimatedImage.self])
        #expect(end.image is MyAnimatedImage)
    }

    @Test(.tags(.x9)) func transformersChainPerRequestAndPerManager() async throws {
        let transformer1 = SDImageFlippingTransformer(horizontal: true, vertical: false)
        let transformer2 = SDImageRotationTransformer(angle: .pi / 2, fitSize: true)
        let pipelineTransformer = SDImagePipelineTransformer(transformers: [transformer1, transformer2])
        #expect(
            pipelineTransformer.transformerKey
                == "SDImageFlippingTransformer(1,0)-SDImageRotationTransformer(1.570796,1)")
        let url = try desk.picture("/turned.png", width: 40, height: 30)
        let end = await desk.load(url, context: [.imageTransformer: pipelineTransformer])
        #expect(end.image?.size == CGSize(width: 30, height: 40))

        let all: [any SDImageTransformer] = [
            SDImageRoundCornerTransformer(radius: 4, corners: .allCorners, borderWidth: 1, borderColor: UIColor.red),
            SDImageResizingTransformer(size: CGSize(width: 20, height: 20), scaleMode: .fill),
            SDImageCroppingTransformer(rect: CGRect(x: 0, y: 0, width: 10, height: 10)),
            SDImageTintTransformer(color: .blue), SDImageBlurTransformer(radius: 2),
        ]
        desk.manager.transformer = SDImagePipelineTransformer(transformers: all)
        let other = await desk.load(try desk.picture("/all.png", width: 40, height: 30))
        #expect(other.image?.size == CGSize(width: 10, height: 10) && other.image?.sd_isTransformed == true)
    }

    @Test(.tags(.x10)) @available(*, deprecated) func imageFunctionsTransform() throws {
        let image = try #require(UIImage(data: try Desk.file(width: 120, height: 110)))
        let croppedImage = image.sd_croppedImage(with: CGRect(0, 0, 100, 100))
        #expect(croppedImage?.size == CGSize(100, 100))
        #expect(image.sd_resizedImage(with: CGSize(300, 300), scaleMode: .aspectFill)?.size == CGSize(300, 300))
        #expect(image.sd_rotatedImage(withAngle: .pi / 2, fitSize: true)?.size == CGSize(110, 120))
        #expect(image.sd_flippedImage(withHorizontal: true, vertical: true)?.size == image.size)
        #expect(image.sd_tintedImage(with: .red)?.sd_color(at: CGPoint(x: 1, y: 1)) == UIColor.red)
        #expect(image.sd_blurredImage(withRadius: 3)?.size == image.size)
        let rounded = image.sd_roundedCornerImage(
            withRadius: 10, corners: [.topLeft], borderWidth: 0, borderColor: nil)
        #expect(rounded?.sd_color(at: .zero)?.alpha == 0)
        #expect(image.sd_colors(with: CGRect(0, 0, 2, 2))?.count == 4)
    }

    @Test(.tags(.x11)) func loadersManagerChoosesTheLoaderByURL() async throws {
        let loader1 = desk.downloader
        let loader2 = MyImageLoader()
        let loaders = SDImageLoadersManager(loaders: [loader1])
        loaders.loaders = [loader1, loader2]
        let manager = SDWebImageManager(cache: desk.cache, loader: loaders)
        let url = try #require(URL(string: "mine://picture"))
        let (width, data) = await withCheckedContinuation { continuation in
            manager.loadImage(with: url, progress: nil) { image, data, error, _, _, _ in
                continuation.resume(returning: (image?.size.width, data))
            }
        }
        #expect(width == 40 && data != nil)
        loader2.fails = true
        let failing = try #require(URL(string: "mine://other"))
        // The first load fails with the loader's error. The second load fails because the first load has blocked the
        // URL.
        for expected in [7, SDWebImageError.blackListed.rawValue] {
            let code = await withCheckedContinuation { continuation in
                manager.loadImage(with: failing, progress: nil) { _, _, error, _, _, _ in
                    continuation.resume(returning: (error as NSError?)?.code)
                }
            }
            #expect(code == expected)
        }
        #expect(loaders.canRequestImage(for: desk.server.url("/x")))
    }

    @Test(.tags(.x11)) func decodeFunctionsServeCustomLoaders() throws {
        let url = try #require(URL(string: "mine://picture@2x.png"))
        let image = SDImageLoaderDecodeImageData(try Desk.file(), url, [], nil)
        #expect(image?.scale == 2)
        let file = try Desk.animation()
        let operation = MyOperation()
        #expect(SDImageLoaderDecodeProgressiveImageData(file.prefix(20), url, false, operation, [], nil) == nil)
        let whole = SDImageLoaderDecodeProgressiveImageData(file, url, true, operation, [], nil)
        #expect(whole?.pixelSize == PixelSize(width: 8, height: 8) && whole?.sd_isIncremental == false)
    }

    @Test(.tags(.x11)) func newManagersUseTheDefaultLoaderAndCache() throws {
        let (oldLoader, oldCache) = (SDWebImageManager.defaultImageLoader, SDWebImageManager.defaultImageCache)
        defer {
            SDWebImageManager.defaultImageLoader = oldLoader
            SDWebImageManager.defaultImageCache = oldCache
        }
        let loader = MyImageLoader()
        SDWebImageManager.defaultImageLoader = loader
        SDWebImageManager.defaultImageCache = desk.cache
        let manager = SDWebImageManager()
        #expect(manager.imageLoader as? MyImageLoader === loader)
        #expect(manager.imageCache as? SDImageCache === desk.cache)
    }

    @Test(.tags(.x12)) func configurationNamesTheCacheLayers() async throws {
        let config = SDImageCacheConfig()
        config.memoryCacheClass = MyMemoryCache.self
        config.diskCacheClass = MyDiskCache.self
        let cache = SDImageCache(namespace: "own", diskCacheDirectory: desk.scratch.url.path, config: config)
        let memory = try #require(cache.memoryCache as? MyMemoryCache)
        let disk = try #require(cache.diskCache as? MyDiskCache)
        let image = try TestImages.solid()
        await withCheckedContinuation { continuation in
            cache.store(image, imageData: try? Desk.file(), forKey: "k", toDisk: true) { continuation.resume() }
        }
        #expect(memory.object(forKey: "k" as Any) as? UIImage === image)
        #expect(disk.data(forKey: "k") == (try Desk.file()))
        #expect(cache.totalDiskCount() == 1)
        #expect(cache.imageFromMemoryCache(forKey: "k") === image)
        cache.removeImageFromMemory(forKey: "k")
        #expect(cache.imageFromDiskCache(forKey: "k")?.size == CGSize(width: 40, height: 30))
    }

    @Test(.tags(.x12)) func customCacheReplacesTheWholeCache() async throws {
        let cache = MyImageCache()
        let manager = SDWebImageManager(cache: cache, loader: desk.downloader)
        let url = try desk.picture("/whole.png")
        for expected in [SDImageCacheType.none, .memory] {
            let type = await withCheckedContinuation { continuation in
                manager.loadImage(with: url, options: .waitStoreCache, progress: nil) { image, _, _, type, _, _ in
                    continuation.resume(returning: image == nil ? nil : type)
                }
            }
            #expect(type == expected)
        }
        #expect(desk.server.requestCount("/whole.png") == 1)
    }

    @Test(.tags(.x12)) func cachesManagerAppliesAPolicyPerOperation() async throws {
        let directory = desk.scratch.url.path
        let cache1 = SDImageCache(namespace: "cache1", diskCacheDirectory: directory)
        let cache2 = SDImageCache(namespace: "cache2", diskCacheDirectory: directory)
        let caches = SDImageCachesManager(caches: [])
        caches.caches = [cache1, cache2]
        caches.storeOperationPolicy = .concurrent
        caches.queryOperationPolicy = .serial
        caches.removeOperationPolicy = .highestOnly
        caches.containsOperationPolicy = .lowestOnly
        caches.clearOperationPolicy = .concurrent
        let manager = SDWebImageManager(cache: caches, loader: desk.downloader)
        let url = try desk.picture("/both.png")
        await withCheckedContinuation { continuation in
            manager.loadImage(with: url, options: .waitStoreCache, progress: nil) { _, _, _, _, _, _ in
                continuation.resume()
            }
        }
        let key = manager.cacheKey(for: url)
        #expect(cache1.diskImageDataExists(withKey: key) && cache2.diskImageDataExists(withKey: key))
    }
}
