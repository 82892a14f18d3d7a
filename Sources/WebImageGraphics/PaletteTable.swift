import CYUV
package import WebImageCore

/// Turns palette indices into pixels of four bytes.
///
/// The lookups are libyuv's: an index is spread over all four channels of a pixel, then each channel is looked up in its
/// column of the table. That keeps the loop over pixels out of Swift, where a debug build would be many times slower.
package struct PaletteTable: Sendable {
    /// 256 entries of four bytes in the order of the target's channels.
    private var table: [UInt8]

    /// Builds the table from red, green, blue triplets; missing entries are opaque black, `transparentIndex` is clear.
    ///
    /// An animation builds one for each frame, so libyuv does this as well.
    ///
    /// - Parameter format: `.bgra8Premultiplied` or `.rgba8`.
    package init(rgb: [UInt8], transparentIndex: Int?, format: PixelFormat) {
        precondition(format == .bgra8Premultiplied || format == .rgba8)
        var colors = rgb
        colors.reserveCapacity(768)
        if colors.count < 768 { colors += [UInt8](repeating: 0, count: 768 - colors.count) }
        table = [UInt8](unsafeUninitializedCapacity: 1024) { table, count in
            _ = colors.withUnsafeBufferPointer { colors in
                format == .rgba8
                    ? RGB24ToARGB(colors.baseAddress, 768, table.baseAddress, 1024, 256, 1)
                    : RAWToARGB(colors.baseAddress, 768, table.baseAddress, 1024, 256, 1)
            }
            count = 1024
        }
        if let clear = transparentIndex, (0..<256).contains(clear) {
            table.replaceSubrange(clear * 4..<clear * 4 + 4, with: repeatElement(0, count: 4))
        }
    }

    /// Writes `rowCount` rows of `width` pixels, `targetStride` bytes apart, from tightly packed rows of indices.
    package func expand(
        _ indices: UnsafePointer<UInt8>, stride: Int, width: Int, rowCount: Int, into target: UnsafeMutableRawPointer,
        targetStride: Int
    ) {
        let pixels = target.assumingMemoryBound(to: UInt8.self)
        let (stride, targetStride) = (Int32(clamping: stride), Int32(clamping: targetStride))
        let (width, rowCount) = (Int32(clamping: width), Int32(clamping: rowCount))
        J400ToARGB(indices, stride, pixels, targetStride, width, rowCount)
        ARGBCopyYToAlpha(indices, stride, pixels, targetStride, width, rowCount)
        table.withUnsafeBufferPointer {
            _ = ARGBColorTable(pixels, targetStride, $0.baseAddress, 0, 0, width, rowCount)
        }
    }
}
