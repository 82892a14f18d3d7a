import CWebImagePixelLoops
package import WebImageCore

extension PixelBuffer {
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
