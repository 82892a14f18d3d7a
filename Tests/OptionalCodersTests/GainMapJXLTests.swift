import Foundation
import Testing
import WebImage
import WebImageGraphics
import WebImageTestTraits
import WebImageTesting

@testable import WebImageJXL

/// The box `jhgm` of JPEG XL, read and written.
@Suite(.timeLimit(minutes: 5))
struct GainMapJXLTests {
    private static let metadata = GainMapMetadata(
        channels: [.init(minimum: -0.5, maximum: 2, gamma: 1.25)], alternateHeadroom: 2)
    private let coder = ImageJPEGXLCoder.shared

    private func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    private func codestream(_ image: Image) throws -> [UInt8] {
        var options = EncodingOptions()
        options.lossless = true
        return Array(try coder.encode(image, format: .jpegXL, options: options))
    }

    private func base() throws -> Image {
        try Image.generated(width: 64, height: 48) { x, y in (UInt8(4 * x), UInt8(5 * y), 90, 255) }
    }

    private func map() throws -> PixelBuffer {
        let pixels = try PixelBuffer(width: 16, height: 12, format: .gray8)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<12 { for x in 0..<16 { bytes[y * pixels.bytesPerRow + x] = UInt8(15 * x + y) } }
        }
        return pixels
    }

    /// The parts of a box, each of which can be replaced.
    private struct Bundle {
        var version: [UInt8] = [0]
        var metadata: [UInt8] = Array(GainMapJXLTests.metadata.isoPayload)
        var declaredMetadata: Int?
        var color: [UInt8] = []
        var profileCount = 0
        var profile: [UInt8] = []
        var map: [UInt8] = []
    }

    private func file(_ bundle: Bundle, before: Bool = false) throws -> Data {
        var content = bundle.version + big(bundle.declaredMetadata ?? bundle.metadata.count, 2) + bundle.metadata
        content += [UInt8(bundle.color.count)] + bundle.color + big(bundle.profileCount, 4) + bundle.profile
        let map = box("jhgm", content + bundle.map)
        let picture = box("jxlc", try codestream(base()))
        let head = box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
        return Data(head + (before ? map + picture : picture + map))
    }

    private func bundle() throws -> Bundle {
        var bundle = Bundle()
        bundle.map = try codestream(Image(pixels: try map()))
        return bundle
    }

    private func decode(_ data: Data, _ range: DecodingOptions.DynamicRange = .keep) throws -> Image {
        var options = DecodingOptions()
        (options.pixelFormat, options.dynamicRange) = (.rgba8, range)
        return try coder.decode(data, options: options)
    }

    private func bytes(_ pixels: PixelBuffer?) -> [UInt8] {
        guard let pixels else { return [] }
        let count = pixels.width * pixels.format.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { bytes[$0 * pixels.bytesPerRow..<$0 * pixels.bytesPerRow + count] }
        }
    }

    @Test(arguments: [false, true]) func mapIsReadWhereverItsBoxIs(_ isFirst: Bool) throws {
        let file = try file(try bundle(), before: isFirst)
        let described = try #require(try coder.imageInfo(of: file, limits: .default).hdr?.gainMap)
        #expect(described.size == PixelSize(width: 16, height: 12) && described.channelCount == 1)
        let plain = try decode(file, .standard)
        #expect(plain.hdr == nil)
        let kept = try decode(file)
        #expect(bytes(kept.hdr?.gainMap?.pixels) == bytes(try map()) && bytes(kept.pixels) == bytes(plain.pixels))
        #expect(kept.hdr?.gainMap?.metadata.channels.first?.gamma == 1.25)
        let high = try decode(file, .high(headroom: 3))
        let applied = try #require(kept.hdr?.gainMap).applied(to: plain.pixels, profile: nil, headroom: 3)
        #expect(bytes(high.pixels) == bytes(applied.pixels))
    }

    /// The values of a lossless file are those of the map, in both forms of a file that libjxl writes.
    @Test(arguments: [true, false]) func writtenMapIsReadAgain(_ isLossless: Bool) throws {
        let image = try base()
        var gains = GainMap(metadata: Self.metadata, pixels: try map())
        // The colours of the alternate picture are not written.
        gains.metadata.usesBaseColorSpace = true
        image.hdr = HDRDescription(gainMap: gains)
        var options = EncodingOptions()
        (options.lossless, options.keepsHDR, options.quality) = (isLossless, true, 0.8)
        let file = try coder.encode(image, format: .jpegXL, options: options)
        let again = try decode(file)
        let map = try #require(again.hdr?.gainMap)
        #expect(map.metadata == gains.metadata)
        let differences = zip(bytes(map.pixels), bytes(gains.pixels)).map { abs(Int($0) - Int($1)) }
        #expect(differences.count == 192 && differences.max() ?? 255 <= (isLossless ? 0 : 6))
        // The map of a smaller picture is smaller.
        options.maxPixelSize = PixelSize(width: 32, height: 32)
        let small = try decode(try coder.encode(image, format: .jpegXL, options: options))
        #expect(small.pixelSize.width == 32 && small.hdr?.gainMap?.size == PixelSize(width: 8, height: 6))
        // Without the option, there is none.
        options.keepsHDR = false
        #expect(try decode(try coder.encode(image, format: .jpegXL, options: options)).hdr == nil)
        // A container of libjxl has room for the box as well.
        let boxed = try gains.added(to: try self.file(Bundle()), codestream: Data(try bundle().map))
        #expect(try decode(boxed).hdr?.gainMap?.size == PixelSize(width: 16, height: 12))
    }

    @Test func damagedBoxLeavesTheBase() throws {
        let whole = try bundle()
        let plain = bytes(try decode(file(whole), .standard).pixels)
        func expectBase(_ label: String, _ change: (inout Bundle) -> Void) throws {
            var other = whole
            change(&other)
            let data = try file(other)
            let image = try decode(data)
            #expect(image.hdr == nil && bytes(image.pixels) == plain, "\(label)")
            // The header of a map that was cut is there.
            guard !label.hasSuffix("bytes") else { return }
            #expect(try coder.imageInfo(of: data, limits: .default).hdr == nil, "\(label)")
        }
        try expectBase("version") { $0.version = [1] }
        // The first denominator.
        try expectBase("metadata") { $0.metadata.replaceSubrange(9..<13, with: [0, 0, 0, 0]) }
        try expectBase("long metadata") { $0.declaredMetadata = 65_535 }
        try expectBase("profile") { $0.profileCount = 1 << 31 }
        try expectBase("no codestream") { $0.map = [] }
        try expectBase("nested file") { $0.map = [0, 0, 0, 12] + $0.map }
        for count in [1, 2, 3, 5, 10] { try expectBase("\(count) bytes") { $0.map = Array($0.map.prefix(count)) } }
        // The factors belong to colours that are not known.
        var other = Self.metadata
        other.usesBaseColorSpace = false
        try expectBase("colours") { ($0.metadata, $0.color) = (Array(other.isoPayload), [1, 2, 3]) }
        // The same colours for factors of the base are passed over.
        var known = whole
        known.color = [1, 2, 3]
        #expect(try decode(file(known)).hdr?.gainMap != nil)
        // A map that exceeds the limits.
        var options = DecodingOptions()
        (options.dynamicRange, options.limits.maxPixels) = (.keep, 64 * 48)
        var large = whole
        large.map = try codestream(try Image.generated(width: 80, height: 80))
        #expect(try coder.decode(try file(large), options: options).hdr == nil)
        var random = SeededRandom(seed: 561)
        let data = try file(whole)
        let start = try #require(data.range(of: Data("jhgm".utf8))).lowerBound
        for _ in 0..<300 {
            var bytes = data
            bytes[Int.random(in: start..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            if let image = try? decode(bytes) { #expect(image.pixelSize == PixelSize(width: 64, height: 48)) }
        }
    }
}
