import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageGraphics
import WebImageJXL
import WebImageTestTraits
import WebImageTesting

/// AVIF files with a gain map, which this package joins from two files of libavif.
@Suite(.timeLimit(minutes: 5))
struct WrittenToneMapTests {
    private let coder = ImageAVIFCoder.shared

    private static let single = GainMapMetadata(
        channels: [.init(minimum: -0.25, maximum: 2.5, gamma: 1.25)], alternateHeadroom: 2.5)
    private static let triple = GainMapMetadata(
        channels: [.init(minimum: 0, maximum: 2), .init(minimum: -0.5, maximum: 1.5), .init(maximum: 3, gamma: 0.75)],
        alternateHeadroom: 3)

    private func picture(_ width: Int, _ height: Int) throws -> Image {
        let image = try Image.generated(width: width, height: height) { x, y in
            (UInt8(255 * x / (width - 1)), UInt8(255 * y / (height - 1)), UInt8(255 - 2 * x - 2 * y), 255)
        }
        return Image(pixels: image.pixels, hasAlpha: false)
    }

    private func map(_ metadata: GainMapMetadata, width: Int = 32, height: Int = 24) throws -> GainMap {
        let isGray = metadata.channels.count == 1
        return GainMap(
            metadata: metadata,
            pixels: try picture(width, height).pixels.converted(to: isGray ? .gray8 : .rgb8, isOpaque: true))
    }

    private func options(_ change: (inout EncodingOptions) -> Void = { _ in }) -> EncodingOptions {
        var options = EncodingOptions()
        (options.keepsHDR, options.lossless) = (true, true)
        change(&options)
        return options
    }

    private func decoding(_ range: DecodingOptions.DynamicRange, _ change: (inout DecodingOptions) -> Void = { _ in })
        -> DecodingOptions
    {
        var options = DecodingOptions()
        (options.pixelFormat, options.dynamicRange) = (.rgba8, range)
        change(&options)
        return options
    }

