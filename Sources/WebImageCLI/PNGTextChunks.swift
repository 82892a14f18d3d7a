import Foundation

/// Reads and writes text chunks of PNG files (PNG third edition, §11.3.3). A text chunk stores a keyword and a text.
/// Desktop thumbnails store their attributes in text chunks.
enum PNGTextChunks {
    /// Inserts `tEXt` chunks after the header of a PNG file. Keywords and texts must be ASCII.
    static func adding(_ texts: [(keyword: String, text: String)], to file: Data) -> Data {
        // The signature has 8 bytes. The header chunk has 25 bytes: length, name, 13 bytes of data, checksum.
        let start = 8 + 25
        guard file.count > start else { return file }
        var result = Data(file.prefix(start))
        for (keyword, text) in texts {
            let body = Array("tEXt".utf8) + Array(keyword.utf8) + [0] + Array(text.utf8)
            result.append(contentsOf: bigEndian(UInt32(body.count - 4)))
            result.append(contentsOf: body)
            result.append(contentsOf: bigEndian(checksum(of: body)))
        }
        result.append(file.dropFirst(start))
        return result
    }

    /// Returns the texts of the `tEXt` chunks before the pixels of a PNG file. The keys are the keywords.
    static func texts(of file: Data) -> [String: String] {
        let bytes = [UInt8](file)
        var texts: [String: String] = [:]
        var position = 8
        while position + 12 <= bytes.count {
            let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            let name = bytes[position + 4..<position + 8]
            let body = position + 8
            guard length <= bytes.count - body - 4, !name.elementsEqual("IDAT".utf8) else { break }
            if name.elementsEqual("tEXt".utf8) {
                let parts = bytes[body..<body + length].split(
                    separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 {
                    texts[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
                }
            }
            position = body + length + 4
        }
        return texts
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Returns the checksum of a chunk, a CRC-32 (PNG third edition, Annex D).
    private static func checksum(of bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
