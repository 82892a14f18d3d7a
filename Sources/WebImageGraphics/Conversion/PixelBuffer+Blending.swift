import CWebImagePixman
import Foundation
package import WebImageCore

extension PixelBuffer {
    /// Draws `source` over the receiver. The top left corner of `source` is at `x`, `y`. Pixels outside the receiver
    /// are ignored.
    ///
    /// Both buffers must have the same format, with alpha and integer samples. pixman blends premultiplied pixels. A
    /// Swift loop blends straight pixels, because no library has this function. The loop runs rarely, because pixels
    /// are decoded as straight only on request, for lossless conversion.
    package func blend(_ source: PixelBuffer, x: Int, y: Int) throws(WebImageError) {
        precondition(format == source.format && format.hasAlpha && !format.isFloatingPoint)
        let columns = max(x, 0)..<max(min(x + source.width, width), max(x, 0))
        let rows = max(y, 0)..<max(min(y + source.height, height), max(y, 0))
        guard !columns.isEmpty, !rows.isEmpty else { return }
        let region = BlendRegion(source: source, target: self, x: x, y: y, columns: columns, rows: rows)
        if format == .rgba16 {
            region.blendStraight16()
        } else if format.isPremultiplied {
            try region.blendPremultiplied()
        } else {
            region.blendStraight8()
        }
    }

    /// Copies a rectangle of `source` into the receiver. The rectangle has the size of the receiver; its top left is
    /// at `x`, `y` of `source`.
    package func copyRectangle(of source: PixelBuffer, x: Int, y: Int) {
        precondition(format == source.format && x >= 0 && y >= 0)
        precondition(x + width <= source.width && y + height <= source.height)
        let count = width * format.bytesPerPixel
        var from = source.baseAddress + y * source.bytesPerRow + x * format.bytesPerPixel
        var into = baseAddress
        if count == bytesPerRow, bytesPerRow == source.bytesPerRow {
            memcpy(into, from, byteCount)
            return
        }
        for _ in 0..<height {
            memcpy(into, from, count)
            into += bytesPerRow
            from += source.bytesPerRow
        }
    }

    /// Sets a rectangle inside the picture to transparent black.
    package func clearRectangle(x: Range<Int>, y: Range<Int>) {
        precondition(x.lowerBound >= 0 && x.upperBound <= width && y.lowerBound >= 0 && y.upperBound <= height)
        let count = x.count * format.bytesPerPixel
        if x.count == width {
            memset(baseAddress + y.lowerBound * bytesPerRow, 0, y.count * bytesPerRow)
            return
        }
        var into = baseAddress + y.lowerBound * bytesPerRow + x.lowerBound * format.bytesPerPixel
        for _ in y {
            memset(into, 0, count)
            into += bytesPerRow
        }
    }
}

/// The part of the source that is inside the target, with the operations that blend this part.
private struct BlendRegion {
    let source: PixelBuffer
    let target: PixelBuffer
    let x: Int
    let y: Int
    let columns: Range<Int>
    let rows: Range<Int>

    private func sourceRow(_ row: Int, column: Int) -> UnsafeMutableRawPointer {
        source.baseAddress + (row - y) * source.bytesPerRow + (column - x) * source.format.bytesPerPixel
    }

    private func targetRow(_ row: Int, column: Int) -> UnsafeMutableRawPointer {
        target.baseAddress + row * target.bytesPerRow + column * target.format.bytesPerPixel
    }

    /// The side of a tile in pixels. Large pictures are drawn in tiles, because pixman draws nothing if a coordinate
    /// exceeds 15 bits (32,767 px).
    private static let tileSide = 16384

