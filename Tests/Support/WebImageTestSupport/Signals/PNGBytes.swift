package import Foundation

/// Builds PNG files chunk by chunk, including damaged files.
package enum PNGBytes {
    package static let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])

    package static func bigEndian(_ value: Int, byteCount: Int = 4) -> Data {
        Data((0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    package static func chunk(_ tag: String, _ payload: Data = Data()) -> Data {
        let checked = Data(tag.utf8) + payload
        return bigEndian(payload.count) + checked + bigEndian(Int(crc(checked)))
    }

    package static func header(_ width: Int, _ height: Int, depth: Int = 8, color: Int = 6, interlaced: Bool = false)
        -> Data
    {
        chunk(
            "IHDR", bigEndian(width) + bigEndian(height) + Data([UInt8(depth), UInt8(color), 0, 0, interlaced ? 1 : 0]))
    }

    /// Returns a complete file. `rows` contains the unfiltered bytes of each row.
    package static func file(header: Data, before: Data = Data(), rows: [[UInt8]], after: Data = Data()) -> Data {
        signature + header + before + chunk("IDAT", deflated(rows)) + after + chunk("IEND")
    }

    /// Returns a zlib stream of stored (uncompressed) blocks. Each row has filter 0.
    package static func deflated(_ rows: [[UInt8]]) -> Data {
        deflated(raw: rows.flatMap { (row: [UInt8]) -> [UInt8] in [0] + row })
    }

    /// Returns a zlib stream. `raw` contains the rows, each with its filter byte. The default `header` declares the
    /// largest window (32 KB).
    package static func deflated(raw: [UInt8], header: [UInt8] = [0x78, 0x01]) -> Data {
        var data = Data(header)
        for start in stride(from: 0, to: max(raw.count, 1), by: 65535) {
            let block = raw[start..<min(start + 65535, raw.count)]
            let length = UInt16(block.count)
            data.append(start + 65535 >= raw.count ? 1 : 0)
            for value in [length, ~length] { data.append(contentsOf: [UInt8(value & 255), UInt8(value >> 8)]) }
            data.append(contentsOf: block)
        }
        return data + bigEndian(Int(adler(raw)))
    }

    package static func animationControl(frames: Int, plays: Int) -> Data {
        chunk("acTL", bigEndian(frames) + bigEndian(plays))
    }

    package static func frameControl(
        _ sequence: Int, _ width: Int, _ height: Int, x: Int = 0, y: Int = 0, delay: (Int, Int) = (1, 10)
    ) -> Data {
        let place = [sequence, width, height, x, y].reduce(Data()) { $0 + bigEndian($1) }
        return chunk(
            "fcTL", place + bigEndian(delay.0, byteCount: 2) + bigEndian(delay.1, byteCount: 2) + Data([0, 0]))
    }

    package static func frameData(_ sequence: Int, rows: [[UInt8]]) -> Data {
        chunk("fdAT", bigEndian(sequence) + deflated(rows))
    }

    /// Returns a TIFF structure that contains only an orientation.
    package static func exif(orientation: Int) -> Data {
        Data([
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0,
        ])
    }

    private static func crc(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
        }
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        let (a, b) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let a = (sums.0 + UInt32(byte)) % 65521
            return (a, (sums.1 + a) % 65521)
        }
        return b << 16 | a
    }
}
