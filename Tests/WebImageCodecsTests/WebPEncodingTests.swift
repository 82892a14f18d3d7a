import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct WebPEncodingTests {
    private let coder = ImageWebPCoder.shared

    private func decoded(_ data: Data, _ format: PixelFormat) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = format
        options.colorConversion = .asStored
        return try coder.decode(data, options: options).pixels
    }

    @Test(arguments: [PixelFormat.rgb8, .rgba8, .gray8])
    func losslessRoundTrips(format: PixelFormat) throws {
        var options = EncodingOptions()
        options.lossless = true
        let pixels = try Sample.buffer(37, 19, format) { x, y, channel in x * 7 + y * 13 + channel * 31 }
        let file = try coder.encode(Image(pixels: pixels), format: .webP, options: options)
        #expect(Sample.values(try decoded(file, format)) == Sample.values(pixels))
        #expect(try coder.imageInfo(of: file, limits: .default).hasAlpha == format.hasAlpha)
    }

    @Test(arguments: [PixelFormat.rgb8, .rgba8, .gray8, .rgba16, .bgra8Premultiplied])
    func lossyEncodingIsCloseFromEveryLayout(format: PixelFormat) throws {
        var options = EncodingOptions()
        options.quality = 0.9
        let pixels = try Sample.gradient(64, 48, format == .rgba16 ? .rgba16 : format)
        let file = try coder.encode(
            Image(pixels: pixels, hasAlpha: false), format: .webP, options: options)
        let back = Sample.values(try decoded(file, format)).map { format == .rgba16 ? $0 / 257 : $0 }
        let sent = Sample.values(pixels).map { format == .rgba16 ? $0 / 257 : $0 }
        #expect(Sample.largestDifference(back, sent) < 40)
        #expect(try !coder.imageInfo(of: file, limits: .default).hasAlpha)
    }

    @Test func qualityAndFileSizeLimitTheFile() throws {
        let noise = try Sample.buffer(128, 128, .rgb8) { x, y, channel in
            (x * 7919 + y * 104729 + channel * 31) ^ x << 3
        }
        var options = EncodingOptions()
        let best = try coder.encode(Image(pixels: noise), format: .webP, options: options)
        options.quality = 0.1
        let worst = try coder.encode(Image(pixels: noise), format: .webP, options: options)
        #expect(worst.count * 2 < best.count)
        options.quality = 1
        options.maxFileSize = best.count / 2
        let bounded = try coder.encode(Image(pixels: noise), format: .webP, options: options)
        #expect(bounded.count < best.count * 6 / 10)
        options.maxPixelSize = PixelSize(width: 32, height: 64)
        let small = try coder.encode(Image(pixels: noise), format: .webP, options: options)
        #expect(try coder.imageInfo(of: small, limits: .default).storedSize == PixelSize(width: 32, height: 32))
    }

    @Test func profileRoundTrips() throws {
        let profile = ColorProfile(iccData: ICCSample.adobeLike)
        let image = Image(pixels: try Sample.gradient(8, 8, .rgba8), colorProfile: profile)
        let file = try coder.encode(image, format: .webP, options: EncodingOptions())
        #expect(try coder.imageInfo(of: file, limits: .default).hasICCProfile)
        var options = DecodingOptions()
        options.colorConversion = .asStored
        #expect(try coder.decode(file, options: options).colorProfile == profile)
    }

    @Test func sidesBeyondTheFormatAreRefused() throws {
        let image = Image(pixels: try PixelBuffer(width: 16384, height: 1, format: .rgb8))
        #expect(throws: WebImageError.self) { try coder.encode(image, format: .webP, options: EncodingOptions()) }
    }
}