    func blendPremultiplied() throws(WebImageError) {
        for top in stride(from: rows.lowerBound, to: rows.upperBound, by: Self.tileSide) {
            for left in stride(from: columns.lowerBound, to: columns.upperBound, by: Self.tileSide) {
                let size = PixelSize(
                    width: min(Self.tileSide, columns.upperBound - left),
                    height: min(Self.tileSide, rows.upperBound - top))
                // Use pixman's ARGB format for every pixel format. Only alpha must be in the right byte (the highest
                // byte); the order of the colours does not affect blending.
                let above = try PixmanTile(sourceRow(top, column: left), size, stride: source.bytesPerRow)
                let below = try PixmanTile(targetRow(top, column: left), size, stride: target.bytesPerRow)
                pixman_image_composite32(
                    PIXMAN_OP_OVER, above.handle, nil, below.handle, 0, 0, 0, 0, 0, 0, Int32(size.width),
                    Int32(size.height))
            }
        }
    }

    func blendStraight8() {
        for row in rows {
            let above = sourceRow(row, column: columns.lowerBound).assumingMemoryBound(to: UInt32.self)
            let below = targetRow(row, column: columns.lowerBound).assumingMemoryBound(to: UInt32.self)
            var index = 0
            let count = columns.count
            while index < count {
                let pixel = above[index]
                let alpha = pixel >> 24
                if alpha == 255 {
                    below[index] = pixel
                } else if alpha != 0 {
                    below[index] = StraightBlend.over(pixel, below[index])
                }
                index &+= 1
            }
        }
    }

    func blendStraight16() {
        for row in rows {
            let above = sourceRow(row, column: columns.lowerBound).assumingMemoryBound(to: UInt16.self)
            let below = targetRow(row, column: columns.lowerBound).assumingMemoryBound(to: UInt16.self)
            for index in stride(from: 0, to: columns.count * 4, by: 4) {
                StraightBlend.over16(above + index, below + index)
            }
        }
    }
}

/// Blends one straight pixel over another (PNG third edition, §13.16).
private enum StraightBlend {
    @inline(__always)
    static func over(_ above: UInt32, _ below: UInt32) -> UInt32 {
        let belowAlpha = below >> 24
        if belowAlpha == 0 { return above }
        let alpha = above >> 24
        let own = alpha &* 255
        let rest = (255 &- alpha) &* belowAlpha
        let sum = own &+ rest
        let red = ((above & 255) &* own &+ (below & 255) &* rest) / sum
        let green = ((above >> 8 & 255) &* own &+ (below >> 8 & 255) &* rest) / sum
        let blue = ((above >> 16 & 255) &* own &+ (below >> 16 & 255) &* rest) / sum
        return red | green << 8 | blue << 16 | (sum / 255) << 24
    }

    static func over16(_ above: UnsafeMutablePointer<UInt16>, _ below: UnsafeMutablePointer<UInt16>) {
        let (alpha, belowAlpha) = (UInt64(above[3]), UInt64(below[3]))
        if alpha == 0 { return }
        let own = alpha * 65535
        let rest = (65535 - alpha) * belowAlpha
        for channel in 0..<3 {
            below[channel] = UInt16((UInt64(above[channel]) * own + UInt64(below[channel]) * rest) / (own + rest))
        }
        below[3] = UInt16((own + rest) / 65535)
    }
}

/// Owns one pixman image that uses the memory of a part of a buffer. The buffer must outlive this object.
private struct PixmanTile: ~Copyable {
    let handle: OpaquePointer

    init(_ start: UnsafeMutableRawPointer, _ size: PixelSize, stride: Int) throws(WebImageError) {
        let bits = start.assumingMemoryBound(to: UInt32.self)
        guard
            let handle = pixman_image_create_bits_no_clear(
                PIXMAN_a8r8g8b8, Int32(size.width), Int32(size.height), bits, Int32(clamping: stride))
        else { throw .badData("pixman", "cannot make an image of \(size) px") }
        self.handle = handle
        HandleLedger.opened("pixman_image")
    }

    deinit {
        pixman_image_unref(handle)
        HandleLedger.closed("pixman_image")
    }
}
