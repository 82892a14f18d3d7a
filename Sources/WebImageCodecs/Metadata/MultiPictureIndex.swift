import Foundation
import WebImageCore

/// The multi-picture index of a file that contains several consecutive JPEGs (CIPA DC-007 §5.2).
struct MultiPictureIndex {
    /// The byte ranges of the pictures after the first picture. A range outside the file is omitted.
    let pictures: [Range<Int>]

    private static let mostPictures = 16

    /// Reads the index. Returns nil if the index is damaged.
    ///
    /// - Parameter structure: The byte range of the index. The index begins with the byte order mark.
    init?(_ bytes: UnsafeRawBufferPointer, _ structure: Range<Int>) {
        let start = structure.lowerBound
        guard bytes.has("II", at: start) || bytes.has("MM", at: start) else { return nil }
        let isBigEndian = bytes[start] == UInt8(ascii: "M")
        func short(_ offset: Int) -> Int? {
            isBigEndian ? bytes.bigEndian16(at: start + offset) : bytes.littleEndian16(at: start + offset)
        }
        func long(_ offset: Int) -> Int? {
            isBigEndian ? bytes.bigEndian32(at: start + offset) : bytes.littleEndian32(at: start + offset)
        }
        guard let directory = long(4), let count = short(directory) else { return nil }
        let tags = (0..<min(count, 32)).map { directory + 2 + 12 * $0 }
        guard let entry = tags.first(where: { short($0) == 0xB002 }), let byteCount = long(entry + 4),
            let list = long(entry + 8)
        else { return nil }
        // An entry has 16 bytes: attributes, size, and the offset from the byte order mark. Skip the first entry, which
        // is the main picture of the file.
        pictures = (1..<max(1, min(byteCount / 16, Self.mostPictures))).compactMap { index in
            guard let size = long(list + 16 * index + 4), let offset = long(list + 16 * index + 8), offset > 0 else {
                return nil
            }
            // Some programs add metadata to a file but do not update the offset. If no JPEG starts at the offset, try
            // the position at which the picture ends exactly at the end of the file. The main picture is in front of the index.
            return [start + offset, bytes.count - size].lazy.compactMap { bytes.range(at: $0, count: size) }
                .first { $0.lowerBound > start && bytes[$0].starts(with: [0xFF, 0xD8, 0xFF]) }
        }
    }
}

extension JPEGSegments {
    /// Returns the first further picture that has a gain map marker of ISO 21496-1, Adobe or Apple. Returns nil if
    /// there is no such picture.
    func gainMap(in bytes: UnsafeRawBufferPointer, limits: DecodingLimits) -> Data? {
        let names: [StaticString] = [
            "http://ns.adobe.com/hdr-gain-map/1.0/", "urn:com:apple:photo:2020:aux:hdrgainmap",
        ]
        let range = furtherPictures.first { range in
            let picture = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard let segments = try? JPEGSegments(picture, limits: limits) else { return false }
            return segments.isoPayload != nil || names.contains { segments.xmp?.contains($0) == true }
        }
        return range.map { Data(bytes[$0]) }
    }
}
