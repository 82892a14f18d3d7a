import Foundation
import WebImageCore

/// The EXIF segment and the XMP segment (both APP1) that the encoder writes to a file, and the density. A thumbnail can be added to EXIF.
struct JPEGMetadata {
    /// The EXIF segment with its signature. Empty if no EXIF is written.
    private(set) var exif = Data()
    private(set) var xmp = Data()
    /// The density for JFIF.
    let density: PixelDensity?

    private static let exifSignature = Data("Exif\0\0".utf8)
    private static let xmpSignature = Data("http://ns.adobe.com/xap/1.0/\0".utf8)
    /// The maximum payload of a segment in bytes. The 16-bit length of a segment includes the two bytes of the length
    /// itself, so the payload has at most 65535 − 2 bytes.
    private static let maxSegmentBytes = 65533

    /// Creates the segments.
    ///
    /// - Parameter description: An element that is added to the XMP packet.
    /// - Throws: `.encodingFailed` if EXIF or XMP does not fit into one segment.
    init(_ metadata: EmbeddedMetadata, thumbnail: Data?, description: String? = nil) throws(WebImageError) {
        density = metadata.density
        if var structure = metadata.exifWithOrientation ?? thumbnail.map({ _ in Self.emptyExif }) {
            // `adding` does not replace a thumbnail that `structure` already contains.
            if let thumbnail { structure = Self.adding(thumbnail, to: structure) }
            exif = Self.exifSignature + structure
        }
        if let packet = Self.packet(metadata.xmpWithOrientation, adding: description) {
            xmp = Self.xmpSignature + packet
        }
        guard exif.count <= Self.maxSegmentBytes, xmp.count <= Self.maxSegmentBytes else {
            throw .cannotEncode(
                "JPEG", "the metadata is over \(Self.maxSegmentBytes) bytes",
                hint: "Omit the metadata or its thumbnail.")
        }
    }

    /// Returns the packet with one more description. A packet that has no place for it is replaced.
    private static func packet(_ packet: Data?, adding description: String?) -> Data? {
        guard let description else { return packet }
        guard var packet, let place = packet.range(of: Data("</rdf:RDF>".utf8), options: .backwards) else {
            return JPEGGainMapWriter.packet([description])
        }
        packet.insert(contentsOf: description.utf8, at: place.lowerBound)
        return packet
    }

    /// An empty EXIF structure: a little-endian TIFF structure with one empty directory (TIFF 6.0 §2).
    private static let emptyExif = Data([0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0])

    /// Returns `structure` with a second directory that contains the JPEG `thumbnail` (EXIF 2.32 §4.5.4). If
    /// `structure` already has a second directory, returns it unchanged.
    private static func adding(_ thumbnail: Data, to structure: Data) -> Data {
        var result = structure
        let isBigEndian = structure.first == UInt8(ascii: "M")
        func number(_ offset: Int, _ count: Int) -> Int? {
            guard offset >= 0, offset + count <= structure.count else { return nil }
            let bytes = structure.dropFirst(offset).prefix(count)
            return (isBigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        func bytes(_ value: Int, _ count: Int) -> Data {
            let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return Data(isBigEndian ? little.reversed() : little)
        }
        guard let first = number(4, 4), let entries = number(first, 2), number(first + 2 + 12 * entries, 4) == 0 else {
            return structure
        }
        if result.count % 2 == 1 { result.append(0) }
        let second = result.count
        let start = result.startIndex + first + 2 + 12 * entries
        result.replaceSubrange(start..<start + 4, with: bytes(second, 4))
        // The value of tag 0x0103 is the compression; 6 means JPEG. The next two tags are the thumbnail's offset and
        // length.
        let tags: [(Int, type: Int, value: Data)] = [
            (0x0103, 3, bytes(6, 2) + Data(count: 2)), (0x0201, 4, bytes(second + 2 + 36 + 4, 4)),
            (0x0202, 4, bytes(thumbnail.count, 4)),
        ]
        result.append(bytes(tags.count, 2))
        for (tag, type, value) in tags { result.append(bytes(tag, 2) + bytes(type, 2) + bytes(1, 4) + value) }
        result.append(bytes(0, 4) + thumbnail)
        return result
    }
}
