import Foundation
import Testing
import WebImage
import WebImageGraphics
import WebImageHEIF
import WebImageTestSupport
import WebImageTestTraits

/// The gain map of a HEIC file: an auxiliary picture with the metadata of an item `tmap`, or with Apple's properties.
@Suite(.timeLimit(minutes: 2))
struct HEIFGainMapTests {
    private static let apple = "urn:com:apple:photo:2020:aux:hdrgainmap"
    private static let metadata = GainMapMetadata(
        channels: [.init(minimum: -0.5, maximum: 2, gamma: 1.25)], alternateHeadroom: 2)

    private func coded(_ number: Int, _ references: (type: String, to: [Int])? = nil, type: String? = nil)
        -> HEIFBytes.Item
    {
        let coded = HEIFSizeTests.small
        return HEIFBytes.Item(
            number: number, type: "hvc1", data: coded.data, size: (64, 64), configuration: coded.configuration,
            references: references, auxiliaryType: type)
    }

    private func data(_ number: Int, _ type: String, _ bytes: [UInt8], _ references: (type: String, to: [Int]))
        -> HEIFBytes.Item
    {
        HEIFBytes.Item(
            number: number, type: type, data: bytes, size: (64, 64), configuration: nil, references: references,
            auxiliaryType: nil)
    }

    /// A picture (1), its map (2) and the item (3) whose payload is given.
    private func file(_ payload: [UInt8], type: String = apple) -> Data {
        HEIFBytes(items: [
            coded(1), coded(2, ("auxl", [1]), type: type), data(3, "tmap", payload, ("dimg", [1, 2])),
        ]).file
    }

    private func decode(_ data: Data, _ range: DecodingOptions.DynamicRange) throws -> Image {
        var options = DecodingOptions()
        (options.pixelFormat, options.dynamicRange) = (.rgba8, range)
        return try ImageHEICCoder.shared.decode(data, options: options)
    }

    private func bytes(_ pixels: PixelBuffer) -> [UInt8] {
        let count = pixels.width * pixels.format.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { bytes[$0 * pixels.bytesPerRow..<$0 * pixels.bytesPerRow + count] }
        }
    }

    @Test(arguments: [apple, "urn:iso:std:iso:ts:21496-1"]) func toneMappedItemDescribesTheMap(_ type: String) throws {
        let file = file([0] + Self.metadata.isoPayload, type: type)
        let info = try ImageHEICCoder.shared.imageInfo(of: file, limits: .default)
        let described = try #require(info.hdr?.gainMap)
        #expect(described.size == PixelSize(width: 64, height: 64) && described.channelCount == 1)
        #expect(described.metadata.alternateHeadroom == 2 && described.metadata.channels[0].gamma == 1.25)
        let plain = try decode(file, .standard)
        #expect(plain.hdr == nil)
        let kept = try decode(file, .keep)
        // The map of this file has the values of its picture.
        let map = try #require(kept.hdr?.gainMap?.pixels)
        #expect(bytes(map) == bytes(try plain.pixels.converted(to: .gray8, isOpaque: true)))
        #expect(bytes(kept.pixels) == bytes(plain.pixels))
        let high = try decode(file, .high(headroom: 4))
        #expect(high.pixels.format == .rgbaHalf && high.hdr == nil)
        // Applied by the same code as for JPEG, whose numbers are tested there.
        let wanted = try #require(kept.hdr?.gainMap).applied(to: plain.pixels, profile: nil, headroom: 4)
        #expect(bytes(high.pixels) == bytes(wanted.pixels))
        var options = DecodingOptions()
        (options.dynamicRange, options.thumbnailPixelSize) = (.keep, PixelSize(width: 20, height: 20))
        let small = try ImageHEICCoder.shared.decode(file, options: options)
        #expect(small.hdr?.gainMap?.size == PixelSize(width: 20, height: 20))
    }

    @Test func damagedItemLeavesThePicture() throws {
        let whole = [0] + Self.metadata.isoPayload
        let plain = bytes(try decode(file(Array(whole)), .standard).pixels)
        for count in [0, 1, 5, 30, 61] {
            let image = try decode(file(Array(whole.prefix(count))), .keep)
            #expect(image.hdr == nil && bytes(image.pixels) == plain, "\(count)")
        }
        var later = Array(whole)
        later[0] = 1
        #expect(try decode(file(later), .keep).hdr == nil)
        // The item names its map, whatever the map is besides.
        #expect(try decode(file(Array(whole), type: "urn:example:other"), .keep).hdr?.gainMap != nil)
    }

    /// A file whose map has Apple's properties: a headroom of 4.
    private func appleFile(sizeOfMap: (Int, Int) = (64, 64)) -> Data {
        let packet =
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:Description xmlns:HDRGainMap=\"http://ns.apple.com/HDRGainMap/1.0/\" "
            + "HDRGainMap:HDRGainMapVersion=\"131072\" HDRGainMap:HDRGainMapHeadroom=\"4\"/></x:xmpmeta>"
        var map = coded(2, ("auxl", [1]), type: Self.apple)
        map.size = sizeOfMap
        return HEIFBytes(items: [coded(1), map, data(3, "mime", Array(packet.utf8), ("cdsc", [2]))]).file
    }

    /// The declared size of a map is checked by the limits before anything is decoded, and by the decoded pixels afterwards.
    @Test func mapOfAWrongSizeLeavesThePicture() throws {
        let plain = bytes(try decode(appleFile(), .standard).pixels)
        var limits = DecodingLimits.default
        limits.maxPixels = 5000
        let file = appleFile(sizeOfMap: (100, 80))
        #expect(try ImageHEICCoder.shared.imageInfo(of: file, limits: .default).hdr?.gainMap != nil)
        #expect(try ImageHEICCoder.shared.imageInfo(of: file, limits: limits).hdr == nil)
        #expect(try ImageHEICCoder.shared.imageInfo(of: appleFile(), limits: limits).hdr?.gainMap != nil)
        let image = try decode(file, .keep)
        #expect(image.hdr == nil && bytes(image.pixels) == plain)
    }

    /// A map of Apple alone, with the headroom in its own properties.
    @Test func propertiesOfAppleDescribeTheMap() throws {
        let file = appleFile()
        let info = try ImageHEICCoder.shared.imageInfo(of: file, limits: .default)
        #expect(info.hdr?.headroom == 4)
        let (plain, kept) = (try decode(file, .standard), try decode(file, .keep))
        let map = try #require(kept.hdr?.gainMap?.pixels)
        let values = bytes(try plain.pixels.converted(to: .gray8, isOpaque: true))
        // Apple's factor is 1 + (headroom − 1) × light, by the inverse curve of BT.709; the map stores its logarithm.
        for (stored, value) in zip(bytes(map), values) {
            let part = Double(value) / 255
            let light = part < 0.081 ? part / 4.5 : pow((part + 0.099) / 1.099, 1 / 0.45)
            #expect(abs(Double(stored) / 255 * 2 - log2(1 + 3 * light)) <= 0.005)
        }
    }
}
