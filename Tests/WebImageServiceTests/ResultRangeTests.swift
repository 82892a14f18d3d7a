import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageJXL
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// `preserve_hdr` keeps a gain map in JPEG and the values of PQ, and moves the map with the picture.
@Suite(.timeLimit(minutes: 5))
struct ResultRangeTests {
    private typealias Fix = PictureFixtures

    private func source() throws -> Data {
        let base = try Image.generated(width: 64, height: 48) { x, y in (128, UInt8(5 * y), UInt8(4 * x), 255) }
        let ramp = try PixelBuffer(width: 16, height: 12, format: .gray8)
        ramp.withUnsafeMutableBytes { bytes in
            for y in 0..<12 { for x in 0..<16 { bytes[y * ramp.bytesPerRow + x] = UInt8(17 * x) } }
        }
        let coder = ImageJPEGCoder.shared
        return GainMapSample(
            base: try coder.encode(base, format: .jpeg, options: EncodingOptions()),
            map: try coder.encode(Image(pixels: ramp), format: .jpeg, options: EncodingOptions()),
            channels: [[0, 2, 1, 0.015625, 0.015625]], headrooms: (0, 2)
        ).file()
    }

    private func map(_ options: String) throws -> GainMap? {
        let result = try Fix.make(options, from: try source())
        var keep = DecodingOptions()
        keep.dynamicRange = .keep
        return try ImageJPEGCoder.shared.decode(result.data, options: keep).hdr?.gainMap
    }

    @Test func mapIsKeptOnRequestOnly() throws {
        #expect(try map("rs:fit:32:24/f:jpg") == nil)
        for name in ["ph", "preserve_hdr", "hdr"] {
            let map = try #require(try map("\(name):1/rs:fit:32:24/f:jpg"))
            #expect(map.size == PixelSize(width: 8, height: 6) && map.metadata.alternateHeadroom == 2)
        }
        #expect(try map("ph:1/bl:2/f:jpg") == nil)
        // JPEG XL holds the map, and a JPEG of PQ gets one.
        let coders = ImageCodersManager(coders: [ImagePNGCoder.shared, ImageJPEGCoder.shared, ImageJPEGXLCoder.shared])
        let pq = BrightPicture.png()
        for (options, source, isKept) in [
            ("ph:1/w:32/f:jxl", try self.source(), true), ("w:32/f:jxl", try self.source(), false),
            ("ph:1/f:jpg", pq, true), ("f:jpg", pq, false),
        ] {
            var renderer = ResultRenderer(options: try Fix.options(options))
            renderer.coders = coders
            let info = try coders.imageInfo(of: try renderer.make(from: source).data, limits: .default)
            #expect((info.hdr?.gainMap != nil) == isKept, "\(options)")
        }
        let web = try Fix.make("ph:1/f:webp", from: try source())
        #expect(try ImageWebPCoder.shared.imageInfo(of: web.data, limits: .default).hdr == nil)
    }

    @Test(arguments: ["c:32:24:nowe", "c:32:24:soea", "rs:fill:20:20", "rot:90", "fl:1", "rs:fit:32:24/rot:180"])
    func mapMovesWithThePicture(_ options: String) throws {
        let map = try #require(try map("ph:1/\(options)/f:jpg"))
        let pixels = try #require(map.pixels)
        let seen = pixels.withUnsafeBytes { bytes in
            [Int(bytes[0]), Int(bytes[pixels.width - 1]), Int(bytes[(pixels.height - 1) * pixels.bytesPerRow])]
        }
        // The values of the top left, the top right and the bottom left.
        let wanted: [Int] =
            switch options {
            case "c:32:24:nowe": [0, 119, 0]
            case "c:32:24:soea": [136, 255, 136]
            // The middle 48 columns of 64, from 8 to 56, scaled to 5 values.
            case "rs:fill:20:20": [50, 205, 50]
            case "rot:90": [0, 0, 255]
            default: [255, 0, 255]
            }
        #expect(zip(seen, wanted).allSatisfy { abs($0 - $1) <= 12 }, "\(options): \(seen) for \(wanted)")
    }

    @Test func valuesOfPQAreKept() throws {
        let source = ColorSignal(.rgb, .pq, bits: 16).png(.numbers)
        let coders = ImageCodersManager(
            coders: [ImagePNGCoder.shared, ImageAVIFCoder.shared, ImageJPEGXLCoder.shared])
        for format in ["png", "avif", "jxl"] {
            for (options, isKept) in [("ph:1/f:\(format)", true), ("f:\(format)", false)] {
                var renderer = ResultRenderer(options: try Fix.options(options))
                renderer.coders = coders
                let info = try coders.imageInfo(of: try renderer.make(from: source).data, limits: .default)
                #expect((info.hdr?.transfer == .perceptualQuantizer) == isKept, "\(options)")
            }
        }
    }

    /// The client's formats decide what is kept. AVIF has no sides below 16 px, so a small result has the next format, which keeps
    /// the range only if it can.
    @Test func acceptedFormatsDecideWhatIsKept() throws {
        let coders = ImageCodersManager(
            coders: [ImagePNGCoder.shared, ImageJPEGCoder.shared, ImageWebPCoder.shared, ImageAVIFCoder.shared])
        let cases: [(options: String, accepted: AcceptedFormats, format: OutputFormat, isKept: Bool)] = [
            ("ph:1/w:32", [.avif, .webp], .avif, true), ("w:32", [.avif, .webp], .avif, false),
            ("ph:1/rs:fit:10:10", [.avif, .webp], .webp, false), ("ph:1/rs:fit:10:10", [.avif], .jpeg, true),
            ("ph:1/w:32", [.webp], .webp, false), ("ph:1/w:32", [], .png, true),
        ]
        for (options, accepted, format, isKept) in cases {
            var renderer = ResultRenderer(options: try Fix.options(options), accepted: accepted)
            renderer.coders = coders
            let label = Comment(rawValue: "\(options) \(accepted)")
            let result = try renderer.make(from: BrightPicture.png())
            #expect(result.format == format, label)
            var keep = DecodingOptions()
            (keep.dynamicRange, keep.colorConversion) = (.keep, .asStored)
            let image = try coders.decode(result.data, options: keep)
            #expect((image.hdr != nil) == isKept, label)
        }
    }

    /// Two results that differ only in the option have different keys.
    @Test func optionIsPartOfTheKey() throws {
        let (plain, kept) = (try Fix.options("w:10"), try Fix.options("w:10/ph:1"))
        let without = try Fix.options("w:10/ph:0")
        #expect(plain.keyText != kept.keyText && plain.keyText == without.keyText)
    }
}
