import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 2))
struct AnimationDecodingTests {
    @Test(arguments: AnimatedFormat.allCases)
    func everyDisposalMeetsEveryBlend(format: AnimatedFormat) throws {
        for sample in format.samples(frameCount: 3) {
            let animation = try format.open(format.file(sample))
            let expected = sample.shown
            #expect(animation.animatedImageFrameCount == expected.count && animation.animatedImageLoopCount == 3)
            #expect(animation.animatedImageDuration(at: 0) == 0.05 && animation.animatedImageDuration(at: 9) == 0)
            for index in [0, 1, 2, 2, 1, 0, 2, 0, 2, 1] {
                let frame = try animation.frame(at: index)
                #expect(!isDifferent(Sample.values(frame.pixels), expected[index]), "\(sample.frames) at \(index)")
                #expect(frame.imageFormat == format.format)
            }
        }
    }

    /// Returns whether straight RGBA pixels differ. Ignores the colours of fully transparent pixels, because the WebP
    /// encoder may have changed these colours in the sample.
    private func isDifferent(_ left: [Int], _ right: [Int]) -> Bool {
        guard left.count == right.count else { return true }
        for place in stride(from: 0, to: left.count, by: 4) {
            if left[place + 3] != right[place + 3] { return true }
            if left[place + 3] != 0, left[place..<place + 3] != right[place..<place + 3] { return true }
        }
        return false
    }

    @Test(arguments: AnimatedFormat.allCases)
    func displayPixelsEqualTheStraightOnesPremultiplied(format: AnimatedFormat) throws {
        for sample in format.samples(frameCount: 3) {
            let animation = try format.open(format.file(sample), .bgra8Premultiplied)
            for (index, straight) in sample.shown.enumerated() {
                var expected: [Int] = []
                for place in stride(from: 0, to: straight.count, by: 4) {
                    let alpha = straight[place + 3]
                    for channel in [2, 1, 0] { expected.append((straight[place + channel] * alpha + 127) / 255) }
                    expected.append(alpha)
                }
                let values = Sample.values(try animation.frame(at: index).pixels)
                #expect(Sample.largestDifference(values, expected) <= 2)
            }
        }
    }

    @Test(arguments: AnimatedFormat.allCases)
    func inOrderEachFrameIsDecodedOnce(format: AnimatedFormat) throws {
        let sample = format.long(frameCount: 40)
        let animation = try format.open(format.file(sample))
        for index in 0..<40 { _ = try animation.frame(at: index) }
        #expect(decoded(animation) == 40)
    }

    @Test(arguments: AnimatedFormat.allCases)
    func afterTheFirstJumpBackAnyJumpCostsABoundedNumberOfFrames(format: AnimatedFormat) throws {
        let sample = format.long(frameCount: 200)
        let expected = sample.shown
        let animation = try format.open(format.file(sample))
        _ = try animation.frame(at: 199)
        _ = try animation.frame(at: 198)
        #expect(decoded(animation) <= 400)
        for index in (0..<190).reversed() {
            let before = decoded(animation)
            #expect(!isDifferent(Sample.values(try animation.frame(at: index).pixels), expected[index]))
            #expect(decoded(animation) - before <= 9, "back to \(index)")
        }
    }

    @Test func checkpointsOfAllAnimationsTogetherAreBounded() async throws {
        // A canvas takes 640 KB. The checkpoints of one animation take at most 16 MB, which is about 25 canvases.
        let frames = (0..<200).flatMap { index in
            GIFBytes.control(delay: 4, disposal: 1)
                + GIFBytes.image(x: index * 2, y: index, width: 1, height: 1, indices: [UInt8(index % 128)])
        }
        let first = GIFBytes.image(width: 400, height: 400, indices: [UInt8](repeating: 3, count: 160_000))
        let data = GIFBytes.file(GIFBytes.screen(400, 400), first, frames)
        let budget = CheckpointBudget.shared
        do {
            let animations = try (0..<4).map { _ in try ImageGIFCoder(animation: data, options: DecodingOptions()) }
            for animation in animations {
                _ = try animation.frame(at: 200)
                _ = try animation.frame(at: 100)
                _ = try animation.frame(at: 200)
                #expect(Sample.pixel(try animation.frame(at: 51).pixels, 100, 50) == [100, 100, 100, 255])
                #expect(budget.takenByteCount <= budget.byteCount)
            }
            #expect(budget.takenByteCount > 16 << 20)
        }
        // Wait, because other tests that run at the same time may use some bytes of the budget.
        #expect(await eventually { budget.takenByteCount < 640_000 })
    }

