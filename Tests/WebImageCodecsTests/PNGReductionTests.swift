import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Pictures that are written with a palette, as grey, with fewer bits or without alpha. The pixels stay the same.
@Suite(.timeLimit(minutes: 1))
struct PNGReductionTests {
    private let coder = ImagePNGCoder.shared

    /// What the header of a file says.
    private struct Header: Equatable {
        static let gray = 0
        static let rgb = 2
        static let palette = 3
        static let rgba = 6

        var color: Int
        var depth: Int
    }

    private func header(_ file: Data) -> Header {
        Header(color: Int(file[file.startIndex + 25]), depth: Int(file[file.startIndex + 24]))
    }

    /// Encodes a picture, and checks that it is read back unchanged, also while it arrives.
    private func encode(
        _ pixels: PixelBuffer, hasAlpha: Bool, profile: ColorProfile? = nil, effort: Int = 5, _ text: String = ""
    ) throws -> Data {
        var options = EncodingOptions()
        options.effort = effort
        let image = Image(pixels: pixels, colorProfile: profile, hasAlpha: hasAlpha)
        let file = try coder.encode(image, format: .png, options: options)
        var reading = DecodingOptions()
        reading.pixelFormat = pixels.format
        reading.colorConversion = .asStored
        let back = try coder.decode(file, options: reading)
        #expect(Sample.values(back.pixels) == Sample.values(pixels), "\(header(file)) \(text)")
        let arriving = ImagePNGCoder(incremental: DecodingOptions([.decodePixelFormat: pixels.format]))
        try arriving.update(file, finished: true)
        let image2 = try #require(arriving.incrementalImage(options: nil))
        #expect(Sample.values(image2.pixels) == Sample.values(pixels), "arriving: \(header(file)) \(text)")
        return file
    }

