import Foundation
import SDWebImage
import Testing
import WebImageTestTraits
import WebImageTesting

/// Calls every method of SDWebImage's protocols. The test classes implement them with the signatures that Apple's
/// Objective-C importer generates.
@Suite(.serialized, .timeLimit(minutes: 1)) struct ImportedSignatureTests {
    private let scratch: ScratchFolder
    private let loader = FakeDataLoader()
    private let cache: SDImageCache
    private let manager: SDWebImageManager

    init() throws {
        scratch = try ScratchFolder()
        cache = SDImageCache(namespace: "imported", diskCacheDirectory: scratch.path)
        manager = SDWebImageManager(cache: cache, loader: loader)
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @discardableResult private func load(
        _ url: URL, _ manager: SDWebImageManager? = nil, options: SDWebImageOptions = [],
        context: SDWebImageContext? = nil
    ) async -> (UIImage?, NSError?) {
        let manager = manager ?? self.manager
        let end = await withCheckedContinuation { (done: CheckedContinuation<End, Never>) in
            manager.loadImage(with: url, options: options, context: context, progress: nil) {
                image, _, error, _, finished, _ in
                if finished { done.resume(returning: End(image: image, error: error as NSError?)) }
            }
        }
        return (end.image, end.error)
    }

    private struct End: Sendable {
        var image: UIImage?
        var error: NSError?
    }

    private func seen(_ names: String...) {
        for name in names { #expect(Seen.all.has(name), "\(name) was not called") }
    }

    @Test func importedManagerDelegateAndRulesAreCalled() async throws {
        let (delegate, rules) = (ImportedManagerDelegate(), ImportedRules())
        manager.delegate = delegate
        (manager.cacheKeyFilter, manager.cacheSerializer, manager.optionsProcessor) = (rules, rules, rules)
        manager.transformer = ImportedTransformer()
        let (good, bad) = (try url("https://a.test/good.png"), try url("https://a.test/bad.png"))
        loader.answer(good, with: .success(try #require(try TestImages.solid().pngData())))
        loader.answer(bad, with: .failure(WebImageError(.transport, stage: .download)))
        #expect(await load(good, options: .waitStoreCache).0 != nil)
        #expect(await load(bad).1 != nil)
        seen(
            "delegate.shouldDownload", "delegate.shouldBlock", "filter.key", "serializer.data", "processor.result",
            "transformer.key", "transformer.transform", "transformer.preserves")
        withExtendedLifetime(delegate) {}
    }

    @Test(arguments: ["prefetcher", "labelled", "signed"]) func importedPrefetcherDelegateIsCalled(_ kind: String)
        async throws
    {
        let picture = try url("https://a.test/\(kind).png")
        loader.answer(picture, with: .success(try #require(try TestImages.solid().pngData())))
        let prefetcher = SDWebImagePrefetcher(imageManager: manager)
        let delegates: [String: any SDWebImagePrefetcherDelegate] = [
            "prefetcher": ImportedPrefetcherDelegate(), "labelled": LabelledPrefetcherDelegate(),
            "signed": SignedPrefetcherDelegate(),
        ]
        let delegate = try #require(delegates[kind])
        prefetcher.delegate = delegate
        #expect(prefetcher.delegate === delegate)
        prefetcher.maxConcurrentPrefetchCount = 5 as UInt
        let counts = await withCheckedContinuation { (done: CheckedContinuation<[UInt], Never>) in
            prefetcher.prefetchURLs([picture], progress: nil) { finished, skipped in
                done.resume(returning: [finished, skipped])
            }
        }
        #expect(counts == [1, 0] && prefetcher.maxConcurrentPrefetchCount == 5)
        seen("\(kind).didPrefetch 1 of 1", "\(kind).didFinish 1 0")
    }

    /// A single trailing closure is the completion, not the progress block; with a second closure the first is progress.
    @Test func trailingClosureOfAPrefetchIsTheCompletion() async throws {
        let pictures = try (0..<3).map { try url("https://a.test/trailing\($0).png") }
        for picture in pictures {
            loader.answer(picture, with: .success(try #require(try TestImages.solid().pngData())))
        }
        let prefetcher = SDWebImagePrefetcher(imageManager: manager)
        let ends = Locked<[[UInt]]>([])
        prefetcher.prefetchURLs(pictures) { finished, skipped in ends.withLock { $0.append([finished, skipped]) } }
        #expect(await eventually { ends.withLock { $0 } == [[3, 0]] })
        let steps = Locked<[[UInt]]>([])
        prefetcher.prefetchURLs(pictures) { finished, total in
            steps.withLock { $0.append([finished, total]) }
        } completed: { finished, skipped in
            ends.withLock { $0.append([finished, skipped]) }
        }
        #expect(await eventually { ends.withLock { $0.count } == 2 })
        #expect(steps.withLock { $0 } == [[1, 3], [2, 3], [3, 3]])
        let urls: [URL]? = prefetcher.prefetchURLs(pictures)?.urls
        #expect(urls == pictures)
    }

    @Test func optionalMethodsOfLoadersAreCalled() async throws {
        let simple = ImportedLoader()
        let manager = SDWebImageManager(cache: cache, loader: simple)
        let end = await load(try url("simple://a"), manager)
        #expect(end.1 != nil)
        seen("loader.canRequest", "loader.request", "loader.shouldBlock")

        for loader in [ImportedFullLoader(), SDImageLoadersManager(loaders: [ImportedFullLoader()])]
            as [any ImageLoader]
        {
            let full = SDWebImageManager(cache: cache, loader: loader)
            #expect(await load(try url("full://a"), full).1?.code == SDWebImageError.invalidURL.rawValue)
            #expect(await load(try url("full://b"), full, options: .highPriority).1 != nil)
            #expect(await load(try url("full://b"), full).1?.code == SDWebImageError.blackListed.rawValue)
        }
        seen("loader.canRequest with context", "loader.shouldBlock with context")
    }

    @Test func operationMayOmitIsCancelled() async throws {
        let manager = SDWebImageManager(cache: cache, loader: ImportedLoader())
        let operation = manager.loadImage(with: try url("simple://stays/a"), progress: nil) { _, _, _, _, _, _ in }
        // Other tests call this loader too, and a load is at the loader a moment before the loader is called.
        #expect(await eventually { operation?.loaderOperation != nil && Seen.all.has("loader.request that stays") })
        operation?.cancel()
        #expect(await eventually { Seen.all.has("operation.cancel") })
        #expect(!ImportedOperation().isCancelled)
        let full: any SDWebImageOperation = ImportedFullOperation()
        #expect(full.isCancelled)
        seen("operation.isCancelled")
        let block: any SDWebImageOperation = BlockOperation {}
        block.cancel()
        #expect(block.isCancelled)
    }

    @Test func importedCodersAreCalled() throws {
        let coder = ImportedCoder()
        let coders = SDImageCodersManager(coders: [coder])
        #expect(coders.decodedImage(with: ImportedCoder.file, options: [.decodeScaleFactor: 2]) != nil)
        let image = try TestImages.solid()
        let format = SDImageFormat(rawValue: 77)
        #expect(coders.encodedData(with: image, format: format, options: nil) == ImportedCoder.file)
        let frames = [SDImageFrame(image: image, duration: 1), SDImageFrame(image: image, duration: 1)]
        #expect(coders.encodedData(with: frames, loopCount: 4, format: format, options: nil) == ImportedCoder.file)
        seen(
            "coder.canDecode", "coder.decode", "coder.scale as CGFloat", "coder.canEncode", "coder.encode",
            "coder.encodeFrames 2 4")
    }

    @Test @MainActor func importedAnimatedAndProgressiveCodersAreCalled() async throws {
        let coder = ImportedAnimatedCoder()
        SDImageCodersManager.shared.addCoder(coder)
        defer { SDImageCodersManager.shared.removeCoder(coder) }
        let image = try #require(SDAnimatedImage(data: ImportedAnimatedCoder.file))
        #expect(image.animatedImageFrameCount == 2 as UInt && image.animatedImageLoopCount == 3 as UInt)
        #expect(image.sd_imageFrameCount == 2 as UInt && image.sd_imageLoopCount == 3 as UInt)
        #expect(image.animatedImageFrame(at: 1 as UInt) != nil && image.animatedImageDuration(at: 1 as UInt) == 0.05)
        #expect(image.animatedImageData == ImportedAnimatedCoder.file)
        let operation = ImportedOperation()
        let url = try url("https://a.test/b")
        let shown = SDImageLoaderDecodeProgressiveImageData(ImportedAnimatedCoder.file, url, false, operation, [], nil)
        #expect(shown != nil && SDImageLoaderGetProgressiveCoder(operation) is ImportedAnimatedCoder)
        SDImageLoaderSetProgressiveCoder(operation, nil)
        #expect(SDImageLoaderGetProgressiveCoder(operation) == nil)
        seen(
            "animated.init", "animated.data", "animated.frameCount", "animated.loopCount", "animated.frame 1",
            "animated.duration", "progressive.init", "progressive.canDecode", "progressive.update", "progressive.image")
    }

    @Test @MainActor func customAnimatedImageClassPlays() async throws {
        let picture = try url("https://a.test/own.png")
        loader.answer(picture, with: .success(try #require(try TestImages.solid().pngData())))
        let end = await load(
            picture, options: .preloadAllFrames, context: [.animatedImageClass: ImportedAnimatedImage.self])
        let image = try #require(end.0 as? ImportedAnimatedImage)
        let player = try #require(SDAnimatedImagePlayer(provider: image))
        var shown: [UInt] = []
        player.animationFrameHandler = { index, frame in shown.append(index) }
        player.seekToFrame(at: 1 as UInt, loopCount: 0 as UInt)
        #expect(shown == [1] && player.totalFrameCount == 2 as UInt && player.totalLoopCount == 3 as UInt)
        #expect(image.animatedImageFrameCount == 2)
        let duration = (image as any AnimatedImageProvider).animatedImageDuration(at: 0)
        #expect(duration == 0.05)
        let any: any SDAnimatedImageProtocol = image
        any.unloadAllFrames()
        #expect(any.isAllFramesLoaded && any.animatedCoder == nil)
        let coder = try #require(ImportedAnimatedCoder(animatedImageData: ImportedAnimatedCoder.file))
        let decoder: any AnimatedImageProtocol.Type = ImportedAnimatedImage.self
        #expect(decoder.init(animatedCoder: coder as any AnimatedImageCoder, scale: 2)?.scale == 2)
        seen(
            "image.init", "image.preload", "image.frameCount", "image.loopCount", "image.frame 1", "image.duration",
            "image.unload", "image.isAllFramesLoaded", "image.coder", "image.init with coder")
    }

    @Test @MainActor func importedProviderOfFramesIsCalled() async throws {
        let provider = ImportedProvider()
        let player = try #require(SDAnimatedImagePlayer(provider: provider))
        var shown: [UInt] = []
        player.animationFrameHandler = { index, _ in shown.append(index) }
        player.seekToFrame(at: 1 as UInt, loopCount: 0 as UInt)
        #expect(shown == [1] && player.totalLoopCount == 5 as UInt)
        let role: any AnimatedImageProvider = provider
        #expect(role.animatedImageDuration(at: 0) == 0.05 && role.animatedImageData == nil)
        seen("provider.frameCount", "provider.loopCount", "provider.frame 1", "provider.duration", "provider.data")
    }

    @Test func aTransformerMayBeASubclassOfTheBase() async throws {
        let transformer = ImportedBaseTransformer()
        #expect(transformer.preserveImageMetadata)
        transformer.preserveImageMetadata = false
        #expect(!transformer.preserveImageMetadata)
        let picture = try url("https://a.test/base.png")
        loader.answer(picture, with: .success(try #require(try TestImages.solid().pngData())))
        #expect(await load(picture, context: [.imageTransformer: transformer]).0?.sd_isTransformed == true)
        seen("base.transform")
    }

    @Test func transformRecordOfAStoredImageCannotBeSet() async throws {
        let picture = try url("https://a.test/flags.png")
        loader.answer(picture, with: .success(try #require(try TestImages.solid().pngData())))
        let stored = try #require(await load(picture).0)
        stored.sd_isTransformed = true
        stored.sd_decodeOptions = nil
        #expect(!stored.sd_isTransformed && stored.sd_decodeOptions != nil)
        let own = try TestImages.solid()
        own.sd_isTransformed = true
        own.sd_decodeOptions = [.decodeScaleFactor: 2]
        #expect(own.sd_isTransformed && own.sd_decodeOptions != nil)
    }

    @Test func importedCacheLayersAreCalled() async throws {
        let config = SDImageCacheConfig()
        config.memoryCacheClass = ImportedMemoryCache.self
        config.diskCacheClass = ImportedDiskCache.self
        config.maxMemoryCount = 9
        let cache = SDImageCache(namespace: "layers", diskCacheDirectory: scratch.path, config: config)
        let image = try TestImages.solid()
        image.sd_extendedObject = NSString(string: "beside")
        let data = try #require(image.pngData())
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            cache.store(image, imageData: data, forKey: "a", toDisk: true) { done.resume() }
        }
        #expect(cache.imageFromMemoryCache(forKey: "a") === image)
        cache.removeImageFromMemory(forKey: "a")
        cache.memoryCache.setObject(nil, forKey: "b")
        #expect(cache.imageFromDiskCache(forKey: "a") != nil && cache.diskImageDataExists(withKey: "a"))
        #expect(cache.totalDiskCount() == 3 as UInt && cache.totalDiskSize() == 30 as UInt)
        #expect(cache.cachePath(forKey: "a") == "/nowhere/a")
        let counts = await withCheckedContinuation { (done: CheckedContinuation<[UInt], Never>) in
            cache.calculateSize { count, size in done.resume(returning: [count, size]) }
        }
        #expect(counts == [3, 30])
        cache.removeImageFromDisk(forKey: "a")
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            cache.deleteOldFiles { done.resume() }
        }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            cache.clear(with: .all) { done.resume() }
        }
        seen(
            "memory.init 9", "memory.object", "memory.set", "memory.set cost", "memory.remove", "memory.removeAll",
            "disk.init",
            "disk.contains", "disk.data", "disk.set", "disk.extended", "disk.setExtended", "disk.remove",
            "disk.removeAll", "disk.removeExpired", "disk.path", "disk.count", "disk.size")
    }

    @Test func importedCacheIsCalled() async throws {
        let own = ImportedCache()
        let manager = SDWebImageManager(cache: own, loader: loader)
        let picture = try url("https://a.test/cache.png")
        loader.answer(picture, with: .success(try #require(try TestImages.solid().pngData())))
        #expect(await load(picture, manager, options: .waitStoreCache).0 != nil)
        let caches = SDImageCachesManager(caches: [own])
        let type = await withCheckedContinuation { (done: CheckedContinuation<SDImageCacheType, Never>) in
            caches.containsImage(forKey: "a", cacheType: .all) { done.resume(returning: $0) }
        }
        #expect(type == .memory)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            caches.removeImage(forKey: "a", cacheType: .all) { done.resume() }
        }
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            caches.clear(with: .all) { done.resume() }
        }
        _ = own.queryImage(forKey: "a", context: nil)
        await own.store(nil, imageData: nil, forKey: "a", cacheType: .all)
        seen(
            "cache.query", "cache.query with cacheType", "cache.store", "cache.store with options", "cache.remove",
            "cache.contains", "cache.clear")

        let small = SDWebImageManager(cache: ImportedSmallCache(), loader: loader)
        #expect(await load(picture, small, options: .waitStoreCache).0 != nil)
        seen("small cache.query", "small cache.store")
    }

    @Test func importedModifiersAndDecryptorAreCalled() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.route("/a.png", .body(try #require(try TestImages.solid().pngData())))
        let downloader = SDWebImageDownloader(config: SDWebImageDownloaderConfig())
        let modifiers = ImportedModifiers()
        (downloader.requestModifier, downloader.responseModifier) = (modifiers, modifiers)
        downloader.decryptor = modifiers
        let own = SDWebImageManager(cache: cache, loader: downloader)
        #expect(await load(server.url("/a.png"), own).0 != nil)
        seen("modifier.request", "modifier.response", "modifier.decrypt")
    }
}
