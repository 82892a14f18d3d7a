import Foundation
import Testing
import WebImageAVIF
import WebImageCodecs
import WebImageGraphics
import WebImageJXL
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore

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

    // MARK: Hostile maps

    /// What is wrong with the gain map of a file.
    enum Fault: String, CaseIterable {
        case version, denominator, gamma, range, offset, headroom, longMetadata, values, cut, large
    }

    /// The bytes of the metadata, with a number that no picture has.
    private func payload(_ fault: Fault, of whole: Data) -> Data {
        var bytes = whole
        // Two headrooms precede the channel: minimum, maximum, gamma and two offsets, of eight bytes each.
        func set(_ number: Int, _ numerator: UInt32, _ denominator: UInt32) {
            let fraction = [numerator, denominator].flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
            }
            bytes.replaceSubrange(5 + 8 * number..<13 + 8 * number, with: fraction)
        }
        switch fault {
        case .version: bytes[1] = 1
        case .denominator: set(3, 1, 0)
        case .gamma: set(4, 0, 1)
        case .range: set(2, 9, 1)
        case .offset: set(5, 0x8000_0000, 1)
        case .headroom: set(1, 0xFFFF_FFFF, 1)
        case .longMetadata: bytes.append(7)
        case .values, .cut, .large: break
        }
        return bytes
    }

    /// - Parameter isWide: Whether the base has the colours of Display P3, and the map three channels, whose factors belong to
    ///   these colours.
    private func hostileJPEG(_ fault: Fault, isWide: Bool) throws -> Data {
        let coder = ImageJPEGCoder.shared
        let side = fault == .large ? 128 : 32
        func coded(_ side: Int, _ profile: ColorProfile? = nil) throws -> Data {
            let pixels = try Image.generated(width: side, height: side) { x, y in (UInt8(x), 200, UInt8(y), 255) }
                .pixels
            let image = Image(pixels: pixels, colorProfile: profile, hasAlpha: false)
            return try coder.encode(image, format: .jpeg, options: EncodingOptions())
        }
        let channel = [-0.5, 2, 1.25, 0.015625, 0.015625]
        var file = GainMapSample(
            base: try coded(64, isWide ? ColorProfile(primaries: 12, transfer: 13) : nil), map: try coded(side),
            channels: isWide ? [channel, channel, channel] : [channel], headrooms: (0, 2)
        ).file(.iso)
        let name = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)
        let place = try #require(file.range(of: name, options: .backwards)).upperBound
        let length = isWide ? 141 : 61
        let damaged = payload(fault, of: Data(file[place..<place + length]))
        if fault == .longMetadata {
            // The segment counts the further byte.
            file[place - name.count - 1] += 1
        }
        file.replaceSubrange(place..<place + length, with: damaged)
        switch fault {
        case .values:
            // The size of the map, behind the length and the depth in its frame header.
            let header = try #require(file.range(of: Data([0xFF, 0xC0]), in: place + length..<file.count)).upperBound
            file.resetBytes(in: header + 3..<header + 7)
        case .cut: file = file.prefix(place + length + 19)
        default: break
        }
        return file
    }

    private func hostileBoxes(_ fault: Fault, _ codec: HEIFBytes.Codec) throws -> Data {
        let (base, small) = (try coded(codec, 64), try coded(codec, codec == .av1 && fault == .large ? 128 : 64))
        let side = codec == .av1 && fault == .large ? 128 : 64
        var sample = ToneMapSample(
            codec, base: base, map: small, sizes: ((64, 64), (side, side)),
            metadata: payload(fault, of: Self.metadata.isoPayload))
        switch fault {
        case .values: sample.map.data = [UInt8](repeating: 0xA5, count: sample.map.data.count)
        case .cut: sample.metadata = sample.metadata.prefix(30)
        case .large where codec == .hevc: sample.sizes.map = (60_000, 60_000)
        default: break
        }
        return sample.file
    }

    private func coded(_ codec: HEIFBytes.Codec, _ side: Int) throws -> HEIFBytes.Coded {
        guard codec == .av1 else { return try #require(Self.coded) }
        let file = try lossless(try Image.generated(width: side, height: side), ImageAVIFCoder.shared, .avif)
        return try #require(HEIFBytes.coded(in: file, .av1))
    }

    private func hostileJXL(_ fault: Fault) throws -> Data {
        let side = fault == .large ? 128 : 32
        let (image, map) = (
            try Image.generated(width: 64, height: 64), try Image.generated(width: side, height: side)
        )
        image.hdr = HDRDescription(gainMap: GainMap(metadata: Self.metadata, pixels: map.pixels))
        var file = try lossless(image, ImageJPEGXLCoder.shared, .jpegXL)
        let whole = Self.metadata.isoPayload
        let place = try #require(file.range(of: whole))
        var damaged = payload(fault, of: whole)
        // The box declares its own length and that of the metadata, so the last byte is that of the colours.
        if fault == .longMetadata { damaged.removeLast() }
        file.replaceSubrange(place, with: damaged)
        switch fault {
        case .longMetadata: file[place.lowerBound - 1] = 255
        case .values: file.resetBytes(in: place.upperBound + 20..<file.count)
        case .cut: file = file.prefix(place.upperBound + 15)
        default: break
        }
        return file
    }

    /// In a worker and in this process, a hostile map leaves the base picture, or the library refuses the file with an error.
    /// A map that is larger than the limit of pixels is never decoded.
    @Test(arguments: ["JPEG", "JPEG of Display P3", "AVIF", "HEIC", "JPEG XL"], Fault.allCases)
    func hostileMapLeavesTheBase(_ kind: String, _ fault: Fault) throws {
        let file =
            switch kind {
            case "AVIF": try hostileBoxes(fault, .av1)
            case "HEIC": try hostileBoxes(fault, .hevc)
            case "JPEG XL": try hostileJXL(fault)
            default: try hostileJPEG(fault, isWide: kind != "JPEG")
            }
        for range in [DecodingOptions.DynamicRange.keep, .high(headroom: 4)] {
            var options = DecodingOptions()
            (options.dynamicRange, options.pixelFormat, options.limits.maxPixels) = (range, .rgba8, 64 * 64)
            let own = Result { try TestSandbox.coders.decode(file, options: options) }
            let here = Result { try TestSandbox.here.decode(file, options: options) }
            switch (own, here) {
            case (.success(let own), .success(let here)):
                #expect(own.pixelSize == PixelSize(width: 64, height: 64) && own.hdr == nil && here.hdr == nil)
                #expect(own.pixels.format == .rgba8 && bytes(own.pixels) == bytes(here.pixels))
            case (.failure(let own as WebImageError), .failure(let here as WebImageError)):
                // libavif 0.11 applies the limit to every item of a file.
                #expect(own.code == here.code && ["values", "large"].contains(fault.rawValue), "\(own) \(here)")
                #expect([.badImageData, .limitExceeded].contains(own.code), "\(own)")
            default: Issue.record("the worker differs: \(own), \(here)")
            }
        }
    }

    private func lossless(_ image: Image, _ coder: any ImageCoder, _ format: ImageFormat) throws -> Data {
        var options = EncodingOptions()
        (options.lossless, options.keepsHDR) = (true, true)
        return try coder.encode(image, format: format, options: options)
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
