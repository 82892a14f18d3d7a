import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageJXL
import WebImageTIFF
import WebImageTestTraits

/// Decodes animations of the optional coders, frame by frame.
@Suite(.timeLimit(minutes: 3))
struct AnimatedRoleTests {
    private func frames() throws -> [ImageFrame] {
        try [0, 60, 120].map { ImageFrame(image: try Samples.picture(shift: $0), duration: 0.25) }
    }

    @Test func avifSequenceReturnsItsFramesInAnyOrder() throws {
        var options = EncodingOptions()
        options.lossless = true
        let frames = try frames()
        let file = try ImageAVIFCoder.shared.encode(frames, loopCount: 0, format: .avif, options: options)
        let coder = try ImageAVIFCoder(animation: file, options: Samples.straight)
        #expect(coder.animatedImageFrameCount == 3)
        #expect(coder.animatedImageLoopCount == 0)
        #expect(coder.animatedImageData == file)
        #expect(abs(coder.animatedImageDuration(at: 1) - 0.25) < 0.001)
        for index in [2, 0, 1, 1] {
            #expect(try Samples.difference(coder.frame(at: index), frames[index].image) == 0)
        }
        #expect(coder.animatedImageFrame(at: 3) == nil)
        #expect(coder.animatedImageFrame(at: -1) == nil)
        #expect(coder.animatedImageDuration(at: 3) == 0)
    }

    @Test func stillOfASequenceIsItsFirstFrame() throws {
        var options = EncodingOptions()
        options.lossless = true
        let frames = try frames()
        let file = try ImageAVIFCoder.shared.encode(frames, loopCount: 0, format: .avif, options: options)
        let still = try ImageAVIFCoder.shared.decode(file, options: Samples.straight)
        #expect(try Samples.difference(still, frames[0].image) == 0)
    }

    @Test func pagesOfATIFFAreReadByIndex() throws {
        let frames = try frames()
        let file = try ImageTIFFCoder.shared.encode(frames, loopCount: 0, format: .tiff, options: .init())
        let opened = try? ImageTIFFCoder(
            animation: file, options: DecodingOptions([.decodePixelFormat: PixelFormat.rgba8]))
        let coder = try #require(opened)
        #expect(coder.animatedImageFrameCount == 3)
        for index in [1, 2, 0] {
            #expect(try Samples.difference(coder.frame(at: index), frames[index].image) == 0)
        }
        #expect(coder.animatedImageDuration(at: 0) == 0)
        #expect(AnimatedImage(animatedCoder: coder, scale: 1)?.animatedImageFrameCount == 0)
    }

    @Test func aStillOpensAsOneFrame() throws {
        let file = try ImageJPEGXLCoder.shared.encode(try Samples.picture(), format: .jpegXL, options: .init())
        let coder = try ImageJPEGXLCoder(animation: file, options: DecodingOptions())
        #expect(coder.animatedImageFrameCount == 1)
        #expect(coder.animatedImageFrame(at: 0) != nil)
        #expect((try? ImageJPEGXLCoder(animation: Data([1, 2, 3]), options: DecodingOptions())) == nil)
        #expect((try? ImageAVIFCoder(animation: Data(), options: DecodingOptions())) == nil)
    }

    @Test func tooManyPixelsOverAllFramesAreRefused() throws {
        let file = try ImageAVIFCoder.shared.encode(try frames(), loopCount: 0, format: .avif, options: .init())
        var options = DecodingOptions()
        options.limits.maxAnimationPixels = 48 * 32 * 2
        #expect(throws: WebImageError.self) { try ImageAVIFCoder(animation: file, options: options) }
        options.firstFrameOnly = true
        #expect(try ImageAVIFCoder.shared.decode(file, options: options).pixelSize == PixelSize(width: 48, height: 32))
    }

    @Test func coderWithoutAnimationsThrows() {
        #expect(ImageAVIFCoder.shared.animatedImageData == nil)
        #expect(ImageAVIFCoder.shared.animatedImageFrameCount == 0)
        #expect(throws: WebImageError.self) { try ImageTIFFCoder.shared.frame(at: 0) }
    }
}
