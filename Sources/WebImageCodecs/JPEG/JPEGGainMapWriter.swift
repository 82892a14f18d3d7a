import Foundation
import WebImageCore
import WebImageGraphics

/// Adds a gain map to a JPEG file: as a second JPEG behind the picture, with the metadata of ISO 21496-1 and of Adobe in both
/// pictures, and with a multi-picture index (CIPA DC-007). Each reader needs one of the three.
struct JPEGGainMapWriter {
    /// The JPEG of the map with its metadata.
    private let map: Data

    /// Encodes the map.
    ///
    /// Colour has the full size at this quality. At half the size, the factors of the channels would be wrong at edges.
    init(_ gainMap: GainMap, pixels: PixelBuffer) throws(WebImageError) {
        let profile = gainMap.metadata.usesBaseColorSpace ? nil : gainMap.alternateProfile
        let plain = try JPEGEncoding(
            pixels: pixels, profile: profile?.matching(pixels.format), isProgressive: false, metadata: nil
        ).encode(quality: 90)
        let xmp = Data("\(JPEGSegments.xmpSignature)".utf8) + Self.packet([gainMap.metadata.xmpDescription])
        let iso = Data("\(JPEGSegments.isoSignature)".utf8) + gainMap.metadata.isoPayload
        map = Self.inserting([(0xE1, xmp), (0xE2, iso)], into: plain)
    }

    /// The description of the map in the XMP packet of the primary picture (Google's container format).
    var description: String {
        func item(_ meaning: String, _ rest: String) -> String {
            "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"\(meaning)\" Item:Mime=\"image/jpeg\"\(rest)/>"
                + "</rdf:li>"
        }
        return "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"\(GainMapMetadata.xmpNamespace)\""
            + " xmlns:Container=\"http://ns.google.com/photos/1.0/container/\""
            + " xmlns:Item=\"http://ns.google.com/photos/1.0/container/item/\" hdrgm:Version=\"1.0\">"
            + "<Container:Directory><rdf:Seq>" + item("Primary", "")
            + item("GainMap", " Item:Length=\"\(map.count)\"") + "</rdf:Seq></Container:Directory></rdf:Description>"
    }

    /// Returns the file. `primary` is the picture, whose XMP packet contains ``description``.
    func file(primary: Data) -> Data {
        let iso = Data("\(JPEGSegments.isoSignature)".utf8) + Data(count: 4)
        // The index is the last segment, so that programs that add a segment in front of it do not change its offsets.
        let marked = Self.inserting([(0xE2, iso)], into: primary, atEnd: true)
        let position = Self.end(ofSegmentsIn: marked)
        // Offsets count from the byte order mark. The marker, the length and the signature, 8 bytes, come before it.
        let total = marked.count + Self.indexLength
        let content = Self.index(primaryLength: total, mapLength: map.count, mapOffset: total - (position + 8))
        return Self.inserting([(0xE2, content)], into: marked, atEnd: true) + map
    }

    /// The length of the segment of the index in bytes: marker and length 4, signature 4, header 8, number of tags 2, three
    /// tags of 12, end of the list 4, two entries of 16.
    private static let indexLength = 90

    /// The payload of the index: three tags, and an entry for each of the two pictures (CIPA DC-007).
    ///
    /// - Parameters:
    ///   - primaryLength: The length of the picture in bytes, with the segment of the index.
    ///   - mapLength: The length of the map in bytes.
    ///   - mapOffset: The position of the map, counted from the byte order mark of the index.
    private static func index(primaryLength: Int, mapLength: Int, mapOffset: Int) -> Data {
        func number(_ value: Int, _ count: Int) -> Data {
            Data((0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) })
        }
        func tag(_ tag: Int, type: Int, count: Int, _ value: Data) -> Data {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        // The signature, then a TIFF header: the byte order "MM", 42, and the offset 8 of the list of three tags.
        var bytes = Data("MPF\0MM".utf8) + number(42, 2) + number(8, 4) + number(3, 2)
        // The version, the number of pictures, and the entries: 32 bytes at the offset 50, behind the list.
        bytes += tag(0xB000, type: 7, count: 4, Data("0100".utf8))
        bytes += tag(0xB001, type: 4, count: 1, number(2, 4))
        bytes += tag(0xB002, type: 7, count: 32, number(50, 4)) + number(0, 4)
        // The attribute of the primary picture is "baseline primary image".
        bytes += number(0x030000, 4) + number(primaryLength, 4) + number(0, 8)
        bytes += number(0, 4) + number(mapLength, 4) + number(mapOffset, 4) + number(0, 4)
        return bytes
    }

    /// An XMP packet with descriptions.
    static func packet(_ descriptions: [String]) -> Data {
        Data(
            ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
                + descriptions.joined() + "</rdf:RDF></x:xmpmeta>").utf8)
    }

    /// Returns a JPEG with further segments: behind `APP0` and EXIF, or behind all application segments.
    private static func inserting(_ segments: [(marker: UInt8, payload: Data)], into file: Data, atEnd: Bool = false)
        -> Data
    {
        let place = end(ofSegmentsIn: file, onlyFirst: !atEnd)
        var result = Data(file.prefix(place))
        for (marker, payload) in segments {
            let length = payload.count + 2
            result += [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + payload
        }
        return result + file.dropFirst(place)
    }

    /// Returns the position behind the application segments at the start of a file that libjpeg-turbo has written.
    private static func end(ofSegmentsIn file: Data, onlyFirst: Bool = false) -> Int {
        file.withUnsafeBytes { bytes in
            var offset = 2
            while bytes.byte(at: offset) == 0xFF, let marker = bytes.byte(at: offset + 1),
                (0xE0...0xEF).contains(marker),
                let length = bytes.bigEndian16(at: offset + 2)
            {
                if onlyFirst, marker != 0xE0 { break }
                offset += 2 + length
            }
            return min(offset, bytes.count)
        }
    }
}