    /// The checkpoints of one animation use at most 16 MB, even if the animation is long.
    @Test func checkpointsOfOneLongAnimationAreBounded() throws {
        let frames = (0..<400).flatMap { index in
            GIFBytes.control(delay: 4, disposal: 1)
                + GIFBytes.image(x: index, y: index, width: 1, height: 1, indices: [UInt8(index % 128)])
        }
        let first = GIFBytes.image(width: 400, height: 400, indices: [UInt8](repeating: 3, count: 160_000))
        let data = GIFBytes.file(GIFBytes.screen(400, 400), first, frames)
        let animation = try ImageGIFCoder(animation: data, options: DecodingOptions())
        for index in [400, 100, 400] { _ = try animation.frame(at: index) }
        // The checkpoints of this animation take at most 16 MB. Other tests that run at the same time may use some more
        // bytes of the budget.
        let taken = CheckpointBudget.shared.takenByteCount
        #expect((8 << 20..<24 << 20).contains(taken), "\(taken)")
    }

    // Corresponds to SDWebImage's SDImageCoderTests.test10ThatAnimatedImageCacheImmediatelyWorks.
    @Test(arguments: [AnimatedFormat.gif, .png])
    func framesWithoutLastingEffectAreSkippedInAJump(format: AnimatedFormat) throws {
        var sample = format.long(frameCount: 30)
        for index in 1..<29 { sample.frames[index].disposal = index % 2 == 0 ? .background : .previous }
        let animation = try format.open(format.file(sample))
        #expect(!isDifferent(Sample.values(try animation.frame(at: 29).pixels), sample.shown[29]))
        #expect(decoded(animation) == 2)
    }

    @Test(arguments: AnimatedFormat.allCases)
    func returnedFramesNeverChange(format: AnimatedFormat) throws {
        let sample = format.long(frameCount: 20)
        let animation = try format.open(format.file(sample))
        let images = try (0..<20).map { try animation.frame(at: $0) }
        for (image, expected) in zip(images, sample.shown) {
            #expect(!isDifferent(Sample.values(image.pixels), expected))
        }
    }

    @Test(arguments: AnimatedFormat.allCases)
    func severalThreadsGetTheSameFrames(format: AnimatedFormat) throws {
        let sample = format.long(frameCount: 24)
        let expected = sample.shown
        let animation = try format.open(format.file(sample))
        let wrong = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in 0..<24 {
                let index = thread % 2 == 0 ? (step * 7 + thread) % 24 : step
                let values = (try? animation.frame(at: index)).map { Sample.values($0.pixels) } ?? []
                if isDifferent(values, expected[index]) { wrong.withLock { $0 += 1 } }
            }
        }
        #expect(wrong.withLock { $0 } == 0)
    }

    @Test(arguments: AnimatedFormat.allCases)
    func thumbnailsAreScaledFromWholeFrames(format: AnimatedFormat) throws {
        let sample = format.long(frameCount: 6)
        let animation = try format.open(format.file(sample), .bgra8Premultiplied) {
            $0.thumbnailPixelSize = PixelSize(width: 3, height: 3)
        }
        let bounded = try format.open(format.file(sample)) { $0.scaleDownLimitBytes = 6 * 4 * 6 }
        for index in [5, 0, 3] {
            #expect(try animation.frame(at: index).pixelSize == PixelSize(width: 3, height: 2))
            #expect(try bounded.frame(at: index).pixelSize == PixelSize(width: 3, height: 2))
        }
    }

    @Test(arguments: AnimatedFormat.allCases)
    func sharedCoderKeepsNoAnimation(format: AnimatedFormat) throws {
        let provider = try #require(format.encoder as? any AnimatedImageCoder)
        #expect(provider.animatedImageFrameCount == 0 && provider.animatedImageData == nil)
        #expect(provider.animatedImageFrame(at: 0) == nil)
        #expect(throws: WebImageError.self) { try provider.frame(at: 0) }
    }

    @Test(arguments: AnimatedFormat.allCases)
    func stillImageHasOneFrame(format: AnimatedFormat) throws {
        let image = Image(pixels: try Sample.gradient(4, 3, .rgba8), hasAlpha: false)
        let file = try format.encoder.encode(image, format: format.format, options: EncodingOptions())
        let animation = try format.open(file)
        #expect(animation.animatedImageFrameCount == 1)
        #expect(try animation.frame(at: 0).pixelSize == image.pixelSize)
        #expect(throws: WebImageError.self) { try animation.frame(at: 1) }
    }

    private func decoded(_ animation: any AnimatedImageCoder) -> Int {
        (animation as? ImageGIFCoder)?.decodedFrameCount ?? (animation as? ImagePNGCoder)?.decodedFrameCount
            ?? (animation as? ImageWebPCoder)?.decodedFrameCount ?? -1
    }
}
