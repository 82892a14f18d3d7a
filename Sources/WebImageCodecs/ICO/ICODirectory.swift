import Foundation
import WebImageCore

/// The list of pictures at the start of an icon or cursor file.
struct ICODirectory {
    /// One picture of the list.
    struct Entry {
        var size: PixelSize
        var bitCount: Int
        var payload: Range<Int>
        var isPNG: Bool
    }

    let entries: [Entry]

    /// Reads the list. Skips entries whose payload begins outside the file. If a payload is truncated, its range ends
    /// at the end of the file.
    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        guard bytes.littleEndian16(at: 0) == 0, let type = bytes.littleEndian16(at: 2), type == 1 || type == 2,
            let count = bytes.littleEndian16(at: 4)
        else { throw .badData("ICO", "the signature is missing") }
        entries = (0..<count).compactMap { Entry(bytes, at: 6 + 16 * $0, isCursor: type == 2) }
    }

    /// Returns an icon file that contains one PNG file. The sides have at most 256 px.
    static func file(png: Data, size: PixelSize, hasAlpha: Bool) -> Data {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        // The byte 0 means 256 px. The fields are: reserved, type 1 (icon), number of pictures; then width, height,
        // number of colours, reserved, colour planes, bits per pixel, and length and offset of the PNG file.
        let head = bytes(0, 2) + bytes(1, 2) + bytes(1, 2)
        let entry =
            bytes(size.width, 1) + bytes(size.height, 1) + bytes(0, 2) + bytes(1, 2) + bytes(hasAlpha ? 32 : 24, 2)
            + bytes(png.count, 4) + bytes(head.count + 16, 4)
        return Data(head + entry) + png
    }

    /// The entry with the most pixels. Among entries with equally many pixels, it is the entry with the most bits per
    /// pixel. Among entries with equal depth, it is the first entry.
    var best: Entry? {
        entries.enumerated().max { left, right in
            let (mine, other) = (left.element, right.element)
            if mine.size.pixelCount != other.size.pixelCount { return mine.size.pixelCount < other.size.pixelCount }
            if mine.bitCount != other.bitCount { return mine.bitCount < other.bitCount }
            return left.offset > right.offset
        }?.element
    }
}

extension ICODirectory.Entry {
    fileprivate init?(_ bytes: UnsafeRawBufferPointer, at start: Int, isCursor: Bool) {
        guard let width = bytes.byte(at: start), let height = bytes.byte(at: start + 1),
            let bits = bytes.littleEndian16(at: start + 6), let count = bytes.littleEndian32(at: start + 8),
            let offset = bytes.littleEndian32(at: start + 12), offset < bytes.count, count > 0
        else { return nil }
        // The byte 0 means 256 px, because the number 256 does not fit into a byte.
        size = PixelSize(width: width == 0 ? 256 : Int(width), height: height == 0 ? 256 : Int(height))
        payload = offset..<min(offset + count, bytes.count)
        isPNG = bytes.starts(at: offset, with: [0x89, 0x50, 0x4E, 0x47])
        // Read the depth from the picture's header if `bits` does not contain the depth. In a cursor, `bits` is the hot
        // spot; in many icons, `bits` is 0.
        let own = isPNG ? 32 : bytes.littleEndian16(at: offset + 14) ?? 0
        bitCount = min(isCursor || bits == 0 ? own : bits, 32)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func starts(at offset: Int, with signature: [UInt8]) -> Bool {
        range(at: offset, count: signature.count).map { self[$0].elementsEqual(signature) } ?? false
    }
}
