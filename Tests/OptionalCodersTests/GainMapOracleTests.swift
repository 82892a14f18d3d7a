import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Applied gain maps are those of libavif 1.4 and of libultrahdr 1.4, by the ΔE(ITP) of ITU-R BT.2124. `Scripts/audit gain-maps`
/// installs both and runs these tests.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_GAIN_MAPS"] != nil, "run by Scripts/audit gain-maps"),
    .timeLimit(minutes: 20))
struct GainMapOracleTests {
    private let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["WEBIMAGE_GAIN_MAPS"] ?? "/tmp")

    private static let single = GainMapMetadata(
        channels: [.init(minimum: -0.25, maximum: 2.5, gamma: 1.25)], alternateHeadroom: 2.5)
    private static let triple = GainMapMetadata(
        channels: [
            .init(minimum: 0, maximum: 2), .init(minimum: -0.5, maximum: 1.5, gamma: 1.25, baseOffset: 0.02),
            .init(minimum: 0, maximum: 3, gamma: 0.75, alternateOffset: 0.03),
        ], baseHeadroom: 0, alternateHeadroom: 3)

    /// The metadata with base and alternate picture exchanged.
    private static func exchanged(_ metadata: GainMapMetadata) -> GainMapMetadata {
        var other = metadata
        (other.baseHeadroom, other.alternateHeadroom) = (metadata.alternateHeadroom, metadata.baseHeadroom)
        return other
    }

    private func map(isGray: Bool, width: Int = 64, height: Int = 48) throws -> Image {
        try Image.generated(width: width, height: height) { x, y in
            let (red, green, blue) = (
                UInt8(255 * x / (width - 1)), UInt8(255 * y / (height - 1)), UInt8((3 * x + 2 * y) % 256)
            )
            return isGray ? (red, red, red, 255) : (blue, green, red, 255)
        }
    }

    /// A base in HLG. It is grey: libavif applies the system gamma to each channel, and ITU-R BT.2100 to the luminance.
    private func grayHLG() throws -> Image {
        let pixels = try PixelBuffer(width: 64, height: 48, format: .rgba16)
        pixels.withUnsafeMutableBytes { bytes in
            let values = bytes.bindMemory(to: UInt16.self)
            for y in 0..<48 {
                for x in 0..<64 {
                    let value = UInt16(65535 * (48 * x + y) / 3071)
                    let start = y * pixels.bytesPerRow / 2 + 4 * x
                    for channel in 0..<4 { values[start + channel] = channel < 3 ? value : 65535 }
                }
            }
        }
        return Image(pixels: pixels, colorProfile: ColorProfile(primaries: 9, transfer: 18), hasAlpha: false)
    }

    private func base() throws -> Image {
        let image = try Image.generated(width: 64, height: 48) { x, y in
            (UInt8(4 * x), UInt8(5 * y), UInt8(255 - 2 * x - 2 * y), 255)
        }
        return Image(pixels: image.pixels, hasAlpha: false)
    }

    private func coded(_ image: Image) throws -> HEIFBytes.Coded {
        var options = EncodingOptions()
        (options.lossless, options.keepsHDR) = (true, true)
        let file = try ImageAVIFCoder.shared.encode(image, format: .avif, options: options)
        return try #require(HEIFBytes.coded(in: file, .av1))
    }

    /// - Parameter mapScale: How often the sides of the map fit into those of the base.
    private func avif(
        _ metadata: GainMapMetadata, isGray: Bool, mapScale: Int = 1, map given: Image? = nil
    ) throws -> Data {
        let gains = try given ?? self.map(isGray: isGray, width: 64 / mapScale, height: 48 / mapScale)
        var picture = try base()
        if metadata.isBaseHDR {
            // The same bytes as values of PQ, up to about 1,500 nits.
            let deep = try picture.pixels.converted(to: .rgba16, isOpaque: true)
            deep.withUnsafeMutableBytes { bytes in
                let values = bytes.bindMemory(to: UInt16.self)
                for index in values.indices { values[index] = UInt16(Double(values[index]) * 0.8) }
            }
            picture = Image(pixels: deep, colorProfile: ColorProfile(primaries: 9, transfer: 16), hasAlpha: false)
        }
        var sample = ToneMapSample(
            .av1, base: try coded(picture),
            map: try coded(gains), sizes: ((64, 48), (gains.pixels.width, gains.pixels.height)),
            metadata: metadata.isoPayload)
        sample.baseColors = metadata.isBaseHDR ? (9, 16, 0) : (1, 13, 0)
        sample.alternateColors = metadata.isBaseHDR ? (1, 13, 0) : (9, 16, 0)
        return sample.file
    }

    private func oracle(_ file: Data, _ name: String, stops: Double) throws -> [Float] {
        try oracle(file, name, stops: String(stops))
    }

    private func oracle(_ file: Data, _ name: String, stops: String) throws -> [Float] {
        let path = folder.appendingPathComponent(name)
        try file.write(to: path)
        let process = Process()
        process.executableURL = folder.appendingPathComponent("oracle")
        process.arguments = [path.path, stops]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(name)")
        return bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }

    private func light(_ pixels: PixelBuffer) -> [Float] {
        pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { y in
                (0..<pixels.width).flatMap { x in
                    (0..<3).map { channel -> Float in
                        let place = y * pixels.bytesPerRow + 8 * x + 2 * channel
                        return Float(Float16(bitPattern: bytes.load(fromByteOffset: place, as: UInt16.self)))
                    }
                }
            }
        }
    }

    /// The differences of all pixels, least first.
    private func differences(_ one: [Float], _ other: [Float], isWide: Bool) -> [Double] {
        func coordinates(_ light: ArraySlice<Float>) -> [Double] {
            let rows = [
                [0.627404, 0.329282, 0.043314], [0.069097, 0.919541, 0.011361], [0.016391, 0.088013, 0.895595],
            ]
            let own: [Double] = light.map { max(Double($0), 0) * 203 }
            let wide: [Double] = rows.map { row in zip(row, own).reduce(0) { $0 + $1.0 * $1.1 } }
            let rgb: [Double] = isWide ? own : wide
            let cones = [[1688.0, 2146, 262], [683, 2951, 462], [99, 309, 3688]].map { row -> Double in
                let nits: Double = zip(row, rgb).reduce(0) { $0 + $1.0 * $1.1 } / 4096
                let power: Double = pow(min(max(nits, 0), 10_000) / 10_000, 2610.0 / 16384)
                let above: Double = 3424.0 / 4096 + 2413.0 / 128 * power
                let below: Double = 1 + 2392.0 / 128 * power
                return pow(above / below, 2523.0 / 32)
            }
            let intensity: Double = (cones[0] + cones[1]) / 2
            let blue: Double = (6610 * cones[0] - 13613 * cones[1] + 7003 * cones[2]) / 8192
            let red: Double = (17933 * cones[0] - 17390 * cones[1] - 543 * cones[2]) / 4096
            return [intensity, blue, red]
        }
        return stride(from: 0, to: one.count, by: 3).map { start in
            let pairs = zip(coordinates(one[start..<start + 3]), coordinates(other[start..<start + 3]))
            let sum: Double = pairs.reduce(0) { sum, pair in sum + (pair.0 - pair.1) * (pair.0 - pair.1) }
            return 720 * sum.squareRoot()
        }.sorted()
    }

    private func decode(_ file: Data, by coder: any ImageCoder, stops: Double) throws -> [Float] {
        var options = DecodingOptions()
        options.dynamicRange = .high(headroom: exp2(stops))
        return light(try coder.decode(file, options: options).pixels)
    }

    /// The bound of the product: ΔE(ITP) of at most 0.05 in the mean, and of at most 0.5 in each pixel.
    private func expectClose(_ own: [Float], _ other: [Float], isWide: Bool, _ label: String) throws {
        try #require(own.count == other.count && own.count == 64 * 48 * 3)
        let all = differences(own, other, isWide: isWide)
        let mean = all.reduce(0, +) / Double(all.count)
        print("\(label): mean \(mean), max \(all.last ?? 0)")
        let most: Double = all.last ?? 9
        #expect(mean <= 0.05 && most <= 0.5, "\(label)")
    }

    /// One and three channels, a base of each range, factors for the channels of the base and of the alternate picture,
    /// headrooms from 1 to 8.
    @Test(arguments: [false, true], [false, true]) func libavifAgrees(_ isGray: Bool, _ isHigh: Bool) throws {
        for usesBase in [true, false] {
            var metadata = isGray ? Self.single : Self.triple
            if isHigh { metadata = Self.exchanged(metadata) }
            metadata.usesBaseColorSpace = usesBase
            let file = try avif(metadata, isGray: isGray)
            for stops in [0, 0.65, 1.3, 2, 3] {
                let label = "libavif gray \(isGray) high base \(isHigh) base colours \(usesBase) stops \(stops)"
                let own = try decode(file, by: ImageAVIFCoder.shared, stops: stops)
                let other = try oracle(file, "map-\(isGray)-\(isHigh)-\(usesBase).avif", stops: stops)
                try expectClose(own, other, isWide: isHigh == usesBase, label)
            }
        }
    }

    @Test func libavifAgreesOnGrayHLG() throws {
        let metadata = Self.exchanged(Self.single)
        var sample = ToneMapSample(
            .av1, base: try coded(grayHLG()), map: try coded(map(isGray: true)), sizes: ((64, 48), (64, 48)),
            metadata: metadata.isoPayload)
        (sample.baseColors, sample.alternateColors) = ((9, 18, 0), (1, 13, 0))
        for stops in [0, 0.65, 1.3, 2, 3] {
            let own = try decode(sample.file, by: ImageAVIFCoder.shared, stops: stops)
            try expectClose(
                own, try oracle(sample.file, "map-hlg.avif", stops: stops), isWide: true, "libavif HLG stops \(stops)")
        }
    }

    /// The light of a base in HLG and in colour, by the package colour-science, which applies the system gamma to the luminance.
    @Test func lightOfColouredHLGIsThatOfAnotherProgram() throws {
        let pixels = try base().pixels.converted(to: .rgba16, isOpaque: true)
        let image = Image(pixels: pixels, colorProfile: ColorProfile(primaries: 9, transfer: 18), hasAlpha: false)
        let metadata = Self.exchanged(Self.single)
        var sample = ToneMapSample(
            .av1, base: try coded(image), map: try coded(map(isGray: true)), sizes: ((64, 48), (64, 48)),
            metadata: metadata.isoPayload)
        (sample.baseColors, sample.alternateColors) = ((9, 18, 0), (1, 13, 0))
        let other = try oracle(sample.file, "colour-hlg.avif", stops: "hlg")
        // The headroom of the base, so that the map has the weight 0.
        let own = try decode(sample.file, by: ImageAVIFCoder.shared, stops: metadata.baseHeadroom)
        try expectClose(own, other, isWide: true, "colour-science HLG")
    }

    /// Files that this package has written. The boxes that turn a picture also turn its map: the pixels of libavif, turned by
    /// another program as the boxes say, are those of this package.
    @Test(arguments: [false, true], 1...8) func libavifReadsWrittenMaps(_ isGray: Bool, _ orientation: Int) throws {
        let image = try base()
        let gains = try map(isGray: isGray).pixels.converted(to: isGray ? .gray8 : .rgb8, isOpaque: true)
        image.hdr = HDRDescription(gainMap: GainMap(metadata: isGray ? Self.single : Self.triple, pixels: gains))
        var options = EncodingOptions()
        (options.keepsHDR, options.lossless) = (true, true)
        options.metadata.orientation = try #require(ImageOrientation(rawValue: orientation))
        let file = try ImageAVIFCoder.shared.encode(image, format: .avif, options: options)
        for stops in [0, 1.3, 3] {
            let other = try oracle(file, "written-\(isGray)-\(orientation).avif", stops: stops)
            let own = try decode(file, by: ImageAVIFCoder.shared, stops: stops)
            try expectClose(
                own, other, isWide: false, "libavif written gray \(isGray) orientation \(orientation) stops \(stops)")
        }
    }

    /// The light level of a written PQ file, also beside a gain map.
    @Test(arguments: [false, true]) func libavifReadsTheWrittenLightLevel(_ hasMap: Bool) throws {
        let pixels = try base().pixels.converted(to: .rgba16, isOpaque: true)
        let profile = ColorProfile(
            primaries: 9, transfer: 16, light: ContentLightLevel(maximum: 1234, average: 321))
        let image = Image(pixels: pixels, colorProfile: profile, hasAlpha: false)
        image.hdr = profile?.hdr
        if hasMap {
            let gains = try map(isGray: true).pixels.converted(to: .gray8, isOpaque: true)
            image.hdr?.gainMap = GainMap(metadata: Self.exchanged(Self.single), pixels: gains)
        }
        var options = EncodingOptions()
        (options.keepsHDR, options.metadata.orientation) = (true, .right)
        let file = try ImageAVIFCoder.shared.encode(image, format: .avif, options: options)
        #expect(try oracle(file, "light-\(hasMap).avif", stops: "light") == [1234, 321])
    }

    /// A map of half of the sides: libyuv, which libavif calls, has a loop for this size with the centres at their places.
    @Test func smallerMapOfLibavifAgrees() throws {
        for stops in [0.65, 1.3, 2, 3] {
            let file = try avif(Self.single, isGray: true, mapScale: 2)
            let own = try decode(file, by: ImageAVIFCoder.shared, stops: stops)
            try expectClose(
                own, try oracle(file, "map-half.avif", stops: stops), isWide: false, "libavif map 1/2 stops \(stops)")
        }
    }

    /// A map of a quarter of the sides: libyuv puts the first and the last value on the edge pixels of the base, and not at
    /// the centres of their areas. With a map that is enlarged so before, both programs agree.
    @Test func libavifPutsTheEdgesOfASmallMapOnEdgePixels() throws {
        let small = try map(isGray: true, width: 16, height: 12)
        let enlarged = try Image.generated(width: 64, height: 48) { x, y in
            let (across, down) = (Double(x) * 15 / 63, Double(y) * 11 / 47)
            let (left, top) = (min(Int(across), 14), min(Int(down), 10))
            func value(_ x: Int, _ y: Int) -> Double {
                small.pixels.withUnsafeBytes { Double($0[y * small.pixels.bytesPerRow + 4 * x]) }
            }
            func row(_ y: Int) -> Double {
                value(left, y) + (value(left + 1, y) - value(left, y)) * (across - Double(left))
            }
            let result = UInt8((row(top) + (row(top + 1) - row(top)) * (down - Double(top))).rounded())
            return (result, result, result, 255)
        }
        let other = try oracle(try avif(Self.single, isGray: true, mapScale: 4), "map-quarter.avif", stops: 2)
        let file = try avif(Self.single, isGray: true, map: enlarged)
        let own = try decode(file, by: ImageAVIFCoder.shared, stops: 2)
        let all = differences(own, other, isWide: false)
        let mean = all.reduce(0, +) / Double(all.count)
        print("libavif map 1/4, enlarged: mean \(mean), max \(all.last ?? 0)")
        // The values of the enlarged map are whole numbers. With the map at its place, the mean is 1.37 and the maximum 4.7.
        let most: Double = all.last ?? 9
        #expect(mean <= 0.1 && most <= 1)
    }

    /// libultrahdr samples maps of another size than the base in its own way, so the map has the size of the base. Its
    /// conversion to floating point has steps that are seen in a few pixels.
    @Test(arguments: [1.0, 2, 3]) func libultrahdrAgrees(_ stops: Double) throws {
        var options = EncodingOptions()
        (options.keepsHDR, options.quality) = (true, 1)
        let image = try base()
        let gains = try map(isGray: true).pixels.converted(to: .gray8, isOpaque: true)
        image.hdr = HDRDescription(
            gainMap: GainMap(
                metadata: GainMapMetadata(channels: [.init(minimum: 0, maximum: 3)], alternateHeadroom: 3),
                pixels: gains))
        let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: options)
        let own = try decode(file, by: ImageJPEGCoder.shared, stops: stops)
        let other = try oracle(file, "map.jpg", stops: stops)
        try #require(own.count == other.count)
        let all = differences(own, other, isWide: false)
        print(
            "libultrahdr stops \(stops): mean \(all.reduce(0, +) / Double(all.count)), p99 \(all[all.count * 99 / 100])"
        )
        #expect(all[all.count * 99 / 100] <= 1)
    }
}