    /// Pixels that look each colour up in a list, in an order that does not compress well.
    private func picture(
        _ width: Int, _ height: Int, _ format: PixelFormat, colors: [[Int]], seed: UInt64 = 1
    ) throws -> PixelBuffer {
        try Sample.buffer(width, height, format) { x, y, channel in
            var mixed = UInt64(x * 7919 + y * 104_729) &+ seed &* 12_345
            mixed = (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            return colors[Int(mixed >> 33) % colors.count][channel]
        }
    }

    @Test func greyHasAsManyBitsAsItsValuesNeed() throws {
        for (values, depth) in [
            ([0, 255], 1), ([0, 85, 170, 255], 2), ([17, 34, 51, 68, 255], 4), (Array(0...99), 8),
        ] {
            let colors = values.map { [$0, $0, $0, 255] }
            for format in [PixelFormat.gray8, .rgb8, .rgba8, .bgra8Premultiplied] {
                for width in [48, 49, 51, 55] {
                    let pixels = try picture(width, 40, format, colors: colors)
                    let file = try encode(pixels, hasAlpha: format == .rgba8, "\(format), \(width)")
                    #expect(header(file) == Header(color: Header.gray, depth: depth), "\(format), \(values.count)")
                }
            }
        }
    }

    @Test func fewColorsBecomeAPalette() throws {
        for (count, depth) in [(2, 1), (4, 2), (5, 4), (16, 4), (17, 8), (256, 8)] {
            let colors = (0..<count).map { [$0 * 37 & 255, $0 * 91 & 255, $0, 255] }
            for format in [PixelFormat.rgb8, .rgba8, .bgra8Premultiplied] {
                let pixels = try picture(91, 90, format, colors: colors)
                let file = try encode(pixels, hasAlpha: format == .rgba8, "\(format), \(count)")
                #expect(header(file) == Header(color: Header.palette, depth: depth), "\(format), \(count)")
            }
            // Grey values that have no common step.
            let greys = colors.enumerated().map { index, _ in [index * 3 & 255, 0, 0, 0] }
            guard count <= 16, count > 2 else { continue }
            let file = try encode(picture(160, 110, .gray8, colors: greys), hasAlpha: false)
            #expect(header(file) == Header(color: Header.palette, depth: depth))
        }
        let many = try picture(101, 100, .rgb8, colors: (0..<257).map { [$0 & 255, $0 / 2, $0 & 1] })
        #expect(header(try encode(many, hasAlpha: false)) == Header(color: Header.rgb, depth: 8))
    }

    /// A palette lists the alpha of its first colours only; no colour loses its alpha, and no transparent pixel its colour.
    @Test func transparentColorsKeepTheirValues() throws {
        let colors = [
            [0, 0, 0, 0], [9, 8, 7, 0], [255, 0, 0, 128], [1, 2, 3, 255], [200, 100, 50, 254], [0, 0, 0, 255],
        ]
        let pixels = try picture(200, 120, .rgba8, colors: colors)
        let file = try encode(pixels, hasAlpha: true)
        #expect(header(file) == Header(color: Header.palette, depth: 4))
        #expect(try coder.imageInfo(of: file, limits: .default).hasAlpha)
        let transparency = try #require(file.range(of: Data("tRNS".utf8)))
        #expect(file[transparency.lowerBound - 1] == 4)
    }

    @Test func opaqueAlphaIsNotWritten() throws {
        let pixels = try Sample.buffer(80, 60, .rgba8) { x, y, channel in channel == 3 ? 255 : x * (channel + 2) + y * 3
        }
        #expect(header(try encode(pixels, hasAlpha: true)) == Header(color: Header.rgb, depth: 8))
        let soft = try Sample.buffer(80, 60, .rgba8) { x, y, channel in channel == 3 ? 254 : x * (channel + 2) + y * 3 }
        #expect(header(try encode(soft, hasAlpha: true)) == Header(color: Header.rgba, depth: 8))
    }

    /// A grey file cannot have a profile for colours, so the picture stays in colours. Its palette has the same profile.
    @Test func aProfileStaysValid() throws {
        let grey = try Sample.buffer(80, 60, .rgb8) { x, y, _ in x * 2 + y }
        let profile = ColorProfile(iccData: ICCSample.displayP3)
        let file = try encode(grey, hasAlpha: false, profile: profile)
        #expect(header(file).color != Header.gray)
        let few = try picture(200, 100, .rgb8, colors: [[1, 2, 3], [4, 5, 6], [7, 7, 7]])
        let indexed = try encode(few, hasAlpha: false, profile: profile)
        #expect(header(indexed).color == Header.palette)
        #expect(try coder.imageInfo(of: indexed, limits: .default).hasICCProfile)
    }

    /// A palette is used only if it makes the file smaller.
    @Test func smallAndSmoothPicturesDoNotGrow() throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<60 {
            let (width, height) = (Int.random(in: 1...60, using: &random), Int.random(in: 1...60, using: &random))
            let step = Int.random(in: 1...9, using: &random)
            let few = try Sample.buffer(width, height, .rgb8) { x, y, channel in
                (x * step / 4 + y) * (channel + 1) & 255
            }
            let file = try encode(few, hasAlpha: false, "\(width) × \(height), \(step)")
            // Sixteen bits keep the layout, and twice the bytes of which every second is the same.
            let wide = try Sample.buffer(width, height, .rgba16) { x, y, channel in
                channel == 3 ? 65_535 : ((x * step / 4 + y) * (channel + 1) & 255) * 257
            }
            // The trial compresses with less effort than the writer.
            #expect(file.count <= (try encode(wide, hasAlpha: false)).count + 32)
        }
    }

    @Test(arguments: [1, 3, 5, 9]) func randomPicturesAreReadBackUnchanged(effort: Int) throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<40 {
            let format = [PixelFormat.gray8, .rgb8, .rgba8].randomElement(using: &random) ?? .rgb8
            let colors = (0..<Int.random(in: 1...260, using: &random)).map { _ in
                let value = Int.random(in: 0...255, using: &random)
                let isGray = Int.random(in: 0..<3, using: &random) > 0
                let color =
                    isGray ? [value, value, value] : (0..<3).map { _ in Int.random(in: 0...255, using: &random) }
                return color + [
                    Int.random(in: 0..<2, using: &random) == 0 ? 255 : Int.random(in: 0...255, using: &random)
                ]
            }
            let used = Array(colors.prefix([1, 2, 3, 5, 17, 260].randomElement(using: &random) ?? 1))
            let pixels = try picture(
                .random(in: 1...90, using: &random), .random(in: 1...90, using: &random), format, colors: used,
                seed: random.next() & 0xFFFF)
            _ = try encode(pixels, hasAlpha: format == .rgba8, effort: effort, "\(format), \(used.count) colours")
        }
    }
}
