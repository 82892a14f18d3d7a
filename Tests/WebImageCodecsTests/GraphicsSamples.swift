import Foundation
import Testing
import WebImageCore

/// Generates pixel buffers and reads single pixels.
enum Sample {
    /// Returns a buffer whose channels are the results of `value`, in memory order. 16-bit channels are in host
    /// byte order. For half precision, `value` returns the channel × 65,535.
    static func buffer(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ value: (_ x: Int, _ y: Int, _ channel: Int) -> Int
    ) throws -> PixelBuffer {
        let buffer = try PixelBuffer(width: width, height: height, format: format)
        buffer.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    for channel in 0..<format.channelCount {
                        let sample = y * buffer.bytesPerRow + x * format.bytesPerPixel
                        let size = format.bitsPerComponent / 8
                        let number = format.isFloatingPoint ? half(value(x, y, channel)) : value(x, y, channel)
                        for byte in 0..<size {
                            bytes[sample + channel * size + byte] = UInt8(truncatingIfNeeded: number >> (8 * byte))
                        }
                    }
                }
            }
        }
        return buffer
    }

    /// Returns the channels of one pixel in memory order.
    static func pixel(_ buffer: PixelBuffer, _ x: Int, _ y: Int) -> [Int] {
        buffer.withUnsafeBytes { bytes in
            let size = buffer.format.bitsPerComponent / 8
            let start = y * buffer.bytesPerRow + x * buffer.format.bytesPerPixel
            return (0..<buffer.format.channelCount).map { channel in
                let number = (0..<size).reduce(0) { $0 | Int(bytes[start + channel * size + $1]) << (8 * $1) }
                return buffer.format.isFloatingPoint ? word(number) : number
            }
        }
    }

    /// Stands for a sample that is infinite or not a number.
    static let notFinite = Int.max >> 1

    private static func half(_ word: Int) -> Int { Int(Float16(Double(word) / 65535).bitPattern) }
    private static func word(_ half: Int) -> Int {
        let value = Double(Float16(bitPattern: UInt16(half)))
        return value.isFinite ? Int((value * 65535).rounded()) : notFinite
    }

    /// Returns all channels of all pixels, row by row.
    static func values(_ buffer: PixelBuffer) -> [Int] {
        (0..<buffer.height).flatMap { y in (0..<buffer.width).flatMap { pixel(buffer, $0, y) } }
    }

    /// Returns an image with smooth colours and without transparency.
    static func gradient(_ width: Int, _ height: Int, _ format: PixelFormat) throws -> PixelBuffer {
        try buffer(width, height, format) { x, y, channel in
            if format.hasAlpha, channel == 3 { return format.bitsPerComponent == 16 ? 65535 : 255 }
            let value = [x * 255 / max(width - 1, 1), y * 255 / max(height - 1, 1), (x + y) * 255 / (width + height)][
                channel]
            return format.bitsPerComponent == 16 ? value * 257 : value
        }
    }

    /// Returns the largest difference between two lists of channels; `.max` if a sample is not finite.
    static func largestDifference(_ left: [Int], _ right: [Int]) -> Int {
        guard left.count == right.count, !left.contains(notFinite), !right.contains(notFinite) else { return .max }
        return zip(left, right).map { abs($0 - $1) }.max() ?? 0
    }
}
