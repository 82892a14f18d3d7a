import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageCompatibility
import WebImageHTTP
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Every path returns an animation for an animated file, unless only the first frame is requested.
@Suite(.timeLimit(minutes: 2))
struct AnimatedByDefaultTests {
    private static let formats: [ImageFormat] = [.gif, .png, .webP]
    private static let frameCount = 6

    private let journey: Journey
    private let url: URL
    private let file: Data

    init() throws {
        journey = try Journey()
        file = try Self.file(.gif)
        journey.server.route("/moving.gif", .body(file, type: "image/gif"))
        url = journey.server.url("/moving.gif")
    }

    /// Returns an animation with frames of 24 × 16 px. The red value identifies the frame.
    private static func file(_ format: ImageFormat, width: Int = 24) throws -> Data {
        let frames = try (0..<frameCount).map { index in
            ImageFrame(
                image: try Image.generated(width: width, height: 16) { x, y in
                    (UInt8(x * 9), UInt8(y * 14), UInt8(index * 40), 255)
                }, duration: 0.1)
        }
        var options = EncodingOptions()
        options.lossless = true
        return try ImageCodersManager.shared.encode(frames, loopCount: 3, format: format, options: options)
    }

    private var key: String? { journey.manager.cacheKey(for: url) }

    private func isWhole(_ image: Image?) -> Bool {
        guard let animation = image as? AnimatedImage else { return false }
        // The GIF has two repetitions, which SDWebImage's name returns as stored.
        return animation.isAnimated && animation.imageFrameCount == Self.frameCount && animation.imageLoopCount == 2
            && animation.animatedImageData == file && !animation.isIncremental
    }

    private func isPoster(_ image: Image?) -> Bool {
        image.map { !$0.isAnimated && $0.imageFrameCount == 1 && $0.pixelSize.width == 24 } ?? false
    }

    private func expect(_ image: Image?, _ options: WebImageOptions, _ path: Comment) {
        #expect(options.contains(.decodeFirstFrameOnly) ? isPoster(image) : isWhole(image), path)
    }

    // MARK: Every path

    @Test(arguments: formats) func codersReturnTheAnimation(_ format: ImageFormat) throws {
        let data = try Self.file(format)
        let image = ImageCodersManager.shared.decodedImage(with: data, options: nil)
        let animation = try #require(image as? AnimatedImage)
        #expect(animation.imageFrameCount == Self.frameCount && animation.animatedImageData == data)
        let frames = (0..<Self.frameCount).map { animation.animatedImageFrame(at: $0)?.color(at: .zero)?.red }
        #expect(Set(frames.compactMap { $0.map { Int(($0 * 255).rounded()) } }).count == Self.frameCount)
        let poster = ImageCodersManager.shared.decodedImage(with: data, options: [.decodeFirstFrameOnly: true])
        #expect(poster.map { type(of: $0) == Image.self } == true)
        #expect(poster.map { $0.color(at: .zero) == animation.color(at: .zero) } == true)
        #expect(Image.image(with: data)?.imageFrameCount == Self.frameCount)
        #expect(Image.image(with: data, firstFrameOnly: true)?.isAnimated == false)
    }

