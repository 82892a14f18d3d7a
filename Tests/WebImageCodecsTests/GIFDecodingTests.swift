import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct GIFDecodingTests {
    private let coder = ImageGIFCoder.shared

    private func pixels(_ data: Data, _ format: PixelFormat = .rgba8) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = format
        return try coder.decode(data, options: options).pixels
    }

    @Test func infoReportsEveryFrameAsStored() throws {
        let one = GIFBytes.image(width: 2, height: 1, indices: [1, 2])
        let file = GIFBytes.file(
            GIFBytes.screen(2, 1), GIFBytes.loop(5), GIFBytes.control(delay: 0), one, GIFBytes.control(delay: 7), one,
            GIFBytes.loop(9, "ANIMEXTS1.0"), one)
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.format == .gif && info.frameCount == 3 && info.loopCount == 9)
        #expect(info.delaysMilliseconds == [0, 70, 0])
        #expect(info.bitDepth == 7 && !info.hasAlpha)
    }

    @Test func gifWithoutLoopBlockPlaysOnce() throws {
        let file = GIFBytes.file(
            GIFBytes.screen(1, 1), GIFBytes.control(delay: 1, transparent: 0),
            GIFBytes.image(width: 1, height: 1, indices: [0]))
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.loopCount == 1 && info.hasAlpha && info.delaysMilliseconds == [10])
    }

    @Test(arguments: [PixelFormat.rgba8, .bgra8Premultiplied])
    func localPaletteOverridesTheGlobalOneAndChannelsAreInOrder(format: PixelFormat) throws {
        let palette: [UInt8] = [10, 20, 30] + [UInt8](repeating: 0, count: 127 * 3)
        let file = GIFBytes.file(
            GIFBytes.screen(2, 1), GIFBytes.control(delay: 0, transparent: 1),
            GIFBytes.image(width: 2, height: 1, palette: palette, indices: [0, 1]))
        let decoded = try pixels(file, format)
        #expect(Sample.pixel(decoded, 0, 0) == (format == .rgba8 ? [10, 20, 30, 255] : [30, 20, 10, 255]))
        #expect(Sample.pixel(decoded, 1, 0) == [0, 0, 0, 0])
    }

    @Test func interlacedPixelsEqualPlainOnes() throws {
        let (width, height) = (300, 37)
        let row = { (y: Int) in (0..<width).map { UInt8(($0 + y * 3) % 128) } }
        let order = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
        let plain = GIFBytes.image(width: width, height: height, indices: (0..<height).flatMap(row))
        let mixed = GIFBytes.image(width: width, height: height, interlaced: true, indices: order.flatMap(row))
        let screen = GIFBytes.screen(width, height)
        let expected = Sample.values(try pixels(GIFBytes.file(screen, plain)))
        #expect(Sample.values(try pixels(GIFBytes.file(screen, mixed))) == expected)
        #expect(expected[4] == 2 && expected[7] == 255)
    }

    /// The sides of the screen, position and sides of the first frame, and the size that browsers show.
    static let screens: [(screen: (Int, Int), place: (Int, Int), frame: (Int, Int), shown: (Int, Int))] = [
        ((0, 0), (0, 0), (3, 2), (3, 2)), ((0, 5), (0, 0), (3, 2), (3, 5)), ((4, 0), (0, 0), (3, 2), (4, 2)),
        ((2, 1), (0, 0), (3, 2), (3, 2)), ((2, 9), (0, 0), (3, 2), (3, 9)), ((3, 3), (1, 2), (3, 2), (4, 4)),
        ((0, 0), (2, 1), (3, 2), (5, 3)), ((9, 9), (1, 1), (3, 2), (9, 9)),
    ]

    @Test(arguments: screens)
    func screenContainsTheFirstFrame(
        row: (screen: (Int, Int), place: (Int, Int), frame: (Int, Int), shown: (Int, Int))
    ) throws {
        let indices = (1...UInt8(row.frame.0 * row.frame.1)).map { $0 }
        let first = GIFBytes.image(
            x: row.place.0, y: row.place.1, width: row.frame.0, height: row.frame.1, indices: indices)
        // A later frame is clipped.
        let second = GIFBytes.image(x: 0, y: 0, width: 20, height: 1, indices: [UInt8](repeating: 100, count: 20))
        let delay = GIFBytes.control(delay: 10)
        let file = GIFBytes.file(GIFBytes.screen(row.screen.0, row.screen.1), delay, first, delay, second)
        let size = PixelSize(width: row.shown.0, height: row.shown.1)
        #expect(try coder.imageInfo(of: file, limits: .default).pixelSize == size)
        let decoded = try pixels(file)
        #expect(decoded.width == size.width && decoded.height == size.height)
        for (place, index) in indices.enumerated() {
            let (x, y) = (row.place.0 + place % row.frame.0, row.place.1 + place / row.frame.0)
            let grey = Int(index) * 2
            #expect(Sample.pixel(decoded, x, y) == [grey, grey, grey, 255])
        }
        let animation = try ImageGIFCoder(animation: file, options: DecodingOptions())
        let shown = try animation.frame(at: 1).pixels
        #expect(shown.width == size.width && Sample.pixel(shown, size.width - 1, 0) == [200, 200, 200, 255])
        // The size of a file that arrives in pieces does not change once it is known.
        let stream = try #require(
            ImageCodersManager.shared.makeIncrementalCoder(for: file, options: DecodingOptions())
                as? any StreamingImageCoder)
        for byte in file.indices {
            try stream.append(file[byte..<byte + 1], finished: byte == file.count - 1)
            if let info = stream.incrementalInfo { #expect(info.pixelSize == size) }
        }
        #expect(stream.incrementalInfo?.frameCount == 2)
    }

    @Test func sizeLimitCountsTheFirstFrame() {
        let screen = GIFBytes.screen(0, 0)
        let file = GIFBytes.file(screen, GIFBytes.image(width: 60_000, height: 60_000, indices: [1]))
        #expect { try coder.imageInfo(of: file, limits: .default) } throws: {
            ($0 as? WebImageError)?.code == .limitExceeded
        }
        for empty in [GIFBytes.file(screen), GIFBytes.file(screen, GIFBytes.image(width: 0, height: 3, indices: []))] {
            #expect { try coder.decode(empty, options: DecodingOptions()) } throws: {
                ($0 as? WebImageError)?.code == .badImageData
            }
        }
    }

    /// Disposal 3 restores the pixels before the frame; browsers read 4 in the same way. Larger values change nothing.
    @Test(arguments: 0..<8) func disposalOfAFrame(disposal: Int) throws {
        func frame(_ x: Int, _ index: UInt8, _ disposal: Int) -> [UInt8] {
            GIFBytes.control(delay: 10, disposal: disposal)
                + GIFBytes.image(x: x, width: 1, height: 1, indices: [index])
        }
        let base = GIFBytes.control(delay: 10) + GIFBytes.image(width: 3, height: 1, indices: [1, 1, 1])
        let file = GIFBytes.file(GIFBytes.screen(3, 1), base, frame(0, 10, disposal), frame(1, 2, 0))
        let shown = try ImageGIFCoder(animation: file, options: DecodingOptions()).frame(at: 2).pixels
        let restored: [Int] =
            switch disposal {
            case 2: [0, 0, 0, 0]
            case 3, 4: [2, 2, 2, 255]
            default: [20, 20, 20, 255]
            }
        #expect(Sample.pixel(shown, 0, 0) == restored && Sample.pixel(shown, 1, 0) == [4, 4, 4, 255])
    }

    @Test(arguments: [false, true])
    func framesAreClippedToTheScreen(interlaced: Bool) throws {
        // Only the first frame enlarges the screen.
        let file = GIFBytes.file(
            GIFBytes.screen(3, 3), GIFBytes.control(delay: 10, transparent: 9),
            GIFBytes.image(width: 1, height: 1, indices: [9]), GIFBytes.control(delay: 10),
            GIFBytes.image(
                x: 1, y: 2, width: 4, height: 20, interlaced: interlaced, indices: [UInt8](repeating: 50, count: 80)))
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let decoded = try ImageGIFCoder(animation: file, options: options).frame(at: 1).pixels
        #expect(decoded.width == 3 && decoded.height == 3)
        for y in 0..<3 {
            for x in 0..<3 {
                #expect(Sample.pixel(decoded, x, y) == (x > 0 && y == 2 ? [100, 100, 100, 255] : [0, 0, 0, 0]))
            }
        }
    }

    @Test func opaqueOnlyWhenTheFrameCoversTheScreen() throws {
        let whole = GIFBytes.file(GIFBytes.screen(1, 1), GIFBytes.image(width: 1, height: 1, indices: [0]))
        #expect(try !coder.decode(whole, options: DecodingOptions()).hasAlpha)
        let part = GIFBytes.file(GIFBytes.screen(2, 1), GIFBytes.image(width: 1, height: 1, indices: [0]))
        #expect(try coder.decode(part, options: DecodingOptions()).hasAlpha)
    }

    @Test func missingPaletteIsBlack() throws {
        let file = GIFBytes.file(
            GIFBytes.screen(1, 1, hasPalette: false), GIFBytes.image(width: 1, height: 1, indices: [3]))
        #expect(Sample.pixel(try pixels(file), 0, 0) == [0, 0, 0, 255])
    }

    @Test func rowsBeforeBrokenCompressionAreShown() throws {
        // The image declares three rows, but the end code follows after two rows.
        let file = GIFBytes.file(GIFBytes.screen(2, 3), GIFBytes.image(width: 2, height: 3, indices: [9, 9, 9, 9]))
        let image = try coder.decode(file, options: DecodingOptions())
        #expect(Sample.pixel(image.pixels, 1, 1) == [18, 18, 18, 255])
        #expect(Sample.pixel(image.pixels, 0, 2) == [0, 0, 0, 0] && image.hasAlpha)
    }

    @Test func gifEncoderWritesStills() throws {
        #expect(coder.canEncode(to: .gif) && !coder.canEncode(to: .png))
        let pixels = try Sample.gradient(5, 4, .rgba8)
        let file = try coder.encode(Image(pixels: pixels, hasAlpha: false), format: .gif, options: EncodingOptions())
        #expect(Sample.values(try self.pixels(file)) == Sample.values(pixels))
        #expect(try coder.imageInfo(of: file, limits: .default).loopCount == 1)
    }
}