    private func bytes(_ pixels: PixelBuffer?) -> [UInt8] {
        guard let pixels else { return [] }
        let count = pixels.width * pixels.format.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { bytes[$0 * pixels.bytesPerRow..<$0 * pixels.bytesPerRow + count] }
        }
    }

    /// Lossless, so that each value is the same; and the base is that of a file without a map.
    @Test(arguments: [single, triple], [1, 3, 6, 8]) func writtenMapIsReadAgain(
        _ metadata: GainMapMetadata, _ orientation: Int
    ) throws {
        let image = try picture(64, 48)
        image.hdr = HDRDescription(gainMap: try map(metadata))
        let turn = try #require(ImageOrientation(rawValue: orientation))
        let file = try coder.encode(
            image, format: .avif,
            options: options { $0.metadata = Self.metadata(turn) })
        let described = try #require(try coder.imageInfo(of: file, limits: .default).hdr?.gainMap)
        #expect(described.size == PixelSize(width: 32, height: 24).oriented(turn))
        #expect(described.channelCount == metadata.channels.count)
        let read = try coder.decode(file, options: decoding(.keep))
        let found = try #require(read.hdr?.gainMap)
        for (one, other) in zip(found.metadata.channels, metadata.channels) {
            #expect(abs(one.minimum - other.minimum) < 1e-4 && abs(one.maximum - other.maximum) < 1e-4)
            #expect(abs(one.gamma - other.gamma) < 1e-4 && abs(one.baseOffset - other.baseOffset) < 1e-4)
        }
        #expect(abs(found.metadata.alternateHeadroom - metadata.alternateHeadroom) < 1e-4)
        #expect(bytes(found.pixels) == bytes(try image.hdr?.gainMap?.pixels?.oriented(turn)))
        image.hdr = nil
        let plain = try coder.encode(
            image, format: .avif,
            options: options { $0.metadata = Self.metadata(turn) })
        #expect(bytes(read.pixels) == bytes(try coder.decode(plain, options: decoding(.standard)).pixels))
        #expect(plain.count < file.count && plain.range(of: Data("tmap".utf8)) == nil)
        // The metadata of the base is an item of its own, which has moved.
        #expect(try exif(in: file) == exif(in: plain))
    }

    /// A description, which has another place in the file than the pictures.
    private static func metadata(_ orientation: ImageOrientation) -> EmbeddedMetadata {
        var metadata = EmbeddedMetadata(
            exif: Data([
                0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x0E, 0, 2, 0, 0, 0, 4, 0x61, 0x62, 0x63, 0, 0, 0, 0, 0,
            ]))
        metadata.orientation = orientation
        return metadata
    }

    private func exif(in file: Data) throws -> [Data] {
        try file.withUnsafeBytes { bytes in
            let items = try HEIFItems(bytes)
            var budget = 4096
            return try items.types.filter { $0.value == ["Exif"] }.keys.flatMap { number in
                try items.data(of: number, budget: &budget)
            }
        }
    }

    /// The map is scaled with the picture, and its lossy values are near.
    @Test func smallerFileHasASmallerMap() throws {
        let image = try picture(64, 48)
        image.hdr = HDRDescription(gainMap: try map(Self.single))
        let file = try coder.encode(
            image, format: .avif,
            options: options {
                ($0.lossless, $0.quality) = (false, 0.7)
                $0.maxPixelSize = PixelSize(width: 32, height: 32)
            })
        let read = try coder.decode(file, options: decoding(.keep))
        let found = try #require(read.hdr?.gainMap)
        #expect(read.pixelSize == PixelSize(width: 32, height: 24) && found.size == PixelSize(width: 16, height: 12))
        let wanted = try map(Self.single).resampled(
            from: PixelRegion(left: 0, top: 0, width: 64, height: 48), of: PixelSize(width: 64, height: 48),
            to: PixelSize(width: 32, height: 24))
        let worst = zip(bytes(found.pixels), bytes(wanted.pixels)).map { abs(Int($0) - Int($1)) }.max() ?? 255
        #expect(worst <= 6, "\(worst)")
    }

    /// A base of PQ keeps its values of 12 bits beside the map.
    @Test func baseOfPQKeepsItsMap() throws {
        let pixels = try picture(64, 48).pixels.converted(to: .rgba16, isOpaque: true)
        let image = Image(pixels: pixels, colorProfile: ColorProfile(primaries: 9, transfer: 16), hasAlpha: false)
        var metadata = Self.single
        (metadata.baseHeadroom, metadata.alternateHeadroom) = (2.5, 0)
        image.hdr = HDRDescription(gainMap: try map(metadata), transfer: .perceptualQuantizer, primaries: 9)
        let file = try coder.encode(image, format: .avif, options: options())
        let info = try coder.imageInfo(of: file, limits: .default)
        #expect(info.bitDepth == 12 && info.hdr?.transfer == .perceptualQuantizer)
        #expect(info.hdr?.gainMap?.metadata.isBaseHDR == true)
        let read = try coder.decode(file, options: decoding(.keep))
        #expect(bytes(read.hdr?.gainMap?.pixels) == bytes(image.hdr?.gainMap?.pixels))
    }

    /// The light level of PQ and HLG is a property of the picture, with and without metadata, alpha, turns and a map.
    @Test(arguments: [16, 18], [false, true]) func lightLevelIsWritten(_ transfer: Int, _ hasAlpha: Bool) throws {
        let light = ContentLightLevel(maximum: 1234, average: 321)
        let pixels = try picture(64, 48).pixels.converted(to: .rgba16, isOpaque: true)
        for (turn, hasMap) in [(ImageOrientation.up, false), (.right, false), (.leftMirrored, true), (.up, true)] {
            func file(_ light: ContentLightLevel?) throws -> Data {
                let profile = ColorProfile(primaries: 9, transfer: transfer, light: light)
                let image = Image(pixels: pixels, colorProfile: profile, hasAlpha: hasAlpha)
                image.hdr = profile?.hdr
                if hasMap {
                    var metadata = Self.single
                    (metadata.baseHeadroom, metadata.alternateHeadroom) = (2.5, 0)
                    image.hdr?.gainMap = try map(metadata)
                }
                return try coder.encode(
                    image, format: .avif, options: options { $0.metadata = Self.metadata(turn) })
            }
            let (with, without) = (try file(light), try file(nil))
            let label = Comment(rawValue: "\(turn) \(hasMap)")
            let info = try coder.imageInfo(of: with, limits: .default)
            #expect(info.hdr?.contentLight == light && info.orientation == turn, label)
            #expect((info.hdr?.gainMap != nil) == (hasMap && !hasAlpha), label)
            #expect(try coder.imageInfo(of: without, limits: .default).hdr?.contentLight == nil, label)
            #expect(without.range(of: Data("clli".utf8)) == nil && with.count == without.count + 13, label)
            let (one, other) = (
                try coder.decode(with, options: decoding(.keep)), try coder.decode(without, options: decoding(.keep))
            )
            #expect(bytes(one.pixels) == bytes(other.pixels), label)
            #expect(bytes(one.hdr?.gainMap?.pixels) == bytes(other.hdr?.gainMap?.pixels), label)
            #expect(one.hdr?.contentLight == light, label)
            #expect(try exif(in: with) == exif(in: without), label)
        }
    }

    /// Factors for the channels of the alternate picture: the file declares its primaries, and JPEG XL, which does not, has a
    /// map only if they are those of the base.
    @Test(arguments: [1, 9, 12]) func coloursOfTheAlternatePictureAreWritten(_ primaries: Int) throws {
        let image = try picture(64, 48)
        var metadata = Self.triple
        metadata.usesBaseColorSpace = false
        var gains = try map(metadata)
        // sRGB has no profile of its own.
        gains.alternateProfile =
            ColorProfile(primaries: primaries, transfer: 16) ?? ColorProfile(primaries: primaries, transfer: 8)
        image.hdr = HDRDescription(gainMap: gains)
        let read = try coder.decode(
            try coder.encode(image, format: .avif, options: options()), options: decoding(.keep))
        let found = try #require(read.hdr?.gainMap)
        #expect(!found.metadata.usesBaseColorSpace)
        let (one, other) = try (
            gains.applied(to: image.pixels.converted(to: .rgba8), profile: nil, headroom: 8),
            found.applied(to: image.pixels.converted(to: .rgba8), profile: nil, headroom: 8)
        )
        #expect(bytes(one.pixels) == bytes(other.pixels))
        let jxl = try ImageJPEGXLCoder.shared.encode(image, format: .jpegXL, options: options())
        let map = try ImageJPEGXLCoder.shared.decode(jxl, options: decoding(.keep)).hdr?.gainMap
        #expect((map != nil) == (primaries == 1) && map?.metadata.usesBaseColorSpace != false)
    }

    /// A transparent picture has no map: the factors do not belong to the background.
    @Test func transparentPictureHasNoMap() throws {
        let image = Image(pixels: try picture(64, 48).pixels, hasAlpha: true)
        image.hdr = HDRDescription(gainMap: try map(Self.single))
        let file = try coder.encode(image, format: .avif, options: options())
        #expect(try coder.imageInfo(of: file, limits: .default).hdr == nil)
    }
}