    @Test(arguments: [WebImageOptions(), .decodeFirstFrameOnly]) func loadsReturnTheAnimation(
        _ options: WebImageOptions
    )
        async throws
    {
        let image = try await journey.manager.image(for: url, options: options)
        expect(image, options, "download")
        expect(try await journey.manager.image(for: url, options: options), options, "memory")
        journey.cache.clearMemory()
        expect(try await journey.manager.image(for: url, options: options), options, "disk")
        journey.cache.clearMemory()
        let calls = Calls<Image?>()
        journey.manager.loadImage(with: url, options: options.union(.queryDiskDataSync)) { image, _, _, _, _, _ in
            calls.append(image)
        }
        expect(await calls.wait().flatMap { $0 }, options, "disk, synchronous")
        let memory = Calls<Image?>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking]
        journey.manager.loadImage(with: url, options: options, context: context) { image, _, _, _, _, _ in
            memory.append(image)
        }
        expect(await memory.wait().flatMap { $0 }, options, "memory, callback")
        #expect(journey.server.requestCount("/moving.gif") == 1)
    }

    @Test(arguments: [WebImageOptions(), .decodeFirstFrameOnly])
    func cacheQueriesReturnTheAnimation(_ options: WebImageOptions) async throws {
        let cache = journey.cache
        cache.storeImageDataToDisk(file, forKey: "k")
        expect(cache.imageFromDiskCache(forKey: "k", options: options), options, "imageFromDiskCache")
        cache.clearMemory()
        for way in [WebImageOptions(), .queryDiskDataSync] {
            for type in [ImageCacheType.all, .disk] {
                let calls = Calls<Image?>()
                cache.queryCacheOperation(
                    forKey: "k", options: options.union(way), context: [.callbackQueue: CallbackQueue.invoking],
                    cacheType: type
                ) { image, _, _ in calls.append(image) }
                expect(await calls.wait().flatMap { $0 }, options, "query of \(type) with \(way.rawValue)")
                cache.clearMemory()
            }
        }
        cache.storeImageToMemory(ImageCodersManager.shared.decodedImage(with: file, options: nil), forKey: "k")
        expect(cache.imageFromCache(forKey: "k", options: options), options, "imageFromCache")
        let calls = Calls<Image?>()
        cache.queryCacheOperation(forKey: "k", options: options, cacheType: .memory) { image, _, _ in
            calls.append(image)
        }
        expect(await calls.wait().flatMap { $0 }, options, "query of memory")
    }

    @Test(arguments: [WebImageDownloaderOptions(), .decodeFirstFrameOnly])
    func downloaderReturnsTheAnimation(_ options: WebImageDownloaderOptions) async throws {
        let calls = Calls<Image?>()
        journey.downloader.downloadImage(
            with: url, options: options, context: [.callbackQueue: CallbackQueue.invoking], progress: nil
        ) { image, _, _, _ in calls.append(image) }
        let isPosterWanted = options.contains(.decodeFirstFrameOnly)
        expect(await calls.wait().flatMap { $0 }, isPosterWanted ? .decodeFirstFrameOnly : [], "downloadImage")
    }

    @Test(arguments: [true, false], [WebImageOptions(), .decodeFirstFrameOnly])
    func partialImagesAreAnimated(_ isDownloader: Bool, _ options: WebImageOptions) async throws {
        let long = try ArrivingAnimationTests.file(.gif)
        var drip = FaultResponse(.data(long), headers: ["Content-Type": "image/gif"])
        // Each preview of several frames lets the next quarter be sent. Of the first frame there need not be a second one.
        let gates = (1...3).map { _ in FaultGate() }
        drip.piece = long.count / 4 + 1
        for (index, gate) in gates.enumerated() { drip.pieceGates[index + 1] = gate }
        journey.server.route("/drip.gif", .respond(drip))
        let (previews, ends) = (Calls<(image: Image, count: Int)>(), Calls<Image?>())
        let context: WebImageContext = [.callbackQueue: CallbackQueue.global]
        let load = options.union(.progressiveLoad)
        let drop = journey.server.url("/drip.gif")
        let show: @Sendable (Image) -> Void = { image in
            // All previews share one coder, so that the number of their frames grows.
            previews.append((image, image.imageFrameCount))
            let count = previews.all.count { $0.count > 1 }
            for gate in options.isEmpty ? gates.prefix(count) : gates[...] { gate.open() }
        }
        if isDownloader {
            _ = journey.downloader.requestImage(with: drop, options: load, context: context, progress: nil) {
                image, _, _, isFinished in
                if isFinished { ends.append(image) } else if let image { show(image) }
            }
        } else {
            journey.manager.loadImage(with: drop, options: load, context: context) { image, _, _, _, isFinished, _ in
                if isFinished { ends.append(image) } else if let image { show(image) }
            }
        }
        #expect(await eventually(within: 30) { !ends.all.isEmpty })
        let counts = previews.all.map(\.count)
        #expect(counts == counts.sorted() && previews.all.allSatisfy(\.image.isIncremental), "\(counts)")
        if options.isEmpty {
            #expect(counts.contains { $0 > 1 && $0 < 12 })
            #expect(ends.all.first.flatMap { $0 }?.imageFrameCount == 12)
        } else {
            #expect(!counts.isEmpty && Set(counts) == [1])
            #expect(ends.all.first.flatMap { $0 }?.isAnimated == false)
        }
    }

    @Test(arguments: formats) func aStillStaysAPlainImage(_ format: ImageFormat) throws {
        let data = try Journey.file(format)
        let image = try #require(ImageCodersManager.shared.decodedImage(with: data, options: nil))
        #expect(type(of: image) == Image.self && image.memoryCost == image.pixels.byteCount)
    }

    // MARK: What it costs

    @Test func animationCostIsItsPosterAndItsFile() async throws {
        let image = try #require(try await journey.manager.image(for: url) as? AnimatedImage)
        let coder = try #require(image.animatedCoder as? ImageGIFCoder)
        #expect(coder.decodedFrameCount == 0)
        #expect(image.memoryCost == image.pixels.byteCount + file.count)
        image.preloadAllFrames()
        #expect(image.memoryCost == image.pixels.byteCount * Self.frameCount + file.count)
    }

    @Test func allFramesArePreloadedOnRequest() async throws {
        let image = try await journey.manager.image(for: url, options: .preloadAllFrames)
        #expect((image as? AnimatedImage)?.isAllFramesLoaded == true)
    }

    @Test func animationAtAnotherScaleIsAnimated() throws {
        let image = try #require(ImageCodersManager.shared.decodedImage(with: file, options: nil))
        let scaled = image.scaled(to: 2)
        #expect(scaled !== image && scaled.scale == 2 && scaled.imageFrameCount == Self.frameCount)
        #expect(scaled.imageFormat == .gif)
    }

    // MARK: Thumbnails and transformers

    @Test(arguments: formats) func aThumbnailOfAnAnimationIsAnimated(_ format: ImageFormat) async throws {
        let data = try Self.file(format)
        journey.server.route("/thumb", .body(data, type: "image/x"))
        let source = journey.server.url("/thumb")
        let context: WebImageContext = [.imageThumbnailPixelSize: CGSize(width: 12, height: 12)]
        for round in ["download", "memory", "disk"] {
            let image = try #require(try await journey.manager.image(for: source, context: context) as? AnimatedImage)
            #expect(image.pixelSize == PixelSize(width: 12, height: 8) && image.isThumbnail, "\(round)")
            let last = image.animatedImageFrame(at: Self.frameCount - 1)
            #expect(last?.pixelSize == PixelSize(width: 12, height: 8), "\(round)")
            if round == "memory" {
                await journey.cache.flush()
                journey.cache.clearMemory()
            }
        }
        // The full-size image is stored under another key.
        #expect(try await journey.manager.image(for: source).pixelSize.width == 24)
        #expect(journey.server.requestCount("/thumb") == 1)
    }

    @Test func scaleDownLimitAppliesToAllFramesTogether() async throws {
        let limit = 24 * 16 * 4 * 2
        let context: WebImageContext = [.imageScaleDownLimitBytes: limit]
        let image = try #require(try await journey.manager.image(for: url, context: context) as? AnimatedImage)
        let last = image.animatedImageFrame(at: Self.frameCount - 1)
        #expect(image.pixelSize == last?.pixelSize && image.pixelSize.pixelCount * 4 * Self.frameCount <= limit)
    }

    /// Alternates loads with and without `.decodeFirstFrameOnly`. From every cache layer, each load must receive the
    /// form that it requests: a still image or an animation.
    @Test(
        arguments: [true, false],
        [WebImageContextOption.imageThumbnailPixelSize, .imageTransformer, .storeCacheType])
    func postersAndAnimationsAreNotServedForEachOther(
        _ isPosterFirst: Bool, _ variant: WebImageContextOption
    ) async throws {
        var context: WebImageContext = [.storeCacheType: ImageCacheType.all]
        switch variant {
        case .imageThumbnailPixelSize: context[variant] = CGSize(width: 24, height: 24)
        case .imageTransformer: context[variant] = ImageFlippingTransformer(horizontal: true, vertical: false)
        default: break
        }
        func load(_ isPoster: Bool, _ more: WebImageOptions) async throws {
            var options = more.union(.waitStoreCache)
            if isPoster { options.insert(.decodeFirstFrameOnly) }
            let image = try await journey.manager.image(for: url, options: options, context: context)
            #expect(image.isAnimated == !isPoster)
            #expect(image.isTransformed == (isPoster && variant == .imageTransformer))
        }
        let order = [isPosterFirst, !isPosterFirst, isPosterFirst, !isPosterFirst, !isPosterFirst]
        for isPoster in order { try await load(isPoster, []) }
        for way in [WebImageOptions(), .queryDiskDataSync] {
            for isPoster in order {
                await journey.cache.flush()
                journey.cache.clearMemory()
                try await load(isPoster, way)
            }
        }
        #expect(journey.server.requestCount("/moving.gif") == 1)
    }

    @Test func aStillServesBothKindsOfLoad() async throws {
        journey.server.route("/still.png", .body(try Journey.file(), type: "image/png"))
        let still = journey.server.url("/still.png")
        let first = try await journey.manager.image(for: still, options: .decodeFirstFrameOnly)
        let second = try await journey.manager.result(for: still)
        #expect(second.image === first && second.cacheType == .memory)
    }

    @Test func aTransformerLeavesAnAnimationUnlessAsked() async throws {
        let context: WebImageContext = [
            .imageTransformer: ImageFlippingTransformer(horizontal: true, vertical: false)
        ]
        let left = try await journey.manager.image(for: url, context: context)
        #expect(left.isAnimated && !left.isTransformed)
        let still = try await journey.manager.image(for: url, options: .transformAnimatedImage, context: context)
        #expect(!still.isAnimated && still.isTransformed)
    }
}
