import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Test cases for the animated image and the player, ported from SDWebImage. They use SDWebImage's images.
@MainActor
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 2))
struct AnimatedImageCases {
    private let registry = FrameStoreRegistry(budget: 1 << 26)
    private let link = ManualDisplayLink()

    private func data(_ name: String) throws -> Data { try Conformance.data("sdwebimage/" + name) }
    private func path(_ name: String) throws -> String {
        try #require(Conformance.folder).appendingPathComponent("sdwebimage/" + name).path
    }
    private func squares() throws -> AnimatedImage {
        try #require(AnimatedImage(data: Conformance.data("bench/rotating-squares.apng")))
    }

    // SDAnimatedImageTest.test01AnimatedImageInitWithData
    @Test(.tags(.x4)) func dataMakesAnAnimatedImage() throws {
        #expect(AnimatedImage(data: Data("invalid data".utf8)) == nil)
        let file = try data("TestImage.gif")
        let image = try #require(AnimatedImage(data: file, scale: 2))
        #expect(image.scale == 2 && image.animatedImageData == file && image.animatedImageFormat == .gif)
        #expect(image.animatedImageLoopCount == 0 && image.animatedImageFrameCount == 5)
        #expect(image.animatedImageFrame(at: 1) != nil)
    }

    // SDAnimatedImageTest.test02AnimatedImageInitWithContentsOfFile
    @Test(.tags(.x4)) func filesMakeAnimatedImages() throws {
        #expect(try #require(AnimatedImage(contentsOfFile: path("TestImage.gif"))).scale == 1)
        let large = try #require(AnimatedImage(contentsOfFile: path("1@2x.gif")))
        #expect(large.scale == 2 && large.size == CGSize(width: 200, height: 200))
    }

