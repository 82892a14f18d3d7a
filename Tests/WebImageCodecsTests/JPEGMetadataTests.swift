import Foundation
import Testing
import WebImageCodecs
import WebImageCore

/// Tests metadata that the coder writes into a JPEG, and data after the image of a JPEG.
struct JPEGMetadataTests {
    private let coder = ImageJPEGCoder.shared

    private func properties(_ metadata: EmbeddedMetadata, thumbnail: Bool = false) throws -> ImageProperties {
        var options = EncodingOptions()
        options.metadata = metadata
        options.embedsThumbnail = thumbnail
        let image = Image(pixels: try Sample.gradient(64, 48, .rgb8))
        return try coder.imageProperties(
            of: coder.encode(image, format: .jpeg, options: options), limits: .default)
    }

    @Test func aDecodedPictureWritesNoMetadata() throws {
        let properties = try properties(EmbeddedMetadata())
        #expect(properties.exifData == nil && properties.xmp == nil && properties.thumbnailData == nil)
    }

    @Test(arguments: [true, false])
    func keptExifChangesOnlyItsOrientation(isBigEndian: Bool) throws {
        let exif = ExifSample.tiff(orientation: 6, bigEndian: isBigEndian)
        let properties = try properties(EmbeddedMetadata(exif: exif))
        #expect(properties.info.orientation == .up)
        let written = try #require(properties.exifData)
        #expect(written.count == exif.count)
        #expect(zip(written, exif).count { $0 != $1 } == 1)
    }

    @Test(arguments: [
        nil, ExifSample.tiff(orientation: 3, bigEndian: true), ExifSample.tiff(orientation: 3, bigEndian: false),
    ])
    func thumbnailIsAddedToExistingExif(exif: Data?) throws {
        let properties = try properties(EmbeddedMetadata(exif: exif), thumbnail: true)
        let thumbnail = try coder.decode(#require(properties.thumbnailData), options: DecodingOptions())
        #expect(thumbnail.pixelSize == PixelSize(width: 64, height: 48))
        #expect(properties.info.orientation == .up)
    }

    @Test func metadataLargerThanASegmentIsRefused() throws {
        let error = #expect(throws: WebImageError.self) {
            try properties(EmbeddedMetadata(xmp: Data(count: 70_000)))
        }
        #expect(error?.code == .encodingFailed)
    }

    /// Returns a file that consists of two JPEGs. The first JPEG has a multi-picture index (MPF, CIPA DC-007), which
    /// contains the offset of the second JPEG.
    private func file(with second: Data) throws -> Data {
        let first = try JPEGSample.gradient(16, 12)
        func index(_ offset: Int) -> Data {
            let number = { (value: Int) in Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }) }
            // The index has one directory with one entry. This entry refers to the list of images, which has 16 bytes
            // per image.
            let head = Data([0x49, 0x49, 42, 0]) + number(8) + Data([1, 0]) + Data([0x02, 0xB0, 7, 0]) + number(32)
            let list = Data(count: 16) + number(0) + number(second.count) + number(offset) + number(0)
            return Data("MPF\0".utf8) + head + number(26) + number(0) + list
        }
        // The offset counts from the byte order mark of the index. The mark is 10 bytes after the start of the file,
        // behind the start of image, the marker, the length and "MPF".
        let length = JPEGSample.inserting(0xE2, index(0), into: first).count
        return JPEGSample.inserting(0xE2, index(length - 10), into: first) + second
    }

    @Test func gainMapIsReturnedBesideTheBaseImage() throws {
        let named = Data("http://ns.adobe.com/xap/1.0/\0<x hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"/>".utf8)
        let map = JPEGSample.inserting(0xE1, named, into: try JPEGSample.gradient(8, 6))
        let data = try file(with: map)
        #expect(try coder.imageProperties(of: data, limits: .default).gainMapData == map)
        #expect(try coder.decode(data, options: DecodingOptions()).pixelSize == PixelSize(width: 16, height: 12))
        // In `moved`, a comment before the index moves the index and the second image. The offset stays right, because
        // it counts from the index. In `behind`, five more bytes precede the second image, so the offset is wrong.
        let moved = JPEGSample.inserting(0xFE, Data("later".utf8), into: data)
        let behind = data.prefix(data.count - map.count) + Data(count: 5) + map
        for file in [moved, behind] {
            #expect(try coder.imageProperties(of: file, limits: .default).gainMapData == map)
        }
    }

    @Test func secondImageWithoutGainMapMetadataIsNoGainMap() throws {
        let data = try file(with: JPEGSample.gradient(8, 6))
        #expect(try coder.imageProperties(of: data, limits: .default).gainMapData == nil)
        for count in stride(from: 2, to: data.count, by: 7) {
            _ = try? coder.imageProperties(of: data.prefix(count), limits: .default)
        }
    }
}
