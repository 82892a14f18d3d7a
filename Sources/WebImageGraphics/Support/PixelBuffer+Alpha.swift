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

    /// Divides the colours of `rgba8` or `rgba16` pixels by alpha, in place.
    package func unpremultiplyInPlace() {
        precondition(format == .rgba8 || format == .rgba16)
        if format == .rgba8 {
            let start = baseAddress.assumingMemoryBound(to: UInt8.self)
            let stride = Int32(clamping: bytesPerRow)
            _ = webimage_unpremultiply(
                start, stride, start, stride, Int32(clamping: width), Int32(clamping: height))
            return
        }
        for row in 0..<height {
            let samples = (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt16.self)
            for pixel in 0..<width {
                let alpha = UInt32(samples[pixel * 4 + 3])
                guard alpha > 0, alpha < 65535 else { continue }
                for channel in pixel * 4..<pixel * 4 + 3 {
                    samples[channel] = UInt16(min((UInt32(samples[channel]) * 65535 + alpha / 2) / alpha, 65535))
                }
            }
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
        _ = webimage_premultiply(
            start, stride, start, stride, Int32(clamping: columns.count), Int32(clamping: rows.count))
    }
}
