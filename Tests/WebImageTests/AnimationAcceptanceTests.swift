import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests the requirements of the acceptance list for animated images and transformers.
@Suite(.timeLimit(minutes: 5))
struct AnimationAcceptanceTests {
    private let server: FaultServer
    private let manager: WebImageManager
    private let scratch: ScratchFolder

    init() throws {
        server = try FaultServer()
        scratch = try ScratchFolder()
        let cache = ImageCache(namespace: "acceptance", diskCacheDirectory: scratch.url.path)
        manager = WebImageManager(cache: cache, loader: ImageLoadersManager.shared)
    }

    private func gif(side: Int = 24, frames: Int = 4, seed: Int = 0) throws -> Data {
        let list = try (0..<frames).map { index in
            ImageFrame(
                image: try Image.generated(width: side, height: side) { x, y in
                    (UInt8((x * 7 + index * 40) % 256), UInt8((y * 5 + seed * 3) % 256), UInt8(index * 60 % 256), 255)
                }, duration: 0.04)
        }
        return try ImageCodersManager.shared.encode(list, loopCount: 0, format: .gif, options: EncodingOptions())
    }

    private func serve(_ data: Data, at path: String = "/a.gif") -> URL {
        server.route(path, .body(data, type: "image/gif"))
        return server.url(path)
    }

    private func load(_ url: URL, _ context: WebImageContext) async throws -> Image {
        defer { server.stop() }
        return try await manager.image(for: url, context: context)
    }

    @Test(.tags(.x3))
    func plainLoadReturnsTheFirstFrame() async throws {
        let url = try serve(gif())
        defer { server.stop() }
        let image = try await manager.image(for: url)
        #expect(image.isAnimated && image.imageFormat == .gif && image.pixels.width == 24)
        let still = try await manager.image(for: url, options: .decodeFirstFrameOnly)
        #expect(!still.isAnimated && still.imageFormat == .gif)
    }

    @Test(.tags(.x4))
    func animatedImagesAreStoredInMemory() async throws {
        let url = try serve(gif())
        let image = try await load(url, [.animatedImageClass: AnimatedImage.self])
        let animated = try #require(image as? AnimatedImage)
        #expect(animated.imageFrameCount == 4 && animated.pixels.width == 24)
        let key = manager.cacheKey(for: url)
        let cache = try #require(manager.imageCache as? ImageCache)
        #expect(cache.imageFromMemoryCache(forKey: key) === animated)
    }

    /// An animated image class as an app may declare it.
    private final class OwnImage: AnimatedImage, @unchecked Sendable {
        // Unchecked is safe because the class adds no state.
    }

    @Test(.tags(.x8)) func theContextNamesTheClass() async throws {
        let image = try await load(serve(gif()), [.animatedImageClass: OwnImage.self])
        #expect(image is OwnImage && image.imageFrameCount == 4)
    }

    @Test(.tags(.x9))
    func transformedImagesHaveTheirOwnKey() async throws {
        let url = try serve(gif())
        let pipeline = ImagePipelineTransformer(transformers: [
            ImageFlippingTransformer(horizontal: true, vertical: false), ImageBlurTransformer(radius: 2),
            ImageResizingTransformer(size: CGSize(width: 10, height: 12), scaleMode: .fill),
        ])
        manager.transformer = ImageCroppingTransformer(rect: CGRect(x: 0, y: 0, width: 5, height: 7))
        defer { server.stop() }
        let own = try await manager.image(
            for: url, options: .transformAnimatedImage, context: [.imageTransformer: pipeline])
        #expect(own.pixelSize == PixelSize(width: 10, height: 12) && own.isTransformed)
        let standard = try await manager.image(for: url, options: .transformAnimatedImage)
        #expect(standard.pixelSize == PixelSize(width: 5, height: 7))
        #expect(server.requestCount("/a.gif") == 1)
        let cache = try #require(manager.imageCache as? ImageCache)
        let key = manager.cacheKey(for: url, context: [.imageTransformer: pipeline])
        #expect(key != manager.cacheKey(for: url) && cache.imageFromMemoryCache(forKey: key) === own)
    }

    @Test(.tags(.x9))
    func animationsAreTransformedOnRequest() async throws {
        let (url, other) = (try serve(gif()), try serve(gif(), at: "/b.gif"))
        let context: WebImageContext = [
            .animatedImageClass: AnimatedImage.self,
            .imageTransformer: ImageFlippingTransformer(horizontal: true, vertical: false),
        ]
        defer { server.stop() }
        let plain = try await manager.image(for: url, context: context)
        #expect(plain.isAnimated && !plain.isTransformed)
        let changed = try await manager.image(for: other, options: [.transformAnimatedImage], context: context)
        #expect(!changed.isAnimated && changed.isTransformed)
    }

