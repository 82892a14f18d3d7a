import CWebImagePixelLoops
package import WebImageCore

extension PixelBuffer {
    /// The size in pixels.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// Returns pixels of four bytes that an encoder can read as pixels with straight alpha. The format is `rgba8` or,
    /// for an opaque image in the display format, the display format.
    package func straight(hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch format {
        case .rgba8: self
        case .bgra8Premultiplied: hasAlpha ? try converted(to: .rgba8) : self
        case .rgb8, .gray8, .rgba16, .rgbaHalf: try converted(to: .rgba8)
        }
    }

    /// Premultiplies straight BGRA rows, or some of their columns, in place.
    ///
    /// Decoders call this function after they wrote straight pixels to a buffer in the display format.
    package func premultiplyInPlace(rows: Range<Int>, columns: Range<Int>? = nil) {
        let columns = columns ?? 0..<width
        precondition(format == .bgra8Premultiplied && rows.lowerBound >= 0 && rows.upperBound <= height)
        precondition(columns.lowerBound >= 0 && columns.upperBound <= width)
        let start = baseAddress.advanced(by: rows.lowerBound * bytesPerRow + columns.lowerBound * 4)
            .assumingMemoryBound(to: UInt8.self)
        let stride = Int32(clamping: bytesPerRow)
        _ = webimage_yuv_premultiply(
            start, stride, start, stride, Int32(clamping: columns.count), Int32(clamping: rows.count))
    }
}
