import Foundation

/// Builds GIF files block by block. The LZW data is not compressed and has 8 bits per code.
enum GIFBytes {
    static func littleEndian(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

    /// Returns the header and the logical screen descriptor. If `hasPalette` is true, a global palette of 128 greys
    /// follows. The grey value of an entry is twice its index.
    static func screen(_ width: Int, _ height: Int, hasPalette: Bool = true) -> [UInt8] {
        let start = Array("GIF89a".utf8) + littleEndian(width) + littleEndian(height) + [hasPalette ? 0x86 : 0, 0, 0]
        return start + (hasPalette ? (0..<128).flatMap { [UInt8](repeating: UInt8($0 * 2), count: 3) } : [])
    }

    static func control(delay: Int, disposal: Int = 0, transparent: Int? = nil) -> [UInt8] {
        let flags = UInt8(disposal << 2 | (transparent == nil ? 0 : 1))
        return [0x21, 0xF9, 4, flags] + littleEndian(delay) + [UInt8(transparent ?? 0), 0]
    }

    static func loop(_ count: Int, _ application: String = "NETSCAPE2.0") -> [UInt8] {
        [0x21, 0xFF, 11] + Array(application.utf8) + [3, 1] + littleEndian(count) + [0]
    }

    static func image(
        x: Int = 0, y: Int = 0, width: Int, height: Int, interlaced: Bool = false, palette: [UInt8]? = nil,
        indices: [UInt8]
    ) -> [UInt8] {
        let flags = UInt8((interlaced ? 0x40 : 0) | (palette == nil ? 0 : 0x86))
        let place = [x, y, width, height].flatMap(littleEndian)
        return [0x2C] + place + [flags] + (palette ?? []) + [7] + blocks(codes(indices)) + [0]
    }

    /// Returns LZW codes: each index as a literal code, then the end code. A clear code (128) is inserted before every
    /// 100 indices, so that the codes stay 8 bits wide.
    static func codes(_ indices: [UInt8]) -> [UInt8] {
        var codes: [UInt8] = []
        for (position, index) in indices.enumerated() {
            if position % 100 == 0 { codes.append(128) }
            codes.append(index)
        }
        return codes + [129]
    }

    static func blocks(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 255).flatMap { (start: Int) -> [UInt8] in
            let block = bytes[start..<min(start + 255, bytes.count)]
            return [UInt8(block.count)] + block
        }
    }

    static func file(_ parts: [UInt8]...) -> Data { Data(parts.flatMap { $0 } + [0x3B]) }
}
