import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageGraphics
import WebImageJXL
import WebImageTestTraits
import WebImageTesting

/// Other programs read the written files: the gain map of a JPEG, and the base picture of each format.
/// `Scripts/audit gain-maps` installs the programs and runs these tests.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["WEBIMAGE_GAIN_MAPS"] != nil, "run by Scripts/audit gain-maps"),
    .timeLimit(minutes: 20))
struct HighRangeReaderTests {
    private let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["WEBIMAGE_GAIN_MAPS"] ?? "/tmp")

    private func read(_ part: String, _ file: Data, _ name: String) throws -> Data {
        let path = folder.appendingPathComponent(name)
        try file.write(to: path)
        let process = Process()
        process.executableURL = folder.appendingPathComponent("readers")
        process.arguments = [part, path.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(name)")
        return bytes
    }

    // MARK: Gain maps

    private struct Maps: Decodable {
        struct Forms: Decodable {
            let mpf: Bool, xmp: Bool
            let iso: [Int]
        }
        struct Place: Decodable {
            let place: Int, length: Int
            let container: Int?
            let ends: Bool
        }
        struct Numbers: Decodable {
            let maximum: [Double], minimum: [Double], gamma: [Double], headroom: [Double]
            let size: [Int]
        }
        struct Light: Decodable {
            let size: [Int]?
            let peak: Double?
            let error: String?
        }
        let primary: Forms, map: Forms
        let file: Place
        let exiftool: Numbers, libvips: Numbers
        let libultrahdr: Light
    }

    private func picture(width: Int = 64, height: Int = 48) throws -> Image {
        let image = try Image.generated(width: width, height: height) { x, y in
            (UInt8(255 * x / (width - 1)), UInt8(255 * y / (height - 1)), UInt8(255 - 2 * x - 2 * y), 255)
        }
        return Image(pixels: image.pixels, hasAlpha: false)
    }

    private static let metadata = [
        GainMapMetadata(channels: [.init(minimum: -0.25, maximum: 2.5, gamma: 1.25)], alternateHeadroom: 2.5),
        GainMapMetadata(
            channels: [
                .init(minimum: 0, maximum: 2), .init(minimum: -0.5, maximum: 1.5), .init(maximum: 3, gamma: 0.75),
            ],
            alternateHeadroom: 3),
    ]

    @Test(arguments: metadata) func mapOfAWrittenJPEGIsFoundByEachReader(_ metadata: GainMapMetadata) throws {
        let (image, isGray) = (try picture(), metadata.channels.count == 1)
        let gains = try picture(width: 32, height: 24).pixels.converted(to: isGray ? .gray8 : .rgb8, isOpaque: true)
        image.hdr = HDRDescription(gainMap: GainMap(metadata: metadata, pixels: gains))
        var options = EncodingOptions()
        (options.keepsHDR, options.quality) = (true, 0.95)
        // EXIF with an orientation stands before the segments of the map.
        options.metadata = EmbeddedMetadata(
            exif: Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]))
        let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: options)
        let seen = try JSONDecoder().decode(
            Maps.self, from: read("maps", file, "written-\(metadata.channels.count).jpg"))
        #expect(seen.primary.mpf && seen.primary.xmp && seen.primary.iso == [4])
        #expect(!seen.map.mpf && seen.map.xmp && seen.map.iso == [isGray ? 61 : 141])
        #expect(seen.file.ends && seen.file.container == seen.file.length)
        func isClose(_ values: [Double], _ wanted: KeyPath<GainMapMetadata.Channel, Double>) -> Bool {
            let all = metadata.channels.map { $0[keyPath: wanted] }
            // A reader can repeat the number of the only channel.
            return (values.count == 3 || values.count == all.count)
                && values.indices.allSatisfy { abs(values[$0] - all[all.count == 1 ? 0 : $0]) < 1e-4 }
        }
        for (reader, numbers) in [("exiftool", seen.exiftool), ("libvips", seen.libvips)] {
            #expect(numbers.size == [32, 24], "\(reader)")
            #expect(isClose(numbers.maximum, \.maximum) && isClose(numbers.minimum, \.minimum), "\(reader)")
            #expect(isClose(numbers.gamma, \.gamma), "\(reader)")
            #expect(numbers.headroom.allSatisfy { abs($0 - metadata.alternateHeadroom) < 1e-4 }, "\(reader)")
        }
        #expect(seen.libultrahdr.error == nil && seen.libultrahdr.size == [64, 48])
        #expect(try #require(seen.libultrahdr.peak) > 2)
    }

    private struct Box: Decodable {
        let version: Int, iccBytes: Int
        let hasColors: Bool
        let metadata: Data
        let map: Base
    }

    /// Another program takes the box apart, and libjxl 0.11 decodes its codestream: the same metadata and values.
    @Test(arguments: metadata, [true, false]) func boxOfAMapIsRead(
        _ metadata: GainMapMetadata, _ isLossless: Bool
    ) throws {
        let (image, isGray) = (try picture(), metadata.channels.count == 1)
        let gains = try picture(width: 32, height: 24).pixels.converted(to: isGray ? .gray8 : .rgb8, isOpaque: true)
        image.hdr = HDRDescription(gainMap: GainMap(metadata: metadata, pixels: gains))
        var options = EncodingOptions()
        (options.keepsHDR, options.lossless, options.quality) = (true, isLossless, 0.9)
        let file = try ImageJPEGXLCoder.shared.encode(image, format: .jpegXL, options: options)
        let box = try JSONDecoder().decode(Box.self, from: read("jhgm", file, "written-\(isGray).jxl"))
        #expect(box.version == 0 && !box.hasColors && box.iccBytes == 0 && box.metadata == metadata.isoPayload)
        try #require(box.map.width == 32 && box.map.height == 24)
        // The coding changes the values of a lossy map: those of this package's decoder are the measure.
        var decoding = DecodingOptions()
        decoding.dynamicRange = .keep
        let own = try ImageJPEGXLCoder.shared.decode(file, options: decoding).hdr?.gainMap?.pixels
        let wanted = try (isLossless ? gains : try #require(own)).converted(to: .rgb8, isOpaque: true)
        var worst = 0
        wanted.withUnsafeBytes { bytes in
            for y in 0..<24 {
                for x in 0..<96 {
                    worst = max(worst, abs(Int(bytes[y * wanted.bytesPerRow + x]) - Int(box.map.pixels[96 * y + x])))
                }
            }
        }
        print("libjxl map gray \(isGray) lossless \(isLossless): at most \(worst) levels")
        #expect(worst <= (isLossless ? 0 : 1))
    }

    // MARK: Bases

    private struct Base: Decodable {
        let width: Int, height: Int
        let pixels: Data
    }

    private static func suffix(_ format: ImageFormat) -> String {
        switch format {
        case .jpeg: "jpg"
        case .jpegXL: "jxl"
        case .avif: "avif"
        case .png: "png"
        default: "webp"
        }
    }

    /// The base by each program, and by this package: the stored values, without a conversion of colours.
    private func expectSameBase(
        _ file: Data, _ format: ImageFormat, _ coder: any ImageCoder, _ name: String, by part: String = "base"
    ) throws {
        let bases = try JSONDecoder().decode(
            [String: Base].self, from: read(part, file, name + "." + Self.suffix(format)))
        var options = DecodingOptions()
        (options.pixelFormat, options.dynamicRange, options.colorConversion) = (.rgba8, .keep, .asStored)
        let own = try coder.decode(file, options: options).pixels.converted(to: .rgb8, isOpaque: true)
        for (program, base) in bases.sorted(by: { $0.key < $1.key }) {
            try #require(base.width == own.width && base.height == own.height, "\(name) \(program)")
            var worst = 0
            own.withUnsafeBytes { bytes in
                for y in 0..<own.height {
                    for x in 0..<3 * own.width {
                        let other = base.pixels[base.pixels.startIndex + 3 * own.width * y + x]
                        worst = max(worst, abs(Int(bytes[y * own.bytesPerRow + x]) - Int(other)))
                    }
                }
            }
            print("\(name) \(Self.suffix(format)) \(program): at most \(worst) levels")
            #expect(worst <= 4, "\(name) \(format) \(program)")
        }
        // ffmpeg can be missing.
        #expect(bases.count >= (format == .jpegXL ? 1 : part == "turned" ? 2 : 3), "\(name): \(bases.keys)")
    }

    /// Each cell of the table in the guide.
    @Test(arguments: HighRangeTableTests.Kind.allCases) func baseIsTheSameInEachProgram(
        _ kind: HighRangeTableTests.Kind
    ) throws {
        for (format, coder) in HighRangeTableTests.outputs {
            let file = try HighRangeTableTests.result(kind, .full, format).1
            try expectSameBase(file, format, coder, "table-\(kind)")
        }
    }

    /// A file with a gain map that declares an orientation is turned by each program as by this package.
    @Test(arguments: 2...8) func turnedBaseIsTheSameInEachProgram(_ orientation: Int) throws {
        let image = try picture()
        image.hdr = HDRDescription(
            gainMap: GainMap(
                metadata: Self.metadata[0],
                pixels: try picture(width: 32, height: 24).pixels.converted(to: .gray8, isOpaque: true)))
        for (format, coder) in HighRangeTableTests.outputs where [.avif, .jpeg].contains(format) {
            var options = EncodingOptions()
            (options.keepsHDR, options.quality) = (true, 0.95)
            options.metadata.orientation = try #require(ImageOrientation(rawValue: orientation))
            let file = try coder.encode(image, format: format, options: options)
            #expect(try coder.imageInfo(of: file, limits: .default).orientation.rawValue == orientation)
            try expectSameBase(file, format, coder, "turned-\(orientation)", by: "turned")
        }
    }

    /// The pictures of the table are grey. Here a wrong matrix or order of the channels is seen.
    @Test(arguments: [false, true]) func baseInColourIsTheSameInEachProgram(_ isHigh: Bool) throws {
        var image = try picture()
        if isHigh {
            image = Image(
                pixels: try image.pixels.converted(to: .rgba16, isOpaque: true),
                colorProfile: ColorProfile(primaries: 9, transfer: 16), hasAlpha: false)
        } else {
            image.hdr = HDRDescription(
                gainMap: GainMap(
                    metadata: Self.metadata[0],
                    pixels: try picture(width: 32, height: 24).pixels.converted(to: .gray8, isOpaque: true)))
        }
        var options = EncodingOptions()
        (options.keepsHDR, options.quality) = (true, 0.95)
        for (format, coder) in HighRangeTableTests.outputs {
            // Lossy WebP stores chroma with half of the sides, which ffmpeg enlarges in its own way: by up to 8 levels.
            options.lossless = format == .webP
            let file = try coder.encode(image, format: format, options: options)
            try expectSameBase(file, format, coder, "colour-\(isHigh)")
        }
    }
}
