import Foundation
import Testing
import WebImageAVIF
import WebImageCodecs
import WebImageGraphics
import WebImageHEIF
import WebImageJXL
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

/// A worker decodes the gain map of a picture, and applies it, as this process does.
@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxRangeTests {
    private func file() throws -> Data {
        let base = try Image.generated(width: 64, height: 48) { x, y in (128, UInt8(5 * y), UInt8(4 * x), 255) }
        let map = try Image.generated(width: 16, height: 12) { x, y in (UInt8(17 * x), UInt8(20 * y), UInt8(8 * x), 255)
        }
        let coder = ImageJPEGCoder.shared
        return GainMapSample(
            base: try coder.encode(base, format: .jpeg, options: EncodingOptions()),
            map: try coder.encode(map, format: .jpeg, options: EncodingOptions()),
            channels: [[0, 2, 1, 0.015625, 0.015625], [0, 1, 1, 0, 0], [-1, 1, 1.5, 0, 0]], headrooms: (0, 2)
        ).file()
    }

    private func bytes(_ pixels: PixelBuffer?) -> [UInt8] {
        guard let pixels else { return [] }
        let count = pixels.width * pixels.format.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { bytes[$0 * pixels.bytesPerRow..<$0 * pixels.bytesPerRow + count] }
        }
    }

    private static let metadata = GainMapMetadata(
        channels: [.init(minimum: -0.5, maximum: 2, gamma: 1.25)], alternateHeadroom: 2)

    private func lossless(_ image: Image, _ coder: any ImageCoder, _ format: ImageFormat) throws -> Data {
        var options = EncodingOptions()
        (options.lossless, options.keepsHDR) = (true, true)
        return try #require(coder as? any DetailedImageCoder).encode(image, format: format, options: options)
    }

    private func avif(highBase: Bool) throws -> Data {
        var base = try Image.generated(width: 64, height: 48) { x, y in (128, UInt8(5 * y), UInt8(4 * x), 255) }
        let map = try Image.generated(width: 16, height: 12) { x, y in (UInt8(17 * x), UInt8(20 * y), 7, 255) }
        if highBase {
            base = Image(
                pixels: try base.pixels.converted(to: .rgba16, isOpaque: true),
                colorProfile: ColorProfile(primaries: 9, transfer: 16), hasAlpha: false)
        }
        var metadata = Self.metadata
        if highBase { (metadata.baseHeadroom, metadata.alternateHeadroom, metadata.usesBaseColorSpace) = (2, 0, false) }
        func coded(_ image: Image) throws -> HEIFBytes.Coded {
            try #require(HEIFBytes.coded(in: try lossless(image, ImageAVIFCoder.shared, .avif), .av1))
        }
        var sample = ToneMapSample(
            .av1, base: try coded(base), map: try coded(map), sizes: ((64, 48), (16, 12)),
            metadata: metadata.isoPayload)
        if highBase { (sample.baseColors, sample.alternateColors) = ((9, 16, 0), (12, 13, 0)) }
        return sample.file
    }

    private func jxl() throws -> Data {
        let image = try Image.generated(width: 64, height: 48) { x, y in (128, UInt8(5 * y), UInt8(4 * x), 255) }
        let map = try Image.generated(width: 16, height: 12) { x, y in (UInt8(17 * x), UInt8(20 * y), 7, 255) }
        image.hdr = HDRDescription(gainMap: GainMap(metadata: Self.metadata, pixels: map.pixels))
        return try lossless(image, ImageJPEGXLCoder.shared, .jpegXL)
    }

    /// A grey picture of 64×64 px that libheif 1.15 wrote with x265.
    private static let coded = HEIFBytes.coded(
        in: Data(
            base64Encoded: """
                AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAATptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA
                AAAAAA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFeAAEAAAAAAAAAHwAAACNpaW5mAAAAAAABAAAAFWluZmUC
                AAAAAAEAAGh2YzEAAAAAumlwcnAAAACcaXBjbwAAAHJodmNDAQQIAAAAAAAAAAAAHvAA/Pz4+AAADwMgAAEAF0ABDAH//wQI
                AAADAJ/4AAADAAAeugJAIQABACZCAQEECAAAAwCf+AAAAwAAHsCCBBZbqSSmubAgAAADACAAAAMAISIAAQAHRAHBcrAiQAAA
                ABRpc3BlAAAAAAAAAEAAAABAAAAADnBpeGkAAAAAAQgAAAAWaXBtYQAAAAAAAAABAAEDgQKDAAAAJ21kYXQAAAAbKAGuJ8R/
                lc7GgO7VB9AULG9mA58OFwf1KOuA
                """, options: .ignoreUnknownCharacters) ?? Data())

    private func heic(isApple: Bool) throws -> Data {
        let coded = try #require(Self.coded)
        var sample = ToneMapSample(
            .hevc, base: coded, map: coded, sizes: ((64, 64), (64, 64)), metadata: Self.metadata.isoPayload)
        guard isApple else { return sample.file }
        sample.auxiliaryType = "urn:com:apple:photo:2020:aux:hdrgainmap"
        let packet =
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:Description xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/1.0/\" "
            + "HDRGainMap:HDRGainMapVersion=\"131072\" HDRGainMap:HDRGainMapHeadroom=\"4\"/></x:xmpmeta>"
        var boxes = sample.boxes
        boxes.items[2] = .init(
            number: 3, type: "mime", data: Array(packet.utf8), size: (64, 64), references: ("cdsc", [2]))
        return boxes.file
    }

    private func file(_ kind: String) throws -> Data {
        switch kind {
        case "AVIF": try avif(highBase: false)
        case "AVIF with a PQ base": try avif(highBase: true)
        case "JPEG XL": try jxl()
        case "HEIC": try heic(isApple: false)
        case "HEIC of Apple": try heic(isApple: true)
        default: try file()
        }
    }

    @Test(
        arguments: ["JPEG", "AVIF", "AVIF with a PQ base", "JPEG XL", "HEIC", "HEIC of Apple"],
        [nil, PixelSize(width: 30, height: 22)])
    func mapComesThroughTheWorker(_ kind: String, _ size: PixelSize?) throws {
        let file = try file(kind)
        for range in [DecodingOptions.DynamicRange.keep, .high(headroom: 3), .standard] {
            var options = DecodingOptions()
            (options.dynamicRange, options.thumbnailPixelSize) = (range, size)
            options.pixelFormat = .rgba8
            let (own, here) = (
                try TestSandbox.coders.decode(file, options: options),
                try TestSandbox.here.decode(file, options: options)
            )
            #expect(bytes(own.pixels) == bytes(here.pixels) && own.pixels.format == here.pixels.format, "\(range)")
            // A profile that is made from code points contains the time.
            #expect(own.colorProfile?.iccData.dropFirst(36) == here.colorProfile?.iccData.dropFirst(36), "\(range)")
            let (map, other) = (own.hdr?.gainMap, here.hdr?.gainMap)
            #expect((map == nil) == (range != .keep) && map?.metadata == other?.metadata, "\(range)")
            #expect(
                map?.alternateProfile?.iccData.dropFirst(36) == other?.alternateProfile?.iccData.dropFirst(36)
                    && own.hdr?.transfer == here.hdr?.transfer)
            #expect(bytes(map?.pixels) == bytes(other?.pixels), "\(range)")
        }
        let info = try TestSandbox.coders.imageInfo(of: file, limits: .default)
        let here = try TestSandbox.here.imageInfo(of: file, limits: .default)
        #expect(info.hdr == here.hdr && info.hdr != nil)
    }
}
