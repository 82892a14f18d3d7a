import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Sets each number in a configuration or a context to zero, negative, huge and not-a-number values.
///
/// No value traps or hangs. Each value has the effect that the documentation states.
@Suite(.timeLimit(minutes: 1))
struct NumberTests {
    private static let reals = [
        0, -0.0, -1, 0.5, .nan, .signalingNaN, .infinity, -.infinity, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e18, 1e19,
    ]
    private static let integers = [0, -1, 1, 7, .max, .min, .max - 1, 1 << 62]

    // MARK: Caches

    @Test(arguments: integers, integers)
    func memoryLimits(cost: Int, imageCost: Int) {
        var config = ImageCacheConfig()
        config.maxMemoryCost = cost
        config.maxMemoryCount = imageCost
        let cache = MemoryCache(config: config)
        for number in 0..<20 {
            let image = picture()
            image.memoryCost = imageCost
            cache.setObject(image, forKey: "\(number)", cost: image.memoryCost)
        }
        #expect(cache.totalCount <= 20 && cache.totalCost >= 0)
        cache.trim(toCost: cost)
        config.maxMemoryCost = imageCost
        cache.configDidChange(config)
        cache.removeAllObjects()
        #expect(cache.totalCost == 0)
    }

    @Test(arguments: integers)
    func rememberedSizes(side: Int) async {
        let cache = ImageCache(
            memoryCache: MemoryCache(config: ImageCacheConfig()),
            diskCache: DictionaryDiskCache(cachePath: "/", config: ImageCacheConfig()))
        var config = ImageCacheConfig()
        config.maxDiskSize = side
        config.maxDiskAge = Double(side)
        cache.config = config
        await cache.deleteOldFiles()
        #expect(cache.config.maxDiskSize == side)
    }

    // MARK: Managers

