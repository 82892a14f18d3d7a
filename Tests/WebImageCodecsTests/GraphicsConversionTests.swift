import Testing
import WebImageCore
import WebImageGraphics
import WebImageTestTraits

@Suite(.timeLimit(minutes: 1))
struct GraphicsConversionTests {
    @Test(arguments: PixelFormat.allCases, PixelFormat.allCases)
    func greyIsTheSameInEveryLayout(from: PixelFormat, to: PixelFormat) throws {
        func level(_ x: Int, _ format: PixelFormat, _ channel: Int) -> Int {
            let value = channel == 3 ? 255 : x
            return format.bitsPerComponent == 16 ? value * 257 : value
        }
        let source = try Sample.buffer(256, 3, from) { x, _, channel in level(x, from, channel) }
        let expected = try Sample.buffer(256, 3, to) { x, _, channel in level(x, to, channel) }
        for isOpaque in [true, false] {
            let converted = Sample.values(try source.converted(to: to, isOpaque: isOpaque))
            // Half-precision values have only 11 significant bits, so a 16-bit result may differ by up to 16.
            let slack = to == .rgba16 && from.isFloatingPoint ? 16 : 0
            #expect(Sample.largestDifference(converted, Sample.values(expected)) <= slack)
        }
    }

    @Test(arguments: [PixelFormat.bgra8Premultiplied, .rgba8, .rgb8, .rgba16, .rgbaHalf])
    func conversionReordersChannels(format: PixelFormat) throws {
        let source = try Sample.buffer(19, 4, .rgba8) { _, _, channel in [10, 120, 240, 255][channel] }
        let there = try source.converted(to: format)
        let first = Sample.pixel(there, 18, 3)
        switch format {
        case .bgra8Premultiplied: #expect(first == [240, 120, 10, 255])
        case .rgbaHalf:
            let expected = [10, 120, 240, 255].map { $0 * 257 }
            #expect(Sample.largestDifference(first, expected) <= 16)
        case .rgba16: #expect(first == [10 * 257, 120 * 257, 240 * 257, 65535])
        default: #expect(first.prefix(3) == [10, 120, 240])
        }
        #expect(Sample.values(try there.converted(to: .rgba8)) == Sample.values(source))
    }

    @Test func premultiplyingAndBackLosesOnlyRounding() throws {
        let source = try Sample.buffer(256, 256, .rgba8) { x, y, channel in channel == 3 ? y : x }
        let premultiplied = try source.converted(to: .bgra8Premultiplied)
        let back = try premultiplied.converted(to: .rgba8)
        for y in 0..<256 {
            for x in 0..<256 {
                let pixel = Sample.pixel(premultiplied, x, y)
                #expect(2 * abs(pixel[0] * 255 - x * y) <= 255 && pixel[3] == y)
                guard y > 0 else { continue }
                #expect(abs(Sample.pixel(back, x, y)[0] - x) <= 255 / y + 1)
            }
        }
    }

    /// Every colour that is not larger than its alpha is the same after a division and a multiplication.
    @Test func dividingByAlphaAndBackLosesNothing() throws {
        let source = try Sample.buffer(256, 256, .bgra8Premultiplied) { x, y, channel in
            [min(x, y), min(255 - x, y), y - min(x, y), y][channel]
        }
        let straight = try source.converted(to: .rgba8)
        #expect(Sample.values(try straight.converted(to: .bgra8Premultiplied)) == Sample.values(source))
        let inPlace = try source.converted(to: .rgba8, isOpaque: true)
        inPlace.unpremultiplyInPlace()
        #expect(Sample.values(inPlace) == Sample.values(straight))
        let again = try straight.converted(to: .bgra8Premultiplied, isOpaque: true)
        again.premultiplyInPlace(rows: 0..<256)
        #expect(Sample.values(again) == Sample.values(source))
    }

    @Test func sixteenBitsAreReducedToTheirHighByte() throws {
        let source = try Sample.buffer(64, 2, .rgba16) { x, _, channel in channel == 3 ? 0xffff : x * 1024 + 255 }
        let converted = try source.converted(to: .rgba8)
        #expect((0..<64).allSatisfy { Sample.pixel(converted, $0, 1) == [$0 * 4, $0 * 4, $0 * 4, 255] })
    }

    @Test(arguments: ImageOrientation.allCases, PixelFormat.allCases)
    func everyOrientationIsTurnedUpright(orientation: ImageOrientation, format: PixelFormat) throws {
        let (width, height) = (37, 21)
        let source = try Sample.buffer(width, height, format) { x, y, channel in
            let value = [x * 5, y * 7, (x + y) * 3, 255][channel]
            return format.bitsPerComponent == 16 ? value * 257 : value
        }
        let turned = try source.oriented(orientation)
        for y in 0..<turned.height {
            for x in 0..<turned.width {
                // The file stores the pixel that is displayed at (`x`, `y`) at this position.
                let (storedX, storedY) =
                    switch orientation {
                    case .up: (x, y)
                    case .upMirrored: (width - 1 - x, y)
                    case .down: (width - 1 - x, height - 1 - y)
                    case .downMirrored: (x, height - 1 - y)
                    case .leftMirrored: (y, x)
                    case .right: (y, height - 1 - x)
                    case .rightMirrored: (width - 1 - y, height - 1 - x)
                    case .left: (width - 1 - y, x)
                    }
                #expect(Sample.pixel(turned, x, y) == Sample.pixel(source, storedX, storedY))
            }
        }
    }
}
