import Foundation
import WebImage

/// Encodes still GIF images of 125 colours. Every pixel is written as a literal LZW code (GIF89a specification,
/// appendix F).
enum GIFFile {
    private static let levels = 5
    private static let clearCode: UInt8 = 128
    private static let endCode: UInt8 = 129
    /// The number of codes between two clear codes. Each code adds an entry to the decoder's table. With this number,
    /// the table stays so small that every code has 8 bits.
    private static let codesBetweenClears = 120

    /// Returns the GIF file of an opaque picture in display format.
    static func encode(_ image: Image) -> Data {
        var file = Data("GIF89a".utf8)
        file += littleEndian(image.pixelSize.width) + littleEndian(image.pixelSize.height) + [0x86, 0, 0]
        file += palette
        file +=
            [0x2C, 0, 0, 0, 0] + littleEndian(image.pixelSize.width) + littleEndian(image.pixelSize.height) + [0, 7]
        let codes = codes(image.pixels)
        for start in stride(from: 0, to: codes.count, by: 255) {
            let block = codes[start..<min(start + 255, codes.count)]
            file.append(UInt8(block.count))
            file.append(contentsOf: block)
        }
        return file + [0, 0x3B]
    }

    private static func littleEndian(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }

    /// The colour table: a colour cube of five levels per channel, padded to 128 entries.
    private static var palette: [UInt8] {
        var bytes: [UInt8] = []
        for red in 0..<levels {
            for green in 0..<levels {
                for blue in 0..<levels { bytes += [red, green, blue].map { UInt8($0 * 255 / (levels - 1)) } }
            }
        }
        return bytes + [UInt8](repeating: 0, count: 128 * 3 - bytes.count)
    }

    private static func codes(_ pixels: PixelBuffer) -> [UInt8] {
        var codes: [UInt8] = []
        codes.reserveCapacity(pixels.width * pixels.height * 11 / 10)
        pixels.withUnsafeBytes { bytes in
            var position = 0
            for y in 0..<pixels.height {
                for x in 0..<pixels.width {
                    if position % codesBetweenClears == 0 { codes.append(clearCode) }
                    position += 1
                    let offset = y * pixels.bytesPerRow + x * 4
                    codes.append(index(bytes[offset + 2], bytes[offset + 1], bytes[offset], x, y))
                }
            }
        }
        return codes + [endCode]
    }

    /// Returns the index of a colour of the cube that is near the given colour. The position of the pixel affects the
    /// choice (ordered dithering), so that the sky has no visible bands.
    private static func index(_ red: UInt8, _ green: UInt8, _ blue: UInt8, _ x: Int, _ y: Int) -> UInt8 {
        let threshold = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5][(y & 3) * 4 + (x & 3)] * 4
        func level(_ value: UInt8) -> Int { min((Int(value) * (levels - 1) + threshold * 4) / 256, levels - 1) }
        return UInt8((level(red) * levels + level(green)) * levels + level(blue))
    }
}
