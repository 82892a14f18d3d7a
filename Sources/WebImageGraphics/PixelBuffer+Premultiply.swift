import CYUV
package import WebImageCore

extension PixelBuffer {
    /// Makes straight BGRA rows the display format where they lie, for decoders that write straight ones into a buffer
    /// that is to hold the display format.
    package func premultiplyInPlace(rows: Range<Int>) {
        precondition(format == .bgra8Premultiplied && rows.lowerBound >= 0 && rows.upperBound <= height)
        let start = baseAddress.advanced(by: rows.lowerBound * bytesPerRow).assumingMemoryBound(to: UInt8.self)
        let stride = Int32(clamping: bytesPerRow)
        ARGBAttenuate(start, stride, start, stride, Int32(clamping: width), Int32(clamping: rows.count))
    }
}
