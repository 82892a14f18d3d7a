import CWebImageZimg
import Foundation
import Testing
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGraphics

@Suite(.timeLimit(minutes: 1))
struct GraphicsScalingTests {
    // Corresponds to SDWebImage's SDImageTransformerTests.test22CGImageCreateScaledWithSize.
    @Test(arguments: PixelFormat.allCases, [100, 50])
    func whiteStaysWhiteInEveryLayout(format: PixelFormat, side: Int) throws {
        let white = format.bitsPerComponent == 16 ? 65535 : 255
        let source = try Sample.buffer(100, 100, format) { _, _, _ in white }
        let scaled = try source.scaled(to: PixelSize(width: side, height: 50))
        #expect(scaled.format == format && scaled.width == side && scaled.height == 50)
        #expect(Sample.values(scaled).allSatisfy { $0 == white })
    }

    @Test(arguments: PixelFormat.allCases, [(7, 5), (200, 130), (64, 1), (1, 1), (67, 301)])
    func aConstantColourStaysConstant(format: PixelFormat, size: (Int, Int)) throws {
        let channels = format.bitsPerComponent == 16 ? [12345, 40000, 65535, 50000] : [12, 100, 150, 200]
        let source = try Sample.buffer(67, 41, format) { _, _, channel in channels[channel] }
        let scaled = try source.scaled(to: PixelSize(width: size.0, height: size.1))
        #expect((scaled.width, scaled.height) == size)
        #expect(scaled.format == format)
        let expected = (0..<scaled.width * scaled.height).flatMap { _ in channels.prefix(format.channelCount) }
        #expect(
            Sample.largestDifference(Sample.values(scaled), expected)
                <= (format.isFloatingPoint ? 32 : format == .rgba16 ? 16 : 1))
    }

    @Test func extremeSizesScale() throws {
        for (from, to) in [((1, 1), (300, 200)), ((5000, 1), (1, 1)), ((2, 3000), (2, 2)), ((1, 2), (2, 1))] {
            let source = try Sample.buffer(from.0, from.1, .bgra8Premultiplied) { _, _, _ in 77 }
            let scaled = try source.scaled(to: PixelSize(width: to.0, height: to.1))
            #expect(Sample.values(scaled).allSatisfy { abs($0 - 77) <= 1 })
        }
    }

    @Test(arguments: [PixelFormat.rgba8, .rgba16, .rgbaHalf])
    func colourOfTransparentPixelsDoesNotBleed(format: PixelFormat) throws {
        let full = format.bitsPerComponent == 16 ? 65535 : 255
        // The left half is opaque red, and the right half is transparent green. Every visible pixel of the result
        // must be red.
        let source = try Sample.buffer(64, 16, format) { x, _, channel in
            x < 32 ? [full, 0, 0, full][channel] : [0, full, 0, 0][channel]
        }
        let scaled = try source.scaled(to: PixelSize(width: 21, height: 7))
        for x in 0..<21 {
            let pixel = Sample.pixel(scaled, x, 3)
            guard pixel[3] > full / 32 else { continue }
            #expect(pixel[0] >= full - full / 50 && pixel[1] <= full / 50, "at \(x): \(pixel)")
        }
    }

    @Test func premultipliedColourNeverExceedsAlpha() throws {
        // All stripes have the same alpha, but only every second stripe has colour. In the filter, only the colours can
        // therefore become too large.
        let source = try Sample.buffer(64, 64, .bgra8Premultiplied) { x, _, channel in
            channel == 3 || x / 5 % 2 == 0 ? 128 : 0
        }
        let scaled = try source.scaled(to: PixelSize(width: 150, height: 37))
        for y in 0..<37 {
            for x in 0..<150 {
                let pixel = Sample.pixel(scaled, x, y)
                #expect(pixel[3] == 128 && pixel.max() == 128)
            }
        }
    }

    @Test func scalingKeepsTheChannelOrder() throws {
        for format in PixelFormat.allCases {
            let source = try Sample.gradient(120, 90, format)
            let scaled = try source.scaled(to: PixelSize(width: 40, height: 30))
            for (x, y) in [(2, 2), (20, 15), (37, 5)] {
                let difference = Sample.largestDifference(
                    Sample.pixel(scaled, x, y), Sample.pixel(source, x * 3 + 1, y * 3 + 1))
                #expect(difference <= (format.bitsPerComponent == 16 ? 600 : 2), "\(format) at \(x), \(y)")
            }
        }
    }

    // zimg's AVX-512 code was wrong for some ratios only. The table has 100 ratios in the range where columns were wrong,
    // and 100 in the range of a usual thumbnail.
    @Test(arguments: [PixelFormat.gray8, .rgb8, .bgra8Premultiplied, .rgba16])
    func everyRatioWritesEveryColumn(format: PixelFormat) throws {
        var random = SeededRandom.printingSeed()
        for step in 0..<200 {
            let ratio: Double = step < 100 ? 1 + 0.05 * Double(step) : 1.99 + 0.001 * Double(step - 100)
            let width = Int.random(in: 150...1100, using: &random)
            let target = PixelSize(width: max(Int((Double(width) / ratio).rounded()), 24), height: 24)
            let source = try PixelBuffer(width: width, height: 24, format: format)
            source.withUnsafeMutableBytes { bytes in
                for place in stride(from: 0, to: bytes.count, by: 8) {
                    bytes.storeBytes(of: random.next(), toByteOffset: place, as: UInt64.self)
                }
            }
            let result = try source.scaled(to: target, isOpaque: true)
            let ideal = IdealPicture(source, hasAlpha: false).scaled(to: target)
            let difference = ideal.worstLine(against: IdealPicture(result, hasAlpha: false))
            #expect(difference < 1.5, "\(width) to \(target.width) px differ by \(difference)")
        }
    }

    // A mirror image of a picture of 5 px shows its left edge beside its right one: 30 levels in a result of 2 px.
    @Test(arguments: PixelFormat.allCases)
    func tinyPicturesAreContinuedByTheirNearestPixels(format: PixelFormat) throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<40 {
            let (width, height) = (Int.random(in: 3...24, using: &random), Int.random(in: 3...24, using: &random))
            let slope = (Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random))
            let source = try Sample.buffer(width, height, format) { x, y, channel in
                if channel == 3 { return format.bitsPerComponent == 16 ? 65535 : 255 }
                let (across, down) = ((Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                let level = 128 + 55 * slope.0 * (2 * across - 1) + 55 * slope.1 * (2 * down - 1)
                return Int(format.bitsPerComponent == 16 ? level * 257 : level)
            }
            let target = PixelSize(
                width: max(width / Int.random(in: 1...4, using: &random), 2),
                height: min(max(height / Int.random(in: 1...4, using: &random), 2), 7))
            let result = IdealPicture(try source.scaled(to: target), hasAlpha: false)
            let ideal = IdealPicture(source, hasAlpha: false).scaled(to: target, border: .omitted)
            let worst = zip(result.planes.joined(), ideal.planes.joined()).map { abs($0 - $1) }.max() ?? 0
            #expect(worst < 8, "\(width)x\(height) to \(target): \(worst)")
        }
    }

    // zimg's vector code is wrong for some small parts only: 6 of 100.
    @Test(arguments: [PixelFormat.gray8, .rgb8, .bgra8Premultiplied, .rgba16])
    func smallPartsAreScaledFromTheirOwnPixels(format: PixelFormat) throws {
        var random = SeededRandom.printingSeed()
        let factor = format.bitsPerComponent == 16 ? 257.0 : 1
        let source = try Sample.buffer(200, 200, format) { x, y, channel in
            channel == 3 ? Int(255 * factor) : Int((128 + 60 * sin(0.08 * Double(x) + 0.05 * Double(y))) * factor)
        }
        let exact = IdealPicture(source, hasAlpha: false)
        for _ in 0..<200 {
            let target = PixelSize(
                width: Int.random(in: 1...12, using: &random), height: Int.random(in: 1...12, using: &random))
            func part(_ count: Int) -> (start: Double, length: Double) {
                let length = Double(count) * Double.random(in: 1...4, using: &random)
                let (start, rounded) = (Double.random(in: 50...120, using: &random), Bool.random(using: &random))
                return rounded ? (start.rounded(), length.rounded()) : (start, length)
            }
            let (across, down) = (part(target.width), part(target.height))
            let region = PixelRegion(left: across.start, top: down.start, width: across.length, height: down.length)
            let result = IdealPicture(try source.scaled(to: target, from: region, isOpaque: true), hasAlpha: false)
            let ideal = exact.scaled(to: target, from: region)
            let worst = zip(result.planes.joined(), ideal.planes.joined()).map { abs($0 - $1) }.max() ?? 0
            #expect(worst < 3, "\(region) to \(target): \(worst)")
        }
    }

    /// The instruction sets that zimg and this processor have, with their names in /proc/cpuinfo.
    private static let processors: [(name: String, type: zimg_cpu_type_e)] = {
        #if arch(x86_64)
            var known = [("sse2", ZIMG_CPU_X86_SSE2), ("avx", ZIMG_CPU_X86_AVX), ("avx2", ZIMG_CPU_X86_AVX2)]
            if ResampleGraph.hasCorrectAVX512 { known.append(("avx512vnni", ZIMG_CPU_X86_AVX512_CLX)) }
        #else
            let known: [(String, zimg_cpu_type_e)] = []
        #endif
        let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let flags = Set(text.split { " \n\t".contains($0) }.map(String.init))
        return [("automatic", ZIMG_CPU_AUTO)] + known.filter { flags.contains($0.0) }
    }()

    /// Pictures become smaller and larger, from random parts, with each instruction set of zimg.
    @Test(arguments: PixelFormat.allCases)
    func everyInstructionSetWritesTheSamePixels(format: PixelFormat) throws {
        var random = SeededRandom.printingSeed()
        let full = format.bitsPerComponent == 16 ? 65535 : 255
        for index in 0..<12 {
            let size = PixelSize(
                width: Int.random(in: 1...400, using: &random), height: Int.random(in: 1...40, using: &random))
            var target = PixelSize(
                width: Int.random(in: 1...300, using: &random), height: Int.random(in: 1...60, using: &random))
            // The ratios at which AVX-512 code was wrong.
            if index % 3 == 0 { target.width = max(Int(Double(size.width) / 2.03), 1) }
            let source = try Sample.buffer(size.width, size.height, format) { _, _, channel in
                channel == 3 ? full : Int.random(in: 0...full, using: &random)
            }
            var region = PixelRegion(size)
            if Bool.random(using: &random) {
                region.left = Double(size.width) * Double.random(in: 0...0.4, using: &random)
                region.width -= region.left
            }
            let isOpaque = Bool.random(using: &random)
            func scaled(_ type: zimg_cpu_type_e) throws -> [Int] {
                try ResampleGraph.$processor.withValue(type) {
                    Sample.values(try source.scaled(to: target, from: region, isOpaque: isOpaque))
                }
            }
            let portable = try scaled(ZIMG_CPU_NONE)
            for (name, type) in Self.processors {
                let difference = Sample.largestDifference(try scaled(type), portable)
                #expect(
                    difference <= (format.bitsPerComponent == 16 ? 64 : 1),
                    "\(name), \(size) from \(region) to \(target): \(difference)")
            }
        }
    }

    /// The free side of a picture that fits into a canvas is rounded to the nearest pixel, and a half up.
    @Test func fittedPicturesHaveTheNearestSize() throws {
        var random = SeededRandom.printingSeed()
        var rows = [(22, 44, 15, 15), (44, 22, 15, 15), (30, 20, 100, 11), (7, 5, 3, 60), (3, 1000, 400, 40)]
        rows += (0..<60).map { _ in
            func side() -> Int { Int.random(in: 1...120, using: &random) }
            return (side(), side(), side(), side())
        }
        for (width, height, canvasWidth, canvasHeight) in rows {
            let source = Image(pixels: try Sample.buffer(width, height, .bgra8Premultiplied) { _, _, _ in 255 })
            let result = try #require(
                source.resizedImage(with: CGSize(width: canvasWidth, height: canvasHeight), scaleMode: .aspectFit))
            let text = "\(width) x \(height) in \(canvasWidth) x \(canvasHeight)"
            #expect(result.pixelSize == PixelSize(width: canvasWidth, height: canvasHeight), "\(text)")
            func opaque(_ count: Int, _ place: (Int) -> Int) -> Int {
                result.pixels.withUnsafeBytes { bytes in (0..<count).count { bytes[place($0) + 3] == 255 } }
            }
            let stride = result.pixels.bytesPerRow
            let wide = opaque(canvasWidth) { (canvasHeight - 1) / 2 * stride + 4 * $0 }
            let high = opaque(canvasHeight) { $0 * stride + (canvasWidth - 1) / 2 * 4 }
            func nearest(_ side: Int, _ whole: Int, _ box: Int) -> Int {
                max((2 * side * box + whole) / (2 * whole), 1)
            }
            let isWide = width * canvasHeight > height * canvasWidth
            #expect(wide == (isWide ? canvasWidth : nearest(width, height, canvasHeight)), "\(text)")
            #expect(high == (isWide ? nearest(height, width, canvasWidth) : canvasHeight), "\(text)")
        }
    }
}
