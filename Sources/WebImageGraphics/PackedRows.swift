import CWebImagePixelLoops
import Foundation
package import WebImageCore

/// Converts rows of packed pixels to and from buffers in the display format (`bgra8Premultiplied`), with libyuv.
///
/// The functions that write to a buffer write straight pixels, although the display format is premultiplied. If the
/// pixels have alpha, the caller must afterwards premultiply them with `premultiplyInPlace(rows:)`, or convert them to
/// straight RGBA with `converted(to: .rgba8, isOpaque: true)`.
package enum PackedRows {
    /// How the pixels of a row are packed.
    package enum Layout: Sendable {
        /// Three bytes per pixel: blue, green, red.
        case bgr24
        /// Little-endian 16-bit words: 5 bits red (highest), 6 bits green, 5 bits blue.
        case rgb565
        /// Little-endian 16-bit words: 1 unused bit (highest), then 5 bits each of red, green and blue.
        case xrgb1555
        /// Four bytes per pixel. The value for a channel is the index (0…3) of the byte that stores this channel.
        case bytes32(blue: UInt8, green: UInt8, red: UInt8, alpha: UInt8)
    }

    /// Converts `rows` rows and writes them to the buffer, starting at row `top`. If `stride` is negative, each source
    /// row is before the previous row in memory.
    package static func expand(
        _ source: UnsafePointer<UInt8>, stride: Int, _ layout: Layout, into buffer: PixelBuffer, top: Int, rows: Int
    ) {
        precondition(buffer.format == .bgra8Premultiplied && top >= 0 && rows >= 0 && top + rows <= buffer.height)
        let width = Int32(clamping: buffer.width)
        let targetStride = Int32(clamping: buffer.bytesPerRow)
        for row in 0..<rows {
            let line = source + row * stride
            let target = (buffer.baseAddress + (top + row) * buffer.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            switch layout {
            case .bgr24: _ = webimage_yuv_append_alpha(line, 0, target, targetStride, width, 1)
            case .rgb565: _ = webimage_yuv_rgb565_to_bgra(line, 0, target, targetStride, width, 1)
            case .xrgb1555: _ = webimage_yuv_rgb555_to_bgra(line, 0, target, targetStride, width, 1)
            case .bytes32(let blue, let green, let red, let alpha):
                var shuffle: [UInt8] = []
                for pixel: UInt8 in [0, 4, 8, 12] {
                    shuffle += [pixel + blue, pixel + green, pixel + red, pixel + alpha]
                }
                _ = webimage_yuv_shuffle(line, 0, target, targetStride, shuffle, width, 1)
            }
        }
    }

    /// Makes every pixel opaque.
    package static func setOpaque(_ buffer: PixelBuffer) throws(WebImageError) {
        let line = try PixelBuffer(width: buffer.width, height: 1, format: .gray8)
        let plane = try BytePlane(line)
        memset(plane.base, 255, line.width)
        try setAlpha(of: buffer, from: plane.base, stride: 0)
    }

    /// Sets alpha to the values in a plane of one byte per pixel.
    package static func setAlpha(of buffer: PixelBuffer, from plane: PixelBuffer) throws(WebImageError) {
        precondition(plane.format == .gray8 && plane.width == buffer.width && plane.height == buffer.height)
        let source = try BytePlane(plane)
        try setAlpha(of: buffer, from: source.base, stride: source.stride)
    }

    private static func setAlpha(
        of buffer: PixelBuffer, from alpha: UnsafePointer<UInt8>, stride: Int32
    ) throws(WebImageError) {
        let plane = try BytePlane(buffer)
        _ = webimage_yuv_set_alpha(alpha, stride, plane.base, plane.stride, plane.width, plane.height)
    }

    /// Converts one row of straight RGBA, or of opaque pixels of the display format, to blue, green and red, and alpha if it
    /// is wanted.
    package static func pack(
        _ buffer: PixelBuffer, row: Int, alpha: Bool, into target: UnsafeMutablePointer<UInt8>
    ) {
        precondition(row >= 0 && row < buffer.height)
        let line = (buffer.baseAddress + row * buffer.bytesPerRow).assumingMemoryBound(to: UInt8.self)
        let width = Int32(clamping: buffer.width)
        switch (buffer.format, alpha) {
        case (.rgba8, true): _ = webimage_yuv_swap_red_and_blue(line, 0, target, 0, width, 1)
        case (.rgba8, false): _ = webimage_yuv_rgba_to_bgr(line, 0, target, 0, width, 1)
        case (.bgra8Premultiplied, false): _ = webimage_yuv_drop_alpha(line, 0, target, 0, width, 1)
        default: preconditionFailure("rows of \(buffer.format) are not packed")
        }
    }
}
