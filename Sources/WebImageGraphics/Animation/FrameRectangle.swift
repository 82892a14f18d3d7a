import Foundation
package import WebImageCore

/// The rectangle of a canvas that an encoder writes for one frame.
package struct FrameRectangle: Hashable {
    package var x: Range<Int>
    package var y: Range<Int>

    package static func whole(_ pixels: PixelBuffer) -> FrameRectangle {
        FrameRectangle(x: 0..<pixels.width, y: 0..<pixels.height)
    }

    /// Creates the smallest rectangle that contains all differences of two canvases. If the canvases are equal, the
    /// rectangle is one pixel, because a frame cannot be empty. Both canvases must have the same size and layout.
    ///
    /// `memcmp` compares whole rows. A binary search with `memcmp` finds the first and the last different column. A
    /// Swift loop over bytes would be slow in a debug build.
    package init(from before: PixelBuffer, to after: PixelBuffer) {
        let pixelBytes = after.format.bytesPerPixel
        var (left, right) = (after.width, 0)
        var (top, bottom) = (after.height, 0)
        for row in 0..<after.height {
            let old = before.baseAddress + row * before.bytesPerRow
            let new = after.baseAddress + row * after.bytesPerRow
            let differs = { (columns: Range<Int>) in
                memcmp(
                    old + columns.lowerBound * pixelBytes, new + columns.lowerBound * pixelBytes,
                    columns.count * pixelBytes) != 0
            }
            guard differs(0..<after.width) else { continue }
            (top, bottom) = (min(top, row), row + 1)
            if left > 0, differs(0..<left) { left = Self.firstDifference(0..<left, differs) }
            if right < after.width, differs(right..<after.width) {
                right = Self.endOfDifference(right..<after.width, differs)
            }
        }
        self.init(x: left < right ? left..<right : 0..<1, y: top < bottom ? top..<bottom : 0..<1)
    }

    package init(x: Range<Int>, y: Range<Int>) {
        self.x = x
        self.y = y
    }

    private static func firstDifference(_ columns: Range<Int>, _ differs: (Range<Int>) -> Bool) -> Int {
        var (low, high) = (columns.lowerBound, columns.upperBound)
        while high - low > 1 {
            let middle = (low + high) / 2
            if differs(low..<middle) { high = middle } else { low = middle }
        }
        return low
    }

    private static func endOfDifference(_ columns: Range<Int>, _ differs: (Range<Int>) -> Bool) -> Int {
        var (low, high) = (columns.lowerBound, columns.upperBound)
        while high - low > 1 {
            let middle = (low + high) / 2
            if differs(middle..<high) { low = middle } else { high = middle }
        }
        return high
    }

    /// This rectangle, extended to the left and to the top by at most one pixel, so that both positions are even. WebP
    /// can store only even frame positions.
    package var evenStart: FrameRectangle {
        FrameRectangle(
            x: x.lowerBound & ~1..<x.upperBound, y: y.lowerBound & ~1..<y.upperBound)
    }

    /// Returns a copy of the pixels inside the rectangle, or the canvas itself if the rectangle covers the whole
    /// canvas.
    package func cut(from canvas: PixelBuffer) throws(WebImageError) -> PixelBuffer {
        if self == .whole(canvas) { return canvas }
        let part = try PixelBuffer(width: x.count, height: y.count, format: canvas.format)
        part.copyRectangle(of: canvas, x: x.lowerBound, y: y.lowerBound)
        return part
    }
}
