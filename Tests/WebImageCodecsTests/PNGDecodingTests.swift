import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 2))
struct PNGDecodingTests {
    private let coder = ImagePNGCoder.shared

    private func straight(_ data: Data) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        return try coder.decode(data, options: options).pixels
    }

    @Test func sixteenBitPNGDecodesToItsHighByte() throws {
        let row: [UInt8] = [0x12, 0xFF, 0x34, 0x80, 0x56, 0x00, 0xFF, 0xFF]
        let file = PNGBytes.file(header: PNGBytes.header(1, 1, depth: 16), rows: [row])
        #expect(Sample.pixel(try straight(file), 0, 0) == [0x12, 0x34, 0x56, 0xFF])
        var options = DecodingOptions()
        options.pixelFormat = .rgba16
        let deep = try coder.decode(file, options: options)
        #expect(Sample.pixel(deep.pixels, 0, 0) == [0x12FF, 0x3480, 0x5600, 0xFFFF])
    }

    @Test func greyPalettesAndTransparencyAreExpanded() throws {
        let bits = PNGBytes.file(header: PNGBytes.header(4, 1, depth: 2, color: 0), rows: [[0b00_01_10_11]])
        #expect(
            Sample.values(try straight(bits)).enumerated().filter { $0.offset % 4 == 0 }.map(\.element) == [
                0, 85, 170, 255,
            ])

        let colors = PNGBytes.chunk("PLTE", Data([1, 2, 3, 4, 5, 6])) + PNGBytes.chunk("tRNS", Data([7]))
        let palette = PNGBytes.file(
            header: PNGBytes.header(2, 1, depth: 1, color: 3), before: colors, rows: [[0b0100_0000]])
        #expect(Sample.values(try straight(palette)) == [1, 2, 3, 7, 4, 5, 6, 255])
        let info = try coder.imageInfo(of: palette, limits: .default)
        #expect(info.hasAlpha && info.bitDepth == 1 && !info.isGray)
    }

    @Test func transparencyBeforeThePaletteCounts() throws {
        let chunks = PNGBytes.chunk("tRNS", Data([0, 9, 0, 8, 0, 7])) + PNGBytes.chunk("PLTE", Data([1, 2, 3]))
        let file = PNGBytes.file(header: PNGBytes.header(2, 1, color: 2), before: chunks, rows: [[9, 8, 7, 1, 1, 1]])
        #expect(Sample.values(try straight(file)) == [9, 8, 7, 0, 1, 1, 1, 255])
    }

    @Test func interlacedPixelsEqualPlainOnes() throws {
        let side = 11
        let value = { (x: Int, y: Int) in UInt8(truncatingIfNeeded: x * 23 + y * 7) }
        let plain = (0..<side).map { y in (0..<side).map { value($0, y) } }
        let passes = [(0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2)]
        let interlaced = passes.flatMap { x, stepX, y, stepY in
            stride(from: y, to: side, by: stepY).map { y in stride(from: x, to: side, by: stepX).map { value($0, y) } }
        }
        let first = PNGBytes.file(header: PNGBytes.header(side, side, color: 0), rows: plain)
        let second = PNGBytes.file(header: PNGBytes.header(side, side, color: 0, interlaced: true), rows: interlaced)
        #expect(Sample.values(try straight(first)) == Sample.values(try straight(second)))
    }

    @Test func displayFormatEqualsTheStraightOnePremultiplied() throws {
        let row = (0..<256).flatMap { (index: Int) -> [UInt8] in [UInt8(255 - index), 200, 100, UInt8(index)] }
        let file = PNGBytes.file(header: PNGBytes.header(256, 1), rows: [row])
        let image = try coder.decode(file, options: DecodingOptions())
        #expect(image.hasAlpha && image.pixels.format == .bgra8Premultiplied)
        let expected = try straight(file).converted(to: .bgra8Premultiplied)
        #expect(Sample.values(image.pixels) == Sample.values(expected))
    }

    @Test(arguments: [PixelFormat.gray8, .rgb8, .rgba8, .rgba16, .rgbaHalf, .bgra8Premultiplied])
    func everyLayoutIsDecoded(format: PixelFormat) throws {
        let file = PNGBytes.file(header: PNGBytes.header(2, 1, color: 0), rows: [[10, 200]])
        var options = DecodingOptions()
        options.pixelFormat = format
        let image = try coder.decode(file, options: options)
        #expect(image.pixels.format == format && !image.hasAlpha)
        #expect(Sample.pixel(image.pixels, 0, 0)[0] == (format.bitsPerComponent == 16 ? 10 * 257 : 10))
    }

    @Test func orientationIsApplied() throws {
        let exif = PNGBytes.chunk("eXIf", PNGBytes.exif(orientation: 6))
        let file = PNGBytes.file(header: PNGBytes.header(2, 1, color: 0), rows: [[10, 200]], after: exif)
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.orientation == .right && info.pixelSize == PixelSize(width: 1, height: 2))
        let upright = try straight(file)
        #expect(upright.width == 1 && upright.height == 2)
        #expect(Sample.pixel(upright, 0, 0)[0] == 10 && Sample.pixel(upright, 0, 1)[0] == 200)
    }

    @Test func orientationIsReadFromXMP() throws {
        let text = Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Data(#"<x tiff:Orientation="3"/>"#.utf8)
        let file = PNGBytes.file(
            header: PNGBytes.header(1, 1, color: 0), before: PNGBytes.chunk("iTXt", text), rows: [[1]])
        #expect(try coder.imageInfo(of: file, limits: .default).orientation == .down)
    }

    @Test func thumbnailHasTheRequestedSize() throws {
        let file = PNGBytes.file(
            header: PNGBytes.header(40, 20, color: 0), rows: (0..<20).map { _ in [UInt8](repeating: 99, count: 40) })
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 10, height: 10)
        let image = try coder.decode(file, options: options)
        #expect(image.pixelSize == PixelSize(width: 10, height: 5))
    }

    @Test(arguments: [0, 2, 6])
    func thumbnailEqualsTheScaledPicture(colorType: Int) throws {
        let channels = [0: 1, 2: 3, 6: 4][colorType] ?? 1
        let rows: [[UInt8]] = (0..<40).map { (y: Int) -> [UInt8] in
            (0..<60 * channels).map { (x: Int) -> UInt8 in UInt8((x * 3 + y * 5) % 256) }
        }
        let file = PNGBytes.file(header: PNGBytes.header(60, 40, color: colorType), rows: rows)
        var options = DecodingOptions()
        let whole = try coder.decode(file, options: options)
        options.thumbnailPixelSize = PixelSize(width: 15, height: 15)
        let thumbnail = try coder.decode(file, options: options)
        let expected = try whole.pixels.scaled(to: PixelSize(width: 15, height: 10))
        #expect(thumbnail.pixels.format == .bgra8Premultiplied && thumbnail.hasAlpha == (colorType == 6))
        #expect(Sample.largestDifference(Sample.values(thumbnail.pixels), Sample.values(expected)) <= 1)
    }

    /// If a thumbnail has at most a third of the image's height, each row is converted when the scaler needs it. In
    /// wide images, zimg requests parts of rows that begin inside a pixel.
    @Test(arguments: [2, 3, 6], [[7, 90], [301, 64], [9001, 30]])
    func thumbnailByRowsEqualsTheScaledPicture(colorType: Int, size: [Int]) throws {
        let (width, height) = (size[0], size[1])
        let channels = [2: 3, 3: 1, 6: 4][colorType] ?? 1
        let rows: [[UInt8]] = (0..<height).map { y in
            (0..<width * channels).map { UInt8(truncatingIfNeeded: ($0 * $0 * 7 + y * 31) >> 2) }
        }
        let palette = PNGBytes.chunk("PLTE", Data((0..<768).map { UInt8(truncatingIfNeeded: $0 * 89) }))
        let file = PNGBytes.file(
            header: PNGBytes.header(width, height, color: colorType), before: colorType == 3 ? palette : Data(),
            rows: rows)
        var options = DecodingOptions()
        let whole = try coder.decode(file, options: options)
        options.thumbnailPixelSize = PixelSize(width: max(1, width / 5), height: max(1, height / 5))
        options.preserveAspectRatio = false
        let thumbnail = try coder.decode(file, options: options)
        let target = PixelSize(width: max(1, width / 5), height: max(1, height / 5))
        let expected = try whole.pixels.scaled(to: target, isOpaque: colorType != 6)
        #expect(Sample.largestDifference(Sample.values(thumbnail.pixels), Sample.values(expected)) <= 1)
    }

    /// The last row has an invalid filter. The decoder finds this error after it has scaled the earlier rows.
    @Test func thumbnailOfADamagedPictureFailsLikeThePicture() throws {
        var raw = [UInt8](repeating: 0, count: 40 * 181)
        raw[39 * 181] = 9
        let file =
            PNGBytes.signature + PNGBytes.header(60, 40, color: 2) + PNGBytes.chunk("IDAT", PNGBytes.deflated(raw: raw))
            + PNGBytes.chunk("IEND")
        var options = DecodingOptions()
        let whole = #expect(throws: WebImageError.self) { try coder.decode(file, options: options) }
        options.thumbnailPixelSize = PixelSize(width: 10, height: 10)
        let thumbnail = #expect(throws: WebImageError.self) { try coder.decode(file, options: options) }
        #expect(whole?.code == .badImageData && thumbnail?.code == .badImageData)
    }

    @Test func dataSliceWithAnOffsetIsRead() throws {
        let file = PNGBytes.file(header: PNGBytes.header(1, 1, color: 0), rows: [[77]])
        let slice = (Data([1, 2, 3]) + file).dropFirst(3)
        #expect(coder.canDecode(from: slice))
        #expect(Sample.pixel(try straight(slice), 0, 0)[0] == 77)
    }
}
