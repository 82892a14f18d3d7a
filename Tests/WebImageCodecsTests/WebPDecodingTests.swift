import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct WebPDecodingTests {
    private let coder = ImageWebPCoder.shared

    private func pixels(_ data: Data, _ format: PixelFormat = .rgba8) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = format
        return try coder.decode(data, options: options).pixels
    }

    private func dot(_ value: Int) throws -> Data {
        try WebPBytes.bitstream(Sample.buffer(2, 2, .rgb8) { _, _, _ in value })
    }

    @Test func infoReportsFramesAsStored() throws {
        let frames =
            WebPBytes.frame(x: 2, y: 0, width: 2, height: 2, delay: 0, bitstream: try dot(1))
            + WebPBytes.frame(x: 0, y: 2, width: 2, height: 2, delay: 333, bitstream: try dot(2))
        let file = WebPBytes.riff(WebPBytes.extended(4, 4, flags: 2) + WebPBytes.animation(loops: 42) + frames)
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.format == .webP && info.frameCount == 2 && info.loopCount == 42)
        #expect(info.delaysMilliseconds == [0, 333] && info.storedSize == PixelSize(width: 4, height: 4))
    }

    @Test func firstFrameIsDrawnOnAClearCanvas() throws {
        let frame = WebPBytes.frame(x: 2, y: 2, width: 2, height: 2, delay: 9, bitstream: try dot(77))
        let file = WebPBytes.riff(WebPBytes.extended(5, 5, flags: 2) + WebPBytes.animation(loops: 0) + frame)
        let decoded = try pixels(file)
        for y in 0..<5 {
            for x in 0..<5 {
                let isInside = (2...3).contains(x) && (2...3).contains(y)
                #expect(Sample.pixel(decoded, x, y) == (isInside ? [77, 77, 77, 255] : [0, 0, 0, 0]))
            }
        }
    }

    @Test(arguments: [("EXIF", UInt8(8)), ("XMP ", UInt8(4))])
    func orientationIsReadFromMetadata(tag: String, flag: UInt8) throws {
        let packet = tag == "EXIF" ? PNGBytes.exif(orientation: 8) : Data(#"<x tiff:Orientation="8"/>"#.utf8)
        let still = try WebPBytes.bitstream(Sample.buffer(2, 1, .rgb8) { x, _, _ in x * 100 })
        let file = WebPBytes.riff(WebPBytes.extended(2, 1, flags: flag) + still + WebPBytes.chunk(tag, packet))
        #expect(try coder.imageInfo(of: file, limits: .default).orientation == .left)
        let upright = try pixels(file)
        #expect(upright.width == 1 && upright.height == 2)
        #expect(Sample.pixel(upright, 0, 0)[0] == 100)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .rgba16, .bgra8Premultiplied])
    func everyLayoutIsDecoded(format: PixelFormat) throws {
        let decoded = try pixels(WebPBytes.riff(try dot(10)), format)
        #expect(decoded.format == format)
        #expect(Sample.pixel(decoded, 0, 0)[0] == (format == .rgba16 ? 10 * 257 : 10))
    }

    @Test func displayFormatEqualsTheStraightOnePremultiplied() throws {
        let source = try Sample.buffer(64, 4, .rgba8) { x, y, channel in channel == 3 ? x * 4 : 255 - y * 60 }
        let file = WebPBytes.riff(try WebPBytes.bitstream(source))
        let expected = Sample.values(try pixels(file).converted(to: .bgra8Premultiplied))
        let decoded = Sample.values(try pixels(file, .bgra8Premultiplied))
        #expect(Sample.largestDifference(decoded, expected) <= 1)
    }

    @Test func smallThumbnailLooksLikeThePicture() throws {
        let source = try Sample.gradient(640, 400, .rgb8)
        let file = try coder.encode(Image(pixels: source), format: .webP, options: EncodingOptions())
        var options = DecodingOptions()
        options.pixelFormat = .rgb8
        options.thumbnailPixelSize = PixelSize(width: 64, height: 64)
        let thumbnail = try coder.decode(file, options: options)
        #expect(thumbnail.pixelSize == PixelSize(width: 64, height: 40))
        let expected = try pixels(file, .rgb8).scaled(to: PixelSize(width: 64, height: 40))
        #expect(Sample.largestDifference(Sample.values(thumbnail.pixels), Sample.values(expected)) <= 12)
    }
}
