import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageGraphics
import WebImageJPEG2000
import WebImageTestSupport
import WebImageTesting

struct JPEG2000CoderTests {
    /// The number of bits, and whether samples have signs.
    struct Depth: CustomStringConvertible {
        let bits: Int
        let isSigned: Bool

        var description: String { "\(bits) bits\(isSigned ? ", signed" : "")" }
    }

    private static let size = PixelSize(width: 29, height: 21)

    /// A ramp over the range of a sample, different for each channel.
    private static func ramp(_ depth: Depth, _ channel: Int) -> JPEG2000File.Component {
        let largest = 1 << depth.bits - 1
        return .init(bits: depth.bits, isSigned: depth.isSigned) { x, y in
            value(x, y, channel, largest) - (depth.isSigned ? 1 << (depth.bits - 1) : 0)
        }
    }

    private static func value(_ x: Int, _ y: Int, _ channel: Int, _ largest: Int) -> Int {
        (x * (channel + 3) + y * (5 - channel)) % 30 * largest / 29
    }

    @Test(
        arguments: [1, 2, 4, 7, 8, 9, 12, 16].map { Depth(bits: $0, isSigned: false) }
            + [8, 12].map { Depth(bits: $0, isSigned: true) }, [1, 2, 3, 4])
    func samplesOfEveryDepthAreReadExactly(depth: Depth, channels: Int) throws {
        var file = JPEG2000File(size: Self.size, components: (0..<channels).map { Self.ramp(depth, $0) })
        let colors = channels < 3 ? 1 : 3
        file.boxes = [JPEG2000File.color(colors == 1 ? 17 : 16)]
        if channels != colors {
            let all = (1...colors).map { (type: 0, association: $0) } + [(type: 1, association: 0)]
            file.boxes.append(JPEG2000File.definition(all))
        }
        let data = try file.data
        let info = try ImageJPEG2000Coder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.storedSize == Self.size && info.bitDepth == depth.bits)
        #expect(info.hasAlpha == (channels != colors) && info.isGray == (colors == 1))
        let largest = 1 << depth.bits - 1
        for format in [PixelFormat.rgba8, .rgba16] {
            var options = DecodingOptions()
            options.pixelFormat = format
            let image = try ImageJPEG2000Coder.shared.decode(data, options: options)
            #expect(image.hasAlpha == (channels != colors))
            let range = format == .rgba8 || depth.bits <= 8 ? 255.0 : 65535
            let scale = format == .rgba8 || depth.bits > 8 ? 1 : 257
            for y in 0..<Self.size.height {
                for x in 0..<Self.size.width {
                    let expected = (0..<4).map { channel -> Int in
                        if channel == 3, channels == colors { return format == .rgba8 ? 255 : 65535 }
                        let source = channel == 3 ? channels - 1 : colors == 1 ? 0 : channel
                        let stored = Double(Self.value(x, y, source, largest))
                        return Int((stored * range / Double(largest)).rounded()) * scale
                    }
                    guard image.pixels.samples(x, y) != expected else { continue }
                    Issue.record("\(format) \(x),\(y): \(image.pixels.samples(x, y)), not \(expected)")
                    return
                }
            }
        }
    }

    /// Files without boxes, with tiles, and at a place of the reference grid that is no multiple of anything.
    @Test(arguments: [0, 1, 33], [nil, 16])
    func structureDoesNotChangeThePixels(origin: Int, tileSide: Int?) throws {
        var file = JPEG2000File(
            size: Self.size, components: (0..<3).map { Self.ramp(.init(bits: 8, isSigned: false), $0) })
        file.origin = (origin, origin / 2)
        file.tileSide = tileSide
        file.boxes = [JPEG2000File.color(16)]
        for data in [try file.data, try file.codestream] {
            let pixels = try Self.decode(data)
            for (x, y) in [(0, 0), (28, 20), (11, 7)] {
                #expect(pixels.samples(x, y) == (0..<3).map { Self.value(x, y, $0, 255) } + [255])
            }
        }
    }

    @Test func paletteIsApplied() throws {
        let entries: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [1, 2, 3]]
        var file = JPEG2000File(size: Self.size, components: [.init(bits: 2) { x, y in (x + y) % 4 }])
        file.boxes = [JPEG2000File.color(16), JPEG2000File.palette(entries)]
        let data = try file.data
        let pixels = try Self.decode(data)
        for x in 0..<4 { #expect(pixels.samples(x, 0).prefix(3).elementsEqual(entries[x].map(Int.init))) }
        let info = try ImageJPEG2000Coder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(!info.isGray && info.bitDepth == 8)
    }

    @Test func premultipliedAlphaIsDividedOut() throws {
        let color = JPEG2000File.Component { _, _ in 64 }
        var file = JPEG2000File(size: Self.size, components: [color, color, color, .init { _, _ in 128 }])
        file.boxes = [
            JPEG2000File.color(16), JPEG2000File.definition([(0, 1), (0, 2), (0, 3), (2, 0)]),
        ]
        #expect(try Self.decode(file.data).samples(3, 3) == [128, 128, 128, 128])
    }

    /// The file may store blue first.
    @Test func channelsAreOrderedByTheirDefinition() throws {
        let components = [10, 20, 30].map { value in JPEG2000File.Component { _, _ in value } }
        var file = JPEG2000File(size: Self.size, components: components)
        file.boxes = [JPEG2000File.color(16), JPEG2000File.definition([(0, 3), (0, 2), (0, 1)])]
        #expect(try Self.decode(file.data).samples(5, 5) == [30, 20, 10, 255])
    }

    /// Colours and alpha are stored in every order, with straight and premultiplied colours, and as grey with alpha.
    @Test(arguments: [1, 2]) func alphaIsStoredAtAnyPlace(kind: Int) throws {
        // A value and what it means: a colour by its number, or alpha.
        let channels = [(10, (0, 1)), (20, (0, 2)), (30, (0, 3)), (128, (kind, 0))]
        let orders = (0..<4).flatMap { one in
            (0..<4).flatMap { two in (0..<4).map { [one, two, $0, 6 - one - two - $0] } }
        }
        func samples(_ order: [Int]) throws -> [Int] {
            let components = order.map { place in JPEG2000File.Component { _, _ in channels[place].0 } }
            var file = JPEG2000File(size: Self.size, components: components)
            file.boxes = [
                JPEG2000File.color(order.count == 2 ? 17 : 16), JPEG2000File.definition(order.map { channels[$0].1 }),
            ]
            return try Self.decode(file.data).samples(5, 5)
        }
        func color(_ value: Int) -> Int { kind == 1 ? value : (value * 255 + 64) / 128 }
        let wanted = [color(10), color(20), color(30), 128]
        for order in orders where Set(order) == [0, 1, 2, 3] {
            #expect(try samples(order) == wanted, "\(order)")
        }
        for order in [[0, 3], [3, 0]] {
            #expect(try samples(order) == [color(10), color(10), color(10), 128], "\(order)")
        }
    }

    /// The formulas of JFIF, with chroma of the full size and of half the size.
    @Test(arguments: [1, 2]) func luminanceAndChromaBecomeColors(distance: Int) throws {
        let (red, green, blue) = (200.0, 90.0, 30.0)
        let luma = 0.299 * red + 0.587 * green + 0.114 * blue
        let chroma = [128 + (blue - luma) / 1.772, 128 + (red - luma) / 1.402]
        var file = JPEG2000File(
            size: Self.size,
            components: [.init { _, _ in Int(luma.rounded()) }]
                + chroma.map { value in .init(distance: distance) { _, _ in Int(value.rounded()) } })
        file.boxes = [JPEG2000File.color(18)]
        for data in distance == 1 ? [try file.data] : [try file.data, try file.codestream] {
            let result = try Self.decode(data).samples(9, 9)
            for (value, expected) in zip(result, [red, green, blue]) {
                #expect(abs(Double(value) - expected) <= 1.5)
            }
        }
    }

    /// A sample of half the size lies on the even positions of the grid, wherever the picture begins.
    @Test(arguments: [0, 1, 7], [0, 200]) func smallChromaHasItsPlace(origin: Int, box: Int) throws {
        let size = PixelSize(width: 480, height: 320)
        func chroma(_ x: Int, _ y: Int) -> Double { 128 + 60 * sin(Double(x) / 30) * cos(Double(y) / 40) }
        var file = JPEG2000File(
            size: size,
            components: [
                .init { _, _ in 128 }, .init(distance: 2) { _, _ in 128 },
                .init(distance: 2) { x, y in Int(chroma(x, y).rounded()) },
            ])
        file.origin = (origin, origin)
        file.boxes = [JPEG2000File.color(18)]
        let full = try Self.decode(file.data)
        for (x, y) in [(0, 0), (101, 53), (102, 54), (300, 200)] {
            let expected = 128 + 1.402 * (chroma(x, y) - 128)
            #expect(abs(Double(full.samples(x, y)[0]) - min(max(expected, 0), 255)) <= 3)
        }
        guard box > 0 else { return }
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.thumbnailPixelSize = PixelSize(width: box, height: box)
        let small = try ImageJPEG2000Coder.shared.decode(file.data, options: options).pixels
        let ideal = IdealPicture(full, hasAlpha: false).scaled(
            to: small.size, from: PixelRegion(size))
        #expect(ideal.fault(of: IdealPicture(small, hasAlpha: false)) == nil)
    }

    @Test func inkIsNoLight() throws {
        let ink = [255, 0, 0, 0].map { value in JPEG2000File.Component { _, _ in value } }
        var file = JPEG2000File(size: Self.size, components: ink)
        file.boxes = [JPEG2000File.color(12)]
        #expect(try Self.decode(file.data).samples(2, 2) == [0, 255, 255, 255])
    }

    /// The profile of a JPEG 2000 file has the effect of the same profile in a PNG.
    @Test func profileIsUsed() throws {
        let profile = try #require(ColorProfile(primaries: 12, transfer: 13)?.iccData)
        let colors = [40, 200, 90].map { value in JPEG2000File.Component { _, _ in value } }
        var file = JPEG2000File(size: Self.size, components: colors)
        file.boxes = [JPEG2000File.color(profile)]
        let plain = try Image.generated(width: 29, height: 21) { _, _ in (90, 200, 40, 255) }
        let declared = Image(
            pixels: plain.pixels, colorProfile: ColorProfile(iccData: profile), hasAlpha: false)
        let png = try ImagePNGCoder.shared.encode(declared, format: .png, options: EncodingOptions())
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let expected = try ImagePNGCoder.shared.decode(png, options: options).pixels.samples(4, 4)
        #expect(expected[0] < 40)
        #expect(try Self.decode(file.data).samples(4, 4) == expected)
        #expect(try ImageJPEG2000Coder.shared.imageInfo(of: file.data, limits: DecodingLimits()).hasICCProfile)
    }

    // MARK: Levels

    /// Small results and parts come from a level of the file. Their content is where that of a full decode is.
    @Test func levelsAreUsedAtTheirExactPlace() throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<24 {
            func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
            let size = PixelSize(width: number(300...900), height: number(300...900))
            let waves = try IdealPicture.waves(width: size.width, height: size.height).pixels
            var file = JPEG2000File(
                size: size,
                components: (0..<3).map { channel in .init { x, y in waves.samples(x, y)[2 - channel] } })
            file.boxes = [JPEG2000File.color(16)]
            file.origin = (number(0...70), number(0...70))
            file.resolutions = number(1...6)
            file.rate = Bool.random(using: &random) ? 4 : nil
            file.tileSide = Bool.random(using: &random) ? number(100...400) : nil
            let data = try file.data
            let full = IdealPicture(try Self.decode(data), hasAlpha: false)
            var options = DecodingOptions()
            options.pixelFormat = .rgba8
            let side = number(40...200)
            options.thumbnailPixelSize = PixelSize(width: side, height: side)
            var region = PixelRegion(size)
            if Bool.random(using: &random) {
                region = PixelRegion(
                    left: Double.random(in: 0...Double(size.width / 2), using: &random),
                    top: Double.random(in: 0...Double(size.height / 2), using: &random),
                    width: Double(size.width) / 2, height: Double(size.height) / 2)
                options.sourceRegion = region
                options.preserveAspectRatio = false
            }
            let small = try ImageJPEG2000Coder.shared.decode(data, options: options).pixels
            let ideal = full.scaled(to: small.size, from: region)
            let fault = ideal.fault(of: IdealPicture(small, hasAlpha: false))
            #expect(
                fault == nil, "\(size) at \(file.origin), \(file.resolutions) levels, to \(small.size) of \(region)")
        }
    }

    /// A thumbnail takes a fraction of the time. Counted in the samples that are decoded, by their memory.
    @Test func aSmallResultNeedsLittleMemory() throws {
        let size = PixelSize(width: 1600, height: 1200)
        var file = JPEG2000File(size: size, components: [.init { x, y in (x ^ y) & 255 }])
        file.boxes = [JPEG2000File.color(17)]
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 100, height: 100)
        let data = try file.data
        options.limits.maxDecodeBytes = data.count + 1_600_000
        _ = try ImageJPEG2000Coder.shared.decode(data, options: options)
        file.resolutions = 1
        let flat = try file.data
        options.limits.maxDecodeBytes = flat.count + 1_600_000
        let error = #expect(throws: WebImageError.self) {
            try ImageJPEG2000Coder.shared.decode(flat, options: options)
        }
        #expect(error?.code == .limitExceeded)
    }

    // MARK: Damage

    @Test func aFileThatEndsTooEarlyIsDamaged() throws {
        var file = JPEG2000File(
            size: Self.size, components: (0..<3).map { Self.ramp(.init(bits: 8, isSigned: false), $0) })
        file.boxes = [JPEG2000File.color(16)]
        for data in [try file.data, try file.codestream] {
            for count in stride(from: 12, to: data.count - 40, by: 7) {
                let error = #expect(throws: WebImageError.self) { try Self.decode(data.prefix(count)) }
                #expect(error?.code == .badImageData, "\(count) of \(data.count) bytes")
            }
        }
    }

    /// OpenJPEG allocates the tables of all tiles when it reads the header.
    @Test func tablesOfTilesCountAgainstTheLimit() throws {
        var file = JPEG2000File(size: PixelSize(width: 250, height: 250), components: [.init { x, _ in x }])
        file.boxes = [JPEG2000File.color(17)]
        var codestream = try file.codestream
        let size = try #require(codestream.firstRange(of: Data([0xFF, 0x51])))
        // Tiles of one pixel.
        for offset in [size.lowerBound + 22, size.lowerBound + 26] {
            codestream.replaceSubrange(offset..<offset + 4, with: [0, 0, 0, 1])
        }
        var limits = DecodingLimits()
        limits.maxDecodeBytes = 100 << 20
        let error = #expect(throws: WebImageError.self) {
            try ImageJPEG2000Coder.shared.imageInfo(of: codestream, limits: limits)
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test func whatIsNotReadIsNotDamaged() throws {
        let component = JPEG2000File.Component { _, _ in 100 }
        var five = JPEG2000File(size: Self.size, components: Array(repeating: component, count: 5))
        five.boxes = [JPEG2000File.color(16)]
        var lab = JPEG2000File(size: Self.size, components: Array(repeating: component, count: 3))
        lab.boxes = [JPEG2000File.color(14)]
        for data in [try five.data, try lab.data] {
            let error = #expect(throws: WebImageError.self) { try Self.decode(data) }
            #expect(error?.code == .unsupportedFormat)
        }
    }

    private static func decode(_ data: Data) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        return try ImageJPEG2000Coder.shared.decode(data, options: options).pixels
    }
}

extension PixelBuffer {
    /// The numbers of a pixel as they are stored.
    fileprivate func samples(_ x: Int, _ y: Int) -> [Int] {
        withUnsafeBytes { bytes in
            let count = format.channelCount
            if format.bitsPerComponent == 16 {
                let row = bytes.baseAddress! + y * bytesPerRow
                return (0..<count).map { Int((row + (x * count + $0) * 2).loadUnaligned(as: UInt16.self)) }
            }
            return (0..<count).map { Int(bytes[y * bytesPerRow + x * count + $0]) }
        }
    }
}
