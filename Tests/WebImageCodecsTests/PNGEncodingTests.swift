import CWebImageCodecShim
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestTraits
import WebImageTesting

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

    /// What the picture of a random case shows.
    private enum Content: CaseIterable { case noise, smooth, flat, stripes, shapes }

    private func value(_ content: Content, _ seed: Int, _ x: Int, _ y: Int, _ channel: Int) -> Int {
        switch content {
        case .noise: (x &* 7919 &+ y &* 104_729 &+ channel &* 31 &+ seed) &* 2_654_435_761 >> 13 & 0xFFFF
        case .smooth: (x * 251 + y * 137 + channel * 997 + seed % 4096) & 0xFFFF
        case .flat: (seed >> channel * 4) & 0xFFFF
        case .stripes: (x + seed) / 3 % 2 * 0xFFFF ^ channel * 0x1357
        case .shapes: (x / 7 ^ y / 5) % 5 * 13_107 ^ (seed & 255) * 257
        }
    }

    /// The filters and the compression lose nothing: for every layout, effort and size. libpng, which reads arriving
    /// files, and libdeflate, which reads whole ones, agree.
    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .bgra8Premultiplied, .rgba16], 1...9)
    func everyPictureIsReadBackUnchanged(format: PixelFormat, effort: Int) throws {
        var random = SeededRandom.printingSeed()
        for content in Content.allCases {
            let isWide = Bool.random(using: &random)
            let width = Int.random(in: 1...(isWide ? 400 : 40), using: &random)
            let height = Int.random(in: 1...(isWide ? 40 : 400), using: &random)
            let seed = Int(random.next() >> 40)
            let hasAlpha = format.hasAlpha && format != .bgra8Premultiplied && Bool.random(using: &random)
            let pixels = try Sample.buffer(width, height, format) { x, y, channel in
                if channel == 3, !hasAlpha { return format.bitsPerComponent == 16 ? 65_535 : 255 }
                let wide = value(content, seed, x, y, channel)
                return format.bitsPerComponent == 16 ? wide : wide >> 8
            }
            var options = EncodingOptions()
            options.effort = effort
            let file = try coder.encode(Image(pixels: pixels, hasAlpha: hasAlpha), format: .png, options: options)
            let text = "\(content), \(width) × \(height), alpha \(hasAlpha)"
            #expect(Sample.values(try decoded(file, format).pixels) == Sample.values(pixels), "\(text)")
            let reading: ImageCoderOptions = [.decodePixelFormat: format]
            let arriving = ImagePNGCoder(incremental: DecodingOptions(reading))
            try arriving.update(file, finished: true)
            let image = try #require(arriving.incrementalImage(options: DecodingOptions(reading)))
            #expect(Sample.values(image.pixels) == Sample.values(pixels), "arriving: \(text)")
        }
    }

    /// libpng writes what is too large to be compressed as a whole.
    @Test func hugePictureIsWritten() throws {
        let pixels = try PixelBuffer(width: 9000, height: 8000, format: .gray8)
        memset(pixels.baseAddress, 77, pixels.byteCount)
        let file = try coder.encode(Image(pixels: pixels), format: .png, options: EncodingOptions())
        let back = try decoded(file, .gray8).pixels
        #expect(back.size == pixels.size && memcmp(back.baseAddress, pixels.baseAddress, 9000) == 0)
        #expect(file.count < 1_000_000)
    }

    /// Few colours without an order, as in a dithered drawing, are smaller without filters.
    @Test func drawingIsNotFiltered() throws {
        let pixels = try Sample.buffer(200, 150, .rgb8) { x, y, channel in
            var mixed = UInt64(x / 2 * 7919 + y * 104_729 + 12_345) &* 0x9E37_79B9_7F4A_7C15
            mixed = (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
            // 512 colours: too many for a palette.
            return Int(mixed >> (40 + channel * 3) & 7) * 30
        }
        let filters = try [1, 5].map { effort in
            var options = EncodingOptions()
            options.effort = effort
            let file = try coder.encode(Image(pixels: pixels), format: .png, options: options)
            return try inflatedRows(of: file, rowBytes: 600).map { $0[0] }
        }
        #expect(filters.allSatisfy { $0.count == 150 })
        #expect(!filters[0].contains(0) && filters[1].allSatisfy { $0 == 0 })
        let photo = try Sample.buffer(200, 150, .rgb8) { x, y, channel in
            (x * (3 + channel) + y * 2 + x * y / 9 % 7 + channel) & 255
        }
        let file = try coder.encode(Image(pixels: photo), format: .png, options: EncodingOptions())
        #expect(try !inflatedRows(of: file, rowBytes: 600).contains { $0[0] == 0 })
    }

    private func inflatedRows(of file: Data, rowBytes: Int) throws -> [[UInt8]] {
        let tag = try #require(file.range(of: Data("IDAT".utf8)))
        let length = file[tag.lowerBound - 4..<tag.lowerBound].reduce(0) { $0 << 8 | Int($1) }
        let stream = [UInt8](file[tag.upperBound..<tag.upperBound + length])
        var rows = [UInt8](repeating: 0, count: 1 << 20)
        let count = cpng_inflate(stream, stream.count, &rows, rows.count)
        return stride(from: 0, to: count, by: rowBytes + 1).map { Array(rows[$0..<$0 + rowBytes + 1]) }
    }

    @Test func otherFormatsAreRefused() throws {
        let image = Image(pixels: try Sample.gradient(2, 2, .rgb8))
        #expect(throws: WebImageError.self) { try coder.encode(image, format: .jpeg, options: EncodingOptions()) }
    }
}
