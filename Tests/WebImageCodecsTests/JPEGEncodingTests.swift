import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 2))
struct JPEGEncodingTests {
    let coder = ImageJPEGCoder.shared

    private func roundTrip(_ image: Image, _ change: (inout EncodingOptions) -> Void = { _ in }) throws -> (Data, Image)
    {
        var options = EncodingOptions()
        change(&options)
        let data = try coder.encode(image, format: .jpeg, options: options)
        var decoding = DecodingOptions()
        decoding.pixelFormat = .rgb8
        decoding.colorConversion = .asStored
        return (data, try coder.decode(data, options: decoding))
    }

    /// Returns the peak signal-to-noise ratio in dB.
    private func ratio(_ left: PixelBuffer, _ right: PixelBuffer) -> Double {
        let pairs = zip(Sample.values(left), Sample.values(right))
        let squares = pairs.reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        let mean = Double(squares) / Double(left.width * left.height * left.format.channelCount)
        return mean == 0 ? .infinity : 10 * log10(255 * 255 / mean)
    }

    @Test(arguments: PixelFormat.allCases)
    func everyLayoutIsEncoded(format: PixelFormat) throws {
        let pixels = try Sample.gradient(90, 60, .rgb8).converted(to: format)
        let (_, decoded) = try roundTrip(Image(pixels: pixels, hasAlpha: false))
        let original = try pixels.converted(to: .rgb8, isOpaque: true)
        #expect(ratio(original, decoded.pixels) > 38)
        #expect(
            try coder.imageInfo(of: roundTrip(Image(pixels: pixels)).0, limits: .default).isGray == (format == .gray8))
    }

    @Test func lowerQualityWritesFewerBytes() throws {
        let image = Image(pixels: try Sample.gradient(128, 128, .rgb8))
        var last = 0
        for quality in [0, 0.3, 0.6, 0.89, 0.9, 1] {
            let (data, decoded) = try roundTrip(image) { $0.quality = quality }
            #expect(data.count > last)
            #expect(ratio(image.pixels, decoded.pixels) > 12 + quality * 20)
            last = data.count
        }
    }

    /// The Huffman codes are those of a few rows of the picture. Other rows can need symbols that these do not have.
    @Test(arguments: [PixelFormat.rgb8, .gray8], [0.5, 0.89, 1])
    func codesFitThePictureAndHaveEverySymbol(format: PixelFormat, quality: Double) throws {
        func picture(_ noisy: Range<Int>) throws -> Image {
            Image(
                pixels: try Sample.buffer(256, 512, format) { x, y, channel in
                    noisy.contains(y) ? (x &* 7919 ^ y &* 104_729 ^ channel &* 31) &* 2_654_435_761 >> 11 & 255 : 90
                }, hasAlpha: false)
        }
        func codes(_ file: Data) throws -> Data {
            let start = try #require(file.range(of: Data([0xFF, 0xC4]))?.lowerBound)
            return file[start..<(try #require(file.range(of: Data([0xFF, 0xDA]))?.lowerBound))]
        }
        let band = try picture(80..<88), noise = try picture(0..<512)
        let (file, decoded) = try roundTrip(band) { $0.quality = quality }
        let original = try band.pixels.converted(to: .rgb8, isOpaque: true)
        #expect(ratio(original, decoded.pixels) > (quality == 1 && format == .gray8 ? 45 : 20))
        #expect(Sample.pixel(decoded.pixels, 100, 300) == [90, 90, 90])
        let (other, _) = try roundTrip(noise) { $0.quality = quality }
        #expect(try codes(file) != codes(other))
    }

    @Test func transparencyIsCompositedOverWhite() throws {
        let pixels = try Sample.buffer(16, 16, .rgba8) { x, _, channel in channel == 3 ? (x < 8 ? 0 : 128) : 0 }
        let (_, decoded) = try roundTrip(Image(pixels: pixels))
        #expect(Sample.pixel(decoded.pixels, 2, 5).allSatisfy { $0 > 250 })
        #expect(Sample.pixel(decoded.pixels, 13, 5).allSatisfy { abs($0 - 127) < 5 })
    }

    @Test func fileAndPixelSizeHonourTheirLimits() throws {
        let image = Image(pixels: try Sample.gradient(300, 200, .bgra8Premultiplied), hasAlpha: false)
        let whole = try roundTrip(image).0.count
        for limit in [whole / 2, whole / 4, 3000] {
            let data = try roundTrip(image) { $0.maxFileSize = limit }.0
            #expect(data.count <= limit && data.count > limit / 3)
        }
        #expect(try roundTrip(image) { $0.maxFileSize = 1 }.0.count < whole)
        let (_, small) = try roundTrip(image) { $0.maxPixelSize = PixelSize(width: 50, height: 50) }
        #expect(small.pixelSize == PixelSize(width: 50, height: 34))
    }

    @Test func profileIsEncoded() throws {
        let profile = ColorProfile(iccData: ICCSample.adobeLike)
        let image = Image(pixels: try Sample.gradient(20, 20, .rgb8), colorProfile: profile)
        let (data, decoded) = try roundTrip(image)
        #expect(decoded.colorProfile == profile)
        #expect(try coder.imageInfo(of: data, limits: .default).hasICCProfile)
        #expect(try coder.decode(data, options: DecodingOptions()).colorProfile == nil)

        var limits = DecodingOptions()
        limits.limits.maxAncillaryChunkBytes = 100
        let error = #expect(throws: WebImageError.self) { try coder.decode(data, options: limits) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func imageThatCannotBeEncodedThrowsAReason() throws {
        let wide = Image(pixels: try PixelBuffer(width: 70000, height: 1, format: .gray8))
        let error = #expect(throws: WebImageError.self) {
            try coder.encode(wide, format: .jpeg, options: EncodingOptions())
        }
        #expect(error?.code == .encodingFailed && error?.hint != nil)
        #expect(throws: WebImageError.self) { try coder.encode(wide, format: .png, options: EncodingOptions()) }
    }

    @Test func everyEncoderHandleIsReleased() async throws {
        _ = try roundTrip(Image(pixels: try Sample.gradient(30, 30, .rgb8)))
        _ = try? coder.decode(Data([0xff, 0xd8, 0xff, 0xe0]), options: DecodingOptions())
        // Wait until no handle is open, because other suites decode at the same time.
        let kinds = ["jpeg decompressor", "jpeg compressor", "zimg graph", "lcms profile", "lcms transform"]
        try await LiveHandles.expectNone(within: .seconds(60)) { kinds.contains($0) }
    }
}
