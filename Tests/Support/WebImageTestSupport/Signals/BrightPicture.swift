package import Foundation

/// A grey picture in PQ with 16 bits: the left half has 26 nits, the right half 983, which is beyond the white of a page.
package enum BrightPicture {
    /// The picture as a PNG file with code points.
    package static func png(width: Int = 64, height: Int = 48) -> Data {
        let row = (0..<width).flatMap { x -> [UInt8] in
            let value: UInt8 = x < width / 2 ? 0x60 : 0xC0
            return [value, 0, value, 0, value, 0]
        }
        return PNGBytes.file(
            header: PNGBytes.header(width, height, depth: 16, color: 2),
            before: PNGBytes.chunk("cICP", Data([9, 16, 0, 1])), rows: [[UInt8]](repeating: row, count: height))
    }
}
