import Foundation

/// Makes EXIF data that contains only artist and copyright (TIFF 6.0 §2, tags 315 and 33432).
enum CopyrightExif {
    /// The EXIF data, which is a TIFF structure; nil if artist and copyright are both missing.
    static func data(artist: String?, copyright: String?) -> Data? {
        let entries = [(UInt16(315), artist), (UInt16(33432), copyright)].compactMap { tag, text in
            text.map { (tag: tag, bytes: Array($0.utf8.prefix(2000)) + [0]) }
        }.filter { $0.bytes.count > 1 }
        guard !entries.isEmpty else { return nil }
        var head: [UInt8] = Array("II*\0".utf8) + word(8)
        var values: [UInt8] = []
        let start = 8 + 2 + entries.count * 12 + 4
        head += short(UInt16(entries.count))
        for entry in entries {
            head += short(entry.tag) + short(2) + word(UInt32(entry.bytes.count))
            if entry.bytes.count <= 4 {
                head += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
            } else {
                head += word(UInt32(start + values.count))
                values += entry.bytes
                // TIFF requires that values begin at even offsets.
                if values.count % 2 == 1 { values.append(0) }
            }
        }
        return Data(head + word(0) + values)
    }

    private static func short(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

    private static func word(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> UInt32($0)) }
    }
}
