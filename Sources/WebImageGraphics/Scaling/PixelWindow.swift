import WebImageCore

/// The part of a buffer that the scaling of a region reads.
struct PixelWindow {
    let pixels: PixelBuffer
    let x: Int
    let y: Int
    let size: PixelSize

    /// The whole buffer.
    init(_ pixels: PixelBuffer) {
        self.pixels = pixels
        (x, y, size) = (0, 0, pixels.size)
    }

    /// The pixels of a region and those around it that the filter reads.
    ///
    /// Rows of the window start at a multiple of 64 pixels and therefore of 64 bytes, as zimg requires.
    init(_ pixels: PixelBuffer, for region: PixelRegion, to target: PixelSize) {
        self.pixels = pixels
        func range(_ start: Double, _ length: Double, to count: Int, of side: Int) -> Range<Int> {
            // The filter has three lobes. Add a few pixels, so that zimg never continues the picture beyond the window.
            let reach = 3 * max(length / Double(count), 1) + 8
            let first = min(max(Int((start - reach).rounded(.down)), 0), side - 1)
            return first..<max(min(Int((start + length + reach).rounded(.up)), side), first + 1)
        }
        let columns = range(region.left, region.width, to: target.width, of: pixels.width)
        let rows = range(region.top, region.height, to: target.height, of: pixels.height)
        x = columns.lowerBound & ~63
        y = rows.lowerBound
        size = PixelSize(width: columns.upperBound - x, height: rows.count)
    }

    /// The address of the first pixel.
    var start: UnsafeMutableRawPointer {
        pixels.baseAddress + (y * pixels.bytesPerRow + x * pixels.format.bytesPerPixel)
    }

    /// The position of a region of the buffer in the window.
    func moved(_ region: PixelRegion) -> PixelRegion {
        PixelRegion(
            left: region.left - Double(x), top: region.top - Double(y), width: region.width, height: region.height)
    }
}
