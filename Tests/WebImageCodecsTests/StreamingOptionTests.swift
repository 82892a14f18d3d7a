import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

/// Decodes files in pieces, with options, and compares the result with a decode of the whole file.
@Suite(.timeLimit(minutes: 1))
struct StreamingOptionTests {
    private func streamed(_ data: Data, _ coder: any StreamingImageCoder, _ options: DecodingOptions) throws -> Image {
        let stream = type(of: coder).init(incremental: options)
        try stream.append(data, finished: false)
        try stream.append(Data(), finished: true)
        return try #require(stream.incrementalImage(options: nil))
    }

    @Test func limitOfAllFramesDoesNotApplyToTheFirstFrameAlone() throws {
        var options = DecodingOptions()
        options.firstFrameOnly = true
        options.limits.maxAnimationPixels = 100
        let gif = try StreamingSample.gif.data
        #expect(try streamed(gif, ImageGIFCoder.shared, options).pixelSize == PixelSize(width: 40, height: 30))
        let frame = { WebPBytes.frame(x: 0, y: 0, width: 8, height: 8, delay: 1, bitstream: $0) }
        let dot = try WebPBytes.bitstream(Sample.buffer(8, 8, .rgb8) { _, _, _ in 9 })
        let webP = WebPBytes.riff(
            WebPBytes.extended(8, 8, flags: 2) + WebPBytes.animation(loops: 0) + frame(dot) + frame(dot))
        #expect(try streamed(webP, ImageWebPCoder.shared, options).pixelSize == PixelSize(width: 8, height: 8))
        options.firstFrameOnly = false
        #expect(throws: WebImageError.self) { try streamed(gif, ImageGIFCoder.shared, options) }
    }

    @Test func highDynamicRangeIsDecodedInPiecesAndInEveryFrame() throws {
        let images = try (0..<2).map { index in
            Image(
                pixels: try Sample.buffer(5, 4, .rgba16) { x, y, channel in
                    channel == 3 ? 65535 : x * 9001 + y * 77 + index * 5
                })
        }
        var options = DecodingOptions()
        options.decodesToHDR = true
        let coder = ImagePNGCoder.shared
        let still = try coder.encode(images[0], format: .png, options: EncodingOptions())
        let whole = try coder.decode(still, options: options).pixels
        let pieces = try streamed(still, coder, options).pixels
        #expect(whole.format == .rgba16 && pieces.format == .rgba16)
        #expect(Sample.values(pieces) == Sample.values(whole))
        let frames = images.map { ImageFrame(image: $0, duration: 0.1) }
        let file = try coder.encode(frames, loopCount: 0, format: .png, options: EncodingOptions())
        let animation = try ImagePNGCoder(animation: file, options: options)
        #expect(animation.animatedImageFrame(at: 1)?.pixels.format == .rgba16)
    }

    /// A WebP file stores the orientation after the pixels. In a narrow box, a wide image that is rotated by a quarter
    /// turn is larger than the same image without rotation.
    @Test func thumbnailOfARotatedWebPIsAsSharpInPieces() throws {
        let stripes = try Sample.buffer(1200, 300, .rgb8) { x, _, _ in x / 10 % 2 * 255 }
        let still = try WebPBytes.bitstream(stripes)
        let file = WebPBytes.riff(
            WebPBytes.extended(1200, 300, flags: 8) + still
                + WebPBytes.chunk("EXIF", PNGBytes.exif(orientation: 6)))
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 60, height: 1000)
        let whole = try ImageWebPCoder.shared.decode(file, options: options).pixels
        let pieces = try streamed(file, ImageWebPCoder.shared, options).pixels
        #expect(whole.width == 60 && whole.height == 240 && pieces.width == 60 && pieces.height == 240)
        #expect(Sample.largestDifference(Sample.values(pieces), Sample.values(whole)) <= 2)
    }
}
