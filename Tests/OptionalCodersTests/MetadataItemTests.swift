import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageHEIF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// EXIF and XMP in HEIC and AVIF files, such as the photos of a phone.
@Suite(.timeLimit(minutes: 2))
struct MetadataItemTests {
    /// A TIFF structure whose only entry is a copyright of three letters.
    private static func exif(_ letters: String) -> [UInt8] {
        Array("II".utf8) + [42, 0, 8, 0, 0, 0, 1, 0, 0x98, 0x82, 2, 0, 4, 0, 0, 0] + Array(letters.utf8) + [
            0, 0, 0, 0, 0,
        ]
    }

    private static func xmp(_ word: String) -> [UInt8] {
        Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF>\(word)</rdf:RDF></x:xmpmeta>".utf8)
    }

    /// How the structure stands in the item: behind its place, with and without the signature, which the place counts or not.
    private static let forms: [(name: String, bytes: @Sendable ([UInt8]) -> [UInt8])] = [
        ("at once", { [0, 0, 0, 0] + $0 }),
        ("behind the signature", { [0, 0, 0, 6] + Array("Exif\0\0".utf8) + $0 }),
        ("with an uncounted signature", { [0, 0, 0, 0] + Array("Exif\0\0".utf8) + $0 }),
        ("at a wrong place", { [0, 0, 9, 9] + $0 }),
    ]

    private func properties(_ further: [HEIFBytes.Item]) throws -> ImageProperties {
        let coded = HEIFSizeTests.small
        let pictures = [1, 6].map { number in
            HEIFBytes.Item(
                number: number, type: "hvc1", data: coded.data, size: (64, 64), configuration: coded.configuration)
        }
        let file = HEIFBytes(items: pictures + further).file
        return try ImageHEICCoder.shared.imageProperties(of: file, limits: .default)
    }

    private func item(_ number: Int, _ type: String, _ data: [UInt8], of pictures: [Int]?) -> HEIFBytes.Item {
        HEIFBytes.Item(
            number: number, type: type, data: data, size: (64, 64), references: pictures.map { ("cdsc", $0) })
    }

    @Test func metadataOfThePrimaryPictureAreRead() throws {
        for form in Self.forms {
            for pictures in [[1], [6, 1], nil] {
                // The first ones describe another picture, such as a gain map.
                let found = try properties(
                    [
                        item(2, "Exif", form.bytes(Self.exif("map")), of: [6]),
                        item(3, "mime", Self.xmp("map"), of: [6]),
                        item(4, "Exif", form.bytes(Self.exif("own")), of: pictures),
                        item(5, "mime", Self.xmp("own"), of: pictures),
                    ])
                let text = "\(form.name), \(String(describing: pictures))"
                #expect(found.exifData == Data(Self.exif("own")), "\(text)")
                #expect(found.tiff[0x8298] == .text("own"), "\(text)")
                #expect(found.xmp == Data(Self.xmp("own")), "\(text)")
            }
        }
        let none = try properties([item(2, "Exif", [0, 0], of: [1]), item(3, "mime", [1, 2, 3], of: [1])])
        #expect(none.exifData == nil && none.xmp == nil && none.info.pixelSize.width == 64)
    }

    @Test func metadataAboveTheLimitAreLeftOut() throws {
        var limits = DecodingLimits.default
        limits.maxAncillaryChunkBytes = 100
        var options = EncodingOptions()
        options.metadata = EmbeddedMetadata(
            exif: Data(Self.exif("own")), xmp: Data(Self.xmp(String(repeating: "x", count: 99))))
        let file = try ImageAVIFCoder.shared.encode(
            try TestImages.solid(width: 64, height: 64), format: .avif, options: options)
        let all = try ImageAVIFCoder.shared.imageProperties(of: file, limits: .default)
        #expect(all.exifData == options.metadata.exif && all.xmp == options.metadata.xmp)
        let some = try ImageAVIFCoder.shared.imageProperties(of: file, limits: limits)
        #expect(some.exifData == options.metadata.exif && some.xmp == nil)
    }
}