    @Test(.tags(.x10)) func functionsGiveTheSame() throws {
        let image = try Image.generated(width: 30, height: 20) { x, y in (UInt8(x * 8), UInt8(y * 12), 90, 255) }
        func bytes(_ image: Image?) -> [[UInt8]]? {
            image.map { image in
                let pixels = image.pixels
                return pixels.withUnsafeBytes { bytes in
                    (0..<pixels.height).map { row in
                        Array(bytes[row * pixels.bytesPerRow..<row * pixels.bytesPerRow + pixels.width * 4])
                    }
                }
            }
        }
        let size = CGSize(width: 12, height: 9)
        let rect = CGRect(x: 3, y: 4, width: 10, height: 8)
        let red = ImageColor(red: 1, green: 0, blue: 0)
        let pairs: [(any ImageTransformer, Image?)] = [
            (
                ImageResizingTransformer(size: size, scaleMode: .aspectFit),
                image.resizedImage(with: size, scaleMode: .aspectFit)
            ),
            (ImageCroppingTransformer(rect: rect), image.croppedImage(with: rect)),
            (
                ImageFlippingTransformer(horizontal: true, vertical: true),
                image.flippedImage(withHorizontal: true, vertical: true)
            ),
            (ImageRotationTransformer(angle: 0.4, fitSize: true), image.rotatedImage(withAngle: 0.4, fitSize: true)),
            (
                ImageRoundCornerTransformer(radius: 4, corners: .topLeft, borderWidth: 1, borderColor: red),
                image.roundedCornerImage(withRadius: 4, corners: .topLeft, borderWidth: 1, borderColor: red)
            ),
            (
                ImageTintTransformer(color: red, blendMode: .multiply),
                image.tintedImage(with: red, blendMode: .multiply)
            ),
            (ImageBlurTransformer(radius: 3), image.blurredImage(withRadius: 3)),
            (ImageFilterTransformer(filter: ColorFilter.invert), image.filteredImage(with: ColorFilter.invert)),
        ]
        for (transformer, result) in pairs {
            let mine = transformer.transformedImage(with: image, forKey: "")
            #expect(mine != nil && bytes(mine) == bytes(result), "\(transformer.transformerKey)")
        }
    }

    @Test(.tags(.m5)) @MainActor
    func fiftyAnimationsStayWithinTheBudget() async throws {
        server.stop()
        // An animation has 24 frames of 160 × 160 px. The decoded frames take 2.5 MB, so 50 animations would take 123
        // MB. Under a sanitizer, use fewer animations, because each frame takes about twenty times as long.
        let count = Sanitizer.running == nil ? 50 : 12
        // Each image has frames of its own, also if its file is that of another one.
        let made = try (0..<5).map { try gif(side: 160, frames: 24, seed: $0) }
        let files = (0..<count).map { made[$0 % made.count] }
        let budget = 24 << 20
        let registry = FrameStoreRegistry(budget: budget)
        let before = ProcessMemory.allocatedBytes ?? 0
        let links = files.map { _ in ManualDisplayLink() }
        let players = try zip(files, links).map { file, link in
            let image = try #require(AnimatedImage(data: file))
            return try #require(AnimatedImagePlayer(provider: image, displayLink: link, registry: registry))
        }
        var (mostFrames, mostAllocated, shown) = (0, 0, 0)
        func measure() {
            mostFrames = max(mostFrames, registry.byteCount)
            mostAllocated = max(mostAllocated, ProcessMemory.allocatedBytes ?? 0)
        }
        for player in players { player.animationFrameHandler = { _, _ in shown += 1 } }
        // The first animations fill the budget. The others then start in a full budget, which is the worst case.
        let first = 9
        players.prefix(first).forEach { $0.startPlaying() }
        #expect(
            await eventually(within: 120) {
                links.prefix(first).forEach { $0.tick(0.01) }
                measure()
                return players.prefix(first).allSatisfy { $0.bufferedFrameCount == 24 }
            })
        players.dropFirst(first).forEach { $0.startPlaying() }
        #expect(
            await eventually(within: 120) {
                links.forEach { $0.tick(0.01) }
                measure()
                return players.allSatisfy { $0.currentLoopCount >= 1 } && shown > count * 16
            })
        let frame = 160 * 160 * 4
        #expect(mostFrames > budget / 4 && mostFrames <= budget + count * frame)
        guard ProcessMemory.isMeasurable else { return players.forEach { $0.stopPlaying() } }
        // Allocated, not resident: the allocator keeps freed memory, and on a busy machine more of it. Beyond the budget, an
        // animation has its poster frame and a frame that was decoded while the shares changed.
        #expect(mostAllocated - before <= budget + count * 2 * frame, "\((mostAllocated - before) >> 20) MB")
        for player in players {
            player.stopPlaying()
            player.animationFrameHandler = nil
        }
    }
}
