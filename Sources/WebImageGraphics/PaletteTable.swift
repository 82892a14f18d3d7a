import CWebImagePixelLoops
package import WebImageCore

/// Converts palette indices to pixels of four bytes.
package struct PaletteTable: Sendable {
    /// 256 entries of four bytes, with the channels in the order of the target format.
    private var table: [UInt8]
    private let transparentIndex: UInt8?

    /// Creates the table from triplets of red, green and blue. Missing entries are opaque black. The entry at
    /// `transparentIndex` is transparent.
    ///
    /// libyuv converts the triplets for speed, because an animation creates one table for each frame.
    ///
    /// - Parameter format: `.bgra8Premultiplied` or `.rgba8`.
    package init(rgb: [UInt8], transparentIndex: Int?, format: PixelFormat) {
        precondition(format == .bgra8Premultiplied || format == .rgba8)
        self.transparentIndex = transparentIndex.flatMap { UInt8(exactly: $0) }
        var colors = rgb
        colors.reserveCapacity(768)
        if colors.count < 768 { colors += [UInt8](repeating: 0, count: 768 - colors.count) }
        table = [UInt8](unsafeUninitializedCapacity: 1024) { table, count in
            _ = colors.withUnsafeBufferPointer { colors in
                format == .rgba8
                    ? webimage_yuv_append_alpha(colors.baseAddress, 768, table.baseAddress, 1024, 256, 1)
                    : webimage_yuv_rgb_to_bgra(colors.baseAddress, 768, table.baseAddress, 1024, 256, 1)
            }
            count = 1024
        }
        if let clear = transparentIndex, (0..<256).contains(clear) {
            table.replaceSubrange(clear * 4..<clear * 4 + 4, with: repeatElement(0, count: 4))
        }
    }

    /// Creates the table from triplets of red, green and blue. `alphas` contains the straight alpha of the first
    /// entries; all later entries are opaque.
    package init(rgb: [UInt8], alphas: [UInt8], format: PixelFormat) {
        self.init(rgb: rgb, transparentIndex: nil, format: format)
        for (index, alpha) in alphas.prefix(256).enumerated() { table[index * 4 + 3] = alpha }
    }

    /// Converts `rowCount` rows of `width` indices to pixels. The written rows are `targetStride` bytes apart.
    ///
    /// - Parameter isOver: Whether an index that equals `transparentIndex` leaves the target pixel unchanged. If false,
    ///   this index writes a transparent pixel.
    package func expand(
        _ indices: UnsafePointer<UInt8>, stride: Int, width: Int, rowCount: Int, into target: UnsafeMutableRawPointer,
        targetStride: Int, isOver: Bool = false
    ) {
        let pixels = target.assumingMemoryBound(to: UInt8.self)
        table.withUnsafeBytes { bytes in
            let colors = bytes.bindMemory(to: UInt32.self).baseAddress
            if isOver, let transparentIndex {
                webimage_expand_indices_over(
                    indices, stride, colors, transparentIndex, width, rowCount, pixels, targetStride)
            } else {
                webimage_expand_indices(indices, stride, colors, width, rowCount, pixels, targetStride)
            }
        }
    }
}
