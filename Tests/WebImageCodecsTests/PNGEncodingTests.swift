import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct PNGEncodingTests {
    private let coder = ImagePNGCoder.shared

    private func decoded(_ data: Data, _ format: PixelFormat) throws -> Image {
        var options = DecodingOptions()
        options.pixelFormat = format
        options.colorConversion = .asStored
        return try coder.decode(data, options: options)
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .rgba16])
    func straightLayoutsRoundTrip(format: PixelFormat) throws {
        let pixels = try Sample.buffer(37, 19, format) { x, y, channel in (x * 7 + y * 13 + channel * 31) * 211 }
        let file = try coder.encode(Image(pixels: pixels), format: .png, options: EncodingOptions())
        #expect(Sample.values(try decoded(file, format).pixels) == Sample.values(pixels))
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.isGray == (format == .gray8) && info.hasAlpha == format.hasAlpha)
        #expect(info.bitDepth == format.bitsPerComponent)
    }

    @Test func opaqueDisplayPixelsAreWrittenWithoutAlpha() throws {
        let pixels = try Sample.gradient(20, 10, .bgra8Premultiplied)
        let file = try coder.encode(Image(pixels: pixels, hasAlpha: false), format: .png, options: EncodingOptions())
        #expect(try !coder.imageInfo(of: file, limits: .default).hasAlpha)
        #expect(Sample.values(try decoded(file, .bgra8Premultiplied).pixels) == Sample.values(pixels))
    }

    @Test func premultipliedPixelsAreWrittenStraight() throws {
        let pixels = try Sample.buffer(16, 16, .bgra8Premultiplied) { x, y, channel in
            let alpha = x * 16 + y
            return channel == 3 ? alpha : alpha * (channel + 1) / 4
        }
        let file = try coder.encode(Image(pixels: pixels), format: .png, options: EncodingOptions())
        let back = Sample.values(try decoded(file, .bgra8Premultiplied).pixels)
        #expect(Sample.largestDifference(back, Sample.values(pixels)) <= 1)
    }

    @Test func boxLimitsTheEncodedSize() throws {
        var options = EncodingOptions()
        options.maxPixelSize = PixelSize(width: 10, height: 10)
        let file = try coder.encode(Image(pixels: Sample.gradient(40, 20, .rgba8)), format: .png, options: options)
        #expect(try coder.imageInfo(of: file, limits: .default).storedSize == PixelSize(width: 10, height: 5))
    }

    @Test func unusableProfileIsLeftOut() throws {
        let image = Image(
            pixels: try Sample.gradient(2, 2, .rgb8),
            colorProfile: ColorProfile(iccData: Data(repeating: 7, count: 200)))
        let file = try coder.encode(image, format: .png, options: EncodingOptions())
        #expect(try !coder.imageInfo(of: file, limits: .default).hasICCProfile)
    }

    @Test func otherFormatsAreRefused() throws {
        let image = Image(pixels: try Sample.gradient(2, 2, .rgb8))
        #expect(throws: WebImageError.self) { try coder.encode(image, format: .jpeg, options: EncodingOptions()) }
    }
}
