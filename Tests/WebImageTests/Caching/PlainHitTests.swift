import Foundation
import Testing
import WebImage
import WebImageCompatibility
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading

/// For every load that hits memory, the fast path delivers the same result as the full path.
@Suite(.timeLimit(minutes: 1))
struct PlainHitTests {
    private let cache = ImageCache(namespace: "plain", diskCacheDirectory: "/nowhere")
    private let url = EntryFixture.url("https://host/a.png?w=1")

    private struct Loader: Sendable {
        var name: String
        var make: @Sendable () -> any ImageLoader
    }

    private static let loaders: [Loader] = [
        Loader(name: "downloader") { ImageLoadersManager(loaders: [FileImageLoader(), WebImageDownloader()]) },
        Loader(name: "downloader alone") { WebImageDownloader() },
        Loader(name: "user name") {
            var config = WebImageDownloaderConfig()
            config.username = "alice"
            return ImageLoadersManager(loaders: [WebImageDownloader(config: config), DataURLImageLoader()])
        },
        Loader(name: "credentials") {
            let downloader = WebImageDownloader()
            downloader.setValue("alice", forHTTPHeaderField: "Authorization")
            return ImageLoadersManager(loaders: [downloader])
        },
        Loader(name: "request modifier") {
            let downloader = WebImageDownloader()
            downloader.requestModifier = WebImageDownloaderRequestModifier(headers: ["Cookie": "alice"])
            return ImageLoadersManager(loaders: [downloader])
        },
        Loader(name: "scoped") { ImageLoadersManager(loaders: [WebImageDownloader(), ScopedLoader()]) },
        Loader(name: "scoped scheme") {
            ImageLoadersManager(loaders: [WebImageDownloader(), ScopedLoader(schemes: ["app"])])
        },
    ]

    /// Stores an image under each key that one of the loads uses.
    private func fill() throws {
        let keys =
            [EntryKey.shared(url.absoluteString)]
            + [20.0, 30].flatMap { side in
                [true, false].map { preserves in
                    let box = CGSize(width: side, height: side)
                    return LoadKeys.thumbnail(
                        LoadKeys.Thumbnail(box: box, preservesAspectRatio: preserves), of: url.absoluteString)
                }
            }
        for key in keys {
            for scope in [nil, CacheScope.scoped("alice"), .scoped("bob")] {
                let string = scope.flatMap { $0.key(key.string) } ?? key.string
                let name: String? = if case .scoped(let name)? = scope { name } else { nil }
                let scoped = EntryKey(source: key.source, scope: name, thumbnail: key.thumbnail, string: string)
                let image = try TestImages.solid(width: 4, height: 4)
                image.noteEntry(ImageEntries.Entry(identity: .key(scoped)))
                cache.storeImageToMemory(image, forKey: string)
            }
        }
    }

    private let contexts: [WebImageContext?] = [
        nil, [:], [.callbackQueue: CallbackQueue.invoking],
        [.imageThumbnailPixelSize: CGSize(width: 20, height: 20)],
        [.imageThumbnailPixelSize: CGSize(width: 20, height: 20), .callbackQueue: CallbackQueue.invoking],
        [.imageThumbnailPixelSize: CGSize(width: 25, height: 25)], [.imageThumbnailPixelSize: "wrong"],
        [.imageThumbnailPixelSize: CGSize(width: 0, height: 20)],
        [.imageThumbnailPixelSize: CGSize(width: 20, height: 20), .imagePreserveAspectRatio: false],
        [.cacheScope: "alice"], [.cacheScope: "carol"], [.callbackQueue: CallbackQueue.invoking, .cacheScope: "bob"],
        [.imageScaleDownLimitBytes: 10], [.imageTransformer: BlueTransformer()], [.imageTransformer: NSNull()],
        [.queryCacheType: ImageCacheType.disk], [.imageDecodeToHDR: true], [.imageForceDecodePolicy: 1],
        [.imageDecodeOptions: [.decodePreserveAspectRatio: false] as ImageCoderOptions],
        [.cacheKeyFilter: WebImageCacheKeyFilter { _ in "other" }],
        [.downloadRequestModifier: WebImageDownloaderRequestModifier(headers: ["Authorization": "alice"])],
        [.animatedImageClass: AnimatedImage.self],
    ]