    @Test(arguments: [
        Duration.zero, .seconds(-1), .seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1),
        Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
    ])
    func durationsOfAManager(duration: Duration) async throws {
        let fixture = try ManagerFixture()
        fixture.manager.failedURLLifetime = duration
        fixture.loader.answer(fixture.url, with: .success(Data("not a picture".utf8)))
        await #expect(throws: WebImageError.self) { try await fixture.result() }
        // With a duration of 1 ns or less, the failure expires before this check. With the longer durations, the
        // failure never expires in practice.
        #expect((fixture.manager.failure(of: fixture.url) != nil) == (duration > .seconds(1)))
        #expect(
            await fixture.manager.shutdown(deadline: duration) == (duration > .seconds(1)) || duration <= .seconds(1))
    }

    @Test(arguments: integers)
    func prefetchCounts(count: Int) async throws {
        let fixture = try ManagerFixture()
        fixture.answer()
        let prefetcher = WebImagePrefetcher(imageManager: fixture.manager)
        prefetcher.maxConcurrentPrefetchCount = count
        #expect(prefetcher.maxConcurrentPrefetchCount >= 1)
        let result = await prefetcher.prefetch([fixture.url], context: fixture.context)
        #expect(result.finishedCount == 1 && result.skippedCount == 0)
    }

    @Test(arguments: reals)
    func numbersOfAContext(number: Double) async throws {
        let keys: [WebImageContextOption: @Sendable (Double) -> Any] = [
            .imageScaleFactor: { $0 },
            .imageThumbnailPixelSize: { CGSize(width: $0, height: $0) },
            .imageScaleDownLimitBytes: { $0 },
            .imageDecodeToHDR: { $0 },
            .imageDecodeOptions: { number in
                [
                    ImageCoderOption.decodeScaleFactor: number, .decodeScaleDownLimitBytes: number,
                    .decodeThumbnailPixelSize: CGSize(width: number, height: 5), .decodeToHDR: number,
                ] as ImageCoderOptions
            },
        ]
        for (key, value) in keys {
            let fixture = try ManagerFixture()
            fixture.answer(width: 40, height: 30)
            for options in [WebImageOptions.waitStoreCache, .queryDiskDataSync] {
                let image = try await fixture.result(options, [key: value(number)]).image
                let size = image.pixelSize
                #expect((1...40).contains(size.width) && (1...30).contains(size.height), "\(key.rawValue)")
                #expect(image.scale >= 1 && image.scale.isFinite && image.size.width > 0, "\(key.rawValue)")
            }
        }
    }

    @Test(arguments: reals)
    func scalesOfAnImage(scale: Double) throws {
        let image = Image(pixels: try TestImages.solid().pixels, scale: CGFloat(scale))
        #expect(image.scale >= 1 && image.scale.isFinite)
        #expect(image.rescaled(to: CGFloat(scale)).scale == image.scale)
    }

    @Test(arguments: integers, integers)
    func scaling(limit: Int, other: Int) {
        var options = DecodingOptions()
        options.scaleDownLimitBytes = limit
        let size = options.targetSize(for: PixelSize(width: 4000, height: 3000), frameCount: other)
        #expect((1...4000).contains(size.width) && (1...3000).contains(size.height))
        options.scaleDownLimitBytes = nil
        options.thumbnailPixelSize = PixelSize(width: limit, height: other)
        let fitted = options.targetSize(for: PixelSize(width: 4000, height: 3000))
        #expect((1...4000).contains(fitted.width) && (1...3000).contains(fitted.height))
        #expect(options.targetSize(for: PixelSize(width: limit, height: other)).width != 0 || limit == 0)
    }

    // MARK: Animations

    /// An animation that reports the given numbers, even if they are invalid.
    private final class OddAnimation: AnimatedImageProvider {
        let duration: TimeInterval
        let animatedImageFrameCount: Int
        let animatedImageLoopCount: Int
        init(duration: TimeInterval, frameCount: Int = 3, loopCount: Int = 0) {
            self.duration = duration
            animatedImageFrameCount = frameCount
            animatedImageLoopCount = loopCount
        }
        var animatedImageData: Data? { nil }
        func animatedImageDuration(at index: Int) -> TimeInterval { duration }
        func animatedImageFrame(at index: Int) -> Image? { try? TestImages.solid() }
    }

    @MainActor private func play(
        _ animation: OddAnimation, ticks: [TimeInterval] = [0.016, 0.016, 1], _ change: (AnimatedImagePlayer) -> Void
    ) async {
        let link = ManualDisplayLink()
        let registry = FrameStoreRegistry(budget: 1 << 20)
        guard let player = AnimatedImagePlayer(provider: animation, displayLink: link, registry: registry) else {
            return
        }
        change(player)
        player.startPlaying()
        for tick in ticks {
            link.tick(tick)
            // Many of these animations have no frame to show, so this waits only as long as a decode takes.
            _ = await eventually(within: 0.04) { player.bufferedFrameCount > 0 }
            link.tick(tick)
        }
        player.stopPlaying()
    }

    @Test(arguments: reals) @MainActor
    func durationsRatesAndTicks(number: Double) async {
        await play(OddAnimation(duration: number)) { _ in }
        await play(OddAnimation(duration: number)) { $0.skipsLateFrames = false }
        for mode in [AnimatedImagePlaybackMode.normal, .reverse, .bounce, .reversedBounce] {
            await play(OddAnimation(duration: 0.1)) { player in
                player.playbackRate = number
                player.playbackMode = mode
            }
        }
        await play(OddAnimation(duration: 0.1), ticks: [0.016, number, 0.016]) { _ in }
    }

    @Test(arguments: integers) @MainActor
    func countsOfAnAnimation(count: Int) async {
        await play(OddAnimation(duration: 0.1, frameCount: count)) { _ in }
        await play(OddAnimation(duration: 0.1, loopCount: count)) { _ in }
        for mode in [AnimatedImagePlaybackMode.normal, .bounce] {
            await play(OddAnimation(duration: 0.1)) { player in
                player.playbackMode = mode
                player.totalFrameCount = count
                player.totalLoopCount = count
                player.maxBufferSize = count
                player.seekToFrame(at: 0, loopCount: count)
                player.seekToFrame(at: count, loopCount: 0)
            }
        }
    }

    @Test(arguments: integers) @MainActor
    func budgets(bytes: Int) async {
        let registry = FrameStoreRegistry(budget: bytes)
        let link = ManualDisplayLink()
        let player = AnimatedImagePlayer(
            provider: OddAnimation(duration: 0.1), displayLink: link, registry: registry)
        player?.startPlaying()
        link.tick(0.016)
        #expect(await eventually { (player?.bufferedFrameCount ?? 0) > 0 })
        registry.budget = -bytes.magnitude.description.count
        link.tick(0.2)
        player?.stopPlaying()
    }
}