    // SDAnimatedImageTest.test03AnimatedImageInitWithAnimatedCoder
    @Test(.tags(.x7)) func coderReturnsFrames() throws {
        let coder = try #require(
            try ImageCodersManager.shared.animation(of: data("TestImage.gif"), options: DecodingOptions()))
        #expect(coder.animatedImageFrameCount == 5 && coder.animatedImageLoopCount == 0)
        #expect(coder.animatedImageFrame(at: 4)?.pixelSize == PixelSize(width: 50, height: 50))
        #expect((0..<5).allSatisfy { coder.animatedImageDuration(at: $0) == 0.12 })
        #expect(coder.animatedImageFrame(at: 5) == nil && coder.animatedImageDuration(at: -1) == 0)
        let image = try #require(AnimatedImage(animatedCoder: coder, scale: 1))
        #expect((image.animatedCoder as AnyObject) === (coder as AnyObject) && image.animatedImageFrameCount == 5)
    }

    // SDAnimatedImageTest.test04AnimatedImageImageNamed
    @Test(.tags(.x4)) func namesAreFoundInBundles() throws {
        #expect(AnimatedImage(named: "TestImage.gif") == nil)
        let folder = try #require(Conformance.folder).appendingPathComponent("sdwebimage")
        let bundle = try #require(Bundle(path: folder.path))
        let image = try #require(AnimatedImage(named: "TestImage.gif", in: bundle))
        #expect(try image.animatedImageData == data("TestImage.gif"))
    }

    // SDAnimatedImageTest.test05AnimatedImagePreloadFrames
    @Test func framesArePreloadedAndUnloaded() throws {
        let file = try data("TestImage.gif")
        let image = try #require(AnimatedImage(data: file))
        image.preloadAllFrames()
        #expect(image.isAllFramesLoaded && image.memoryCost == 5 * image.pixels.byteCount + file.count)
        let first = image.animatedImageFrame(at: 3)
        #expect(first != nil && image.animatedImageFrame(at: 3) === first)
        image.unloadAllFrames()
        #expect(!image.isAllFramesLoaded && image.memoryCost == image.pixels.byteCount + file.count)
    }

    // SDAnimatedImageTest.test29AnimatedImageSeekFrame
    @Test func seekingReturnsEveryFrame() throws {
        let player = try #require(
            AnimatedImagePlayer(provider: squares(), displayLink: link, registry: registry))
        var next = 0
        player.animationFrameHandler = { index, _ in
            #expect(index == next)
            next += 1
            if next < 30 { player.seekToFrame(at: next, loopCount: 0) }
        }
        player.seekToFrame(at: 0, loopCount: 0)
        #expect(next == 30)
        player.animationFrameHandler = nil
    }

    // SDAnimatedImageTest.test30AnimatedImageCoderPriority
    @Test func theCoderAddedLastOpensTheAnimation() throws {
        let spy = try #require(SpyCoder())
        ImageCodersManager.shared.addCoder(spy)
        defer { ImageCodersManager.shared.removeCoder(spy) }
        let before = SpyCoder.openings.withLock { $0 }
        let image = try squares()
        #expect(image.animatedCoder is SpyCoder && SpyCoder.openings.withLock { $0 } > before)
    }

    // SDAnimatedImageTest.test33AnimatedImagePlaybackModeReverse
    @Test func reverseGoesFromTheLastToTheFirst() async throws {
        try await #expect(frames(.reverse, count: 30) == Array((0..<30).reversed()))
    }

    // SDAnimatedImageTest.test34AnimatedImagePlaybackModeBounce
    @Test func bouncePlaysForwardsThenBackwards() async throws {
        try await #expect(frames(.bounce, count: 59) == Array(0..<30) + Array((0..<29).reversed()))
    }

    // SDAnimatedImageTest.test35AnimatedImagePlaybackModeReversedBounce
    @Test func reversedBounceGoesBackAndThere() async throws {
        try await #expect(frames(.reversedBounce, count: 59) == Array((0..<30).reversed()) + Array(1..<30))
    }

    /// Plays the animation and returns the indexes of the first `count` displayed frames. All 30 frames are decoded
    /// before the clock advances.
    private func frames(_ mode: AnimatedImagePlaybackMode, count: Int) async throws -> [Int] {
        let player = try #require(
            AnimatedImagePlayer(provider: squares(), displayLink: link, registry: registry))
        player.playbackMode = mode
        var shown: [Int] = []
        player.animationFrameHandler = { index, _ in shown.append(index) }
        player.startPlaying()
        let isFilled = await eventually {
            link.tick(0)
            return player.bufferedFrameCount == 30
        }
        #expect(isFilled)
        while shown.count < count, player.isPlaying { link.tick(0.03) }
        player.stopPlaying()
        player.animationFrameHandler = nil
        return shown
    }

    // SDAnimatedImageTest.test36AnimatedImageMemoryCost
    @Test(.tags(.m5)) func memoryCostCountsFrames() throws {
        let image = try #require(AnimatedImage(data: data("TestAnimatedImageMemory.webp")))
        #expect(image.imageFrameCount == 16 && image.scale == 1)
        // Rows are aligned to 64 bytes, so a row of 600 px takes 2,432 bytes.
        let file = try data("TestAnimatedImageMemory.webp").count
        #expect(image.memoryCost == 600 * 2432 + file)
        image.preloadAllFrames()
        #expect(image.memoryCost == 16 * 600 * 2432 + file)
    }

    // SDAnimatedImageTest.test37AnimatedImageWithStaticDataBehavior
    @Test(.tags(.x4)) func stillIsAPlainImage() throws {
        let image = try #require(AnimatedImage(data: data("TestImage.jpg")))
        #expect(!image.isAnimated && image.imageFormat == .jpeg && image.imageFrameCount == 1)
        #expect(image.imageLoopCount == 0 && image.animatedCoder == nil && image.animatedImageFrame(at: 0) == nil)
        let larger = image.scaled(to: 2)
        #expect(larger !== image && larger.scale == 2)
        // SDWebImage always returns a new object. This package returns a new object only if the image is not in the
        // display format.
        #expect(ImageCoderHelper.decodedImage(with: image) === image)
        let gray: ImageCoderOptions = [.decodePixelFormat: PixelFormat.gray8]
        let flat = try #require(AnimatedImage(data: data("TestImage.jpg"), scale: 1, options: gray))
        let decoded = try #require(ImageCoderHelper.decodedImage(with: flat, policy: .always))
        #expect(decoded !== flat && decoded.pixels.format == .bgra8Premultiplied && decoded.imageFormat == .jpeg)
    }
}

/// An APNG coder that counts how many animations it opens.
private final class SpyCoder: AnimatedImageCoder {
    static let openings = Locked(0)
    private let inner: any AnimatedImageCoder

    init?() {
        let coders = ImageCodersManager.shared.coders
        guard let png = coders.last(where: { $0.canEncode(to: .png) }) as? any AnimatedImageCoder else { return nil }
        inner = png
    }
    init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        let coders = ImageCodersManager.shared.coders.filter { !($0 is SpyCoder) }
        guard let png = coders.last(where: { $0.canDecode(from: data) })?.animated else { throw .noCoder(for: data) }
        inner = try type(of: png).init(animation: data, options: options)
        Self.openings.withLock { $0 += 1 }
    }

    func canDecode(from data: Data) -> Bool { inner.canDecode(from: data) }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try inner.imageInfo(of: data, limits: limits)
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try inner.decode(data, options: options)
    }
    func frame(at index: Int) throws(WebImageError) -> Image { try inner.frame(at: index) }
    var animatedImageData: Data? { inner.animatedImageData }
    var animatedImageFrameCount: Int { inner.animatedImageFrameCount }
    var animatedImageLoopCount: Int { inner.animatedImageLoopCount }
    func animatedImageDuration(at index: Int) -> TimeInterval { inner.animatedImageDuration(at: index) }
}