    private static let options: [WebImageOptions] = [
        [], .retryFailed, .handleCookies, .allowInvalidSSLCertificates, .fromLoaderOnly, .fromCacheOnly,
        .decodeFirstFrameOnly, .matchAnimatedImageClass, .scaleDownLargeImages, .highPriority,
        [.decodeFirstFrameOnly, .retryFailed],
    ]

    @Test func fastAndFullLookUpReturnTheSameImage() throws {
        try fill()
        var hits = 0
        for loader in Self.loaders {
            let manager = WebImageManager(cache: cache, loader: loader.make())
            for setting in ["none", "transformer", "filter"] {
                manager.transformer = setting == "transformer" ? BlueTransformer() : nil
                manager.cacheKeyFilter = setting == "filter" ? WebImageCacheKeyFilter { _ in "other" } : nil
                for context in contexts {
                    for options in Self.options {
                        let dictionary = context
                        let context = RequestContext(context)
                        let request = ImageRequest(url: url, options: options, values: context)
                        let settings = manager.settings
                        let long = MemoryStage.image(
                            for: request, LoadKeys(request, settings), in: settings.cache(for: request))
                        let short: Image? =
                            if case .hit(let result) = manager.synchronousResult(
                                url, options: options, context: context
                            ).answer {
                                result.image
                            } else {
                                nil
                            }
                        #expect(
                            long === short,
                            "\(loader.name), \(setting), \(options), \(context.dictionary.map { "\($0)" } ?? "nil")")
                        let plain = manager.plainHit(url, options: options, dictionary: dictionary)
                        #expect(plain == nil || plain?.image === long)
                        #expect((plain == nil) == (manager.plainHit(url, options: options, context: context) == nil))
                        if short != nil { hits += 1 }
                    }
                }
            }
        }
        #expect(hits > 100)
    }

    @Test func aLoaderConcernsTheHitsOfItsSchemesOnly() throws {
        try fill()
        func isPlain(_ schemes: [String]?) -> Bool {
            let loaders: [any ImageLoader] = [WebImageDownloader(), ScopedLoader(schemes: schemes)]
            let manager = WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: loaders))
            return manager.plainHit(url, options: [], dictionary: nil) != nil
        }
        #expect(isPlain(["app"]) && isPlain([]) && !isPlain(["app", "https"]) && !isPlain(nil))
    }

    /// The bits that keep a load from the fast path. A new bit must be here or in `PlainHit.options`.
    private static let furtherOptions: WebImageOptions = [
        .refreshCached, .queryMemoryData, .fromLoaderOnly, .handleCookies, .allowInvalidSSLCertificates,
        .decodeFirstFrameOnly, .matchAnimatedImageClass,
    ]

    @Test func eachBitIsDecided() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../../Sources")
        var declared: WebImageOptions = []
        for file in ["WebImageLoading/Request/WebImageOptions", "WebImageCompatibility/OptionsWithoutEffect"] {
            let text = try String(contentsOf: sources.appendingPathComponent(file + ".swift"), encoding: .utf8)
            for bit in text.matches(of: /= WebImageOptions\(rawValue: 1 << (\d+)\)/) {
                declared.insert(WebImageOptions(rawValue: 1 << (try #require(UInt(bit.1)))))
            }
        }
        #expect(declared.contains(.waitTransition) && declared.contains(.continueInBackground))
        #expect(PlainHit.options.union(Self.furtherOptions) == declared)
        #expect(PlainHit.options.isDisjoint(with: Self.furtherOptions))
    }

    /// A bit that does not exist yet may change the image, so a load with it takes the full path.
    @Test(arguments: 0..<UInt(UInt.bitWidth)) func onlyPlainBitsTakeTheFastPath(bit: UInt) throws {
        try fill()
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: [WebImageDownloader()]))
        let options = WebImageOptions(rawValue: 1 << bit)
        let context = RequestContext(nil)
        let plain = manager.plainHit(url, options: options, context: context)
        #expect((plain != nil) == PlainHit.options.contains(options))
        #expect((manager.plainHit(url, options: options, dictionary: nil) == nil) == (plain == nil))
        let request = ImageRequest(url: url, options: options, values: context)
        let settings = manager.settings
        let long = MemoryStage.image(for: request, LoadKeys(request, settings), in: settings.cache(for: request))
        #expect(plain == nil || plain?.image === long)
    }

    /// A failed URL does not disable the fast path for other URLs. A load of the failed URL takes the full path, which
    /// refuses the load.
    /// A failure forbids only the loader.
    @Test func failedURLIsAHitWhileItsImageIsInMemory() throws {
        try fill()
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: [WebImageDownloader()]))
        let error = WebImageError(.invalidDownloadStatusCode, stage: .download)
        for scope in [CacheScope.shared, .scoped("bob")] {
            manager.rememberFailure(error, of: url, in: scope)
            for options in [WebImageOptions(), .retryFailed] {
                #expect(manager.plainHit(url, options: options, context: RequestContext(nil)) != nil)
            }
        }
    }

    /// The fast path returns no image for a nil URL, even if an image is stored under the empty key. It returns no
    /// image after the shutdown of the manager. It never returns an image that was decoded with other options or that
    /// omits frames.
    @Test func plainHitReturnsOnlyItsOwnImage() throws {
        try fill()
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: [WebImageDownloader()]))
        cache.storeImageToMemory(try TestImages.solid(), forKey: "")
        #expect(manager.plainHit(nil, options: [], context: RequestContext(nil)) == nil)
        let image = try #require(manager.plainHit(url, options: [], context: RequestContext(nil))?.image)
        var decoding = DecodingOptions()
        decoding.pixelFormat = .rgba16
        image.decodingOptions = decoding
        #expect(manager.plainHit(url, options: [], context: RequestContext(nil)) == nil)
        image.decodingOptions = DecodingOptions()
        #expect(manager.plainHit(url, options: [], context: RequestContext(nil)) != nil)
        image.omitsFrames = true
        #expect(manager.plainHit(url, options: [], context: RequestContext(nil)) == nil)
        image.omitsFrames = false
        manager.shutDown()
        #expect(manager.plainHit(url, options: [], context: RequestContext(nil)) == nil)
    }

    @Test func whatALaterChangeNarrowsIsNarrowedAtOnce() throws {
        try fill()
        let downloader = WebImageDownloader()
        let manager = WebImageManager(cache: cache, loader: ImageLoadersManager(loaders: [downloader]))
        func isHit() -> Bool {
            if case .hit = manager.synchronousResult(url, options: [], context: RequestContext(nil)).answer {
                true
            } else {
                false
            }
        }
        #expect(isHit())
        downloader.setValue("dave", forHTTPHeaderField: "Authorization")
        #expect(!isHit())
        downloader.setValue(nil, forHTTPHeaderField: "Authorization")
        #expect(isHit())
        manager.transformer = BlueTransformer()
        #expect(!isHit())
    }
}

/// A custom loader whose results belong to a scope.
private struct ScopedLoader: ImageLoader {
    var schemes: [String]?
    var capabilities: LoaderCapabilities { LoaderCapabilities(schemes: schemes) }

    func cacheScope(of load: ImageDataLoad) -> CacheScope { .scoped("bob") }
    func identity(of load: ImageDataLoad) -> LoadIdentity {
        LoadIdentity(sharing: load.url.absoluteString, cacheScope: .scoped("bob"))
    }
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        throw WebImageError(.invalidURL, stage: .download)
    }
}
