import WebImageCore

/// A picture as GIF stores it: rows of palette indices without padding.
struct IndexedPicture {
    var width: Int
    var height: Int
    var indices: [UInt8]
    /// The palette: at most 256 triplets of red, green and blue. If the picture has transparent pixels, one triplet is
    /// for these pixels.
    var palette: [UInt8]
    var transparentIndex: Int?

    /// The lowest alpha that becomes opaque. Lower values become transparent. GIF has no partial transparency.
    static let opaqueAlpha: UInt32 = 128

    /// Converts pixels with straight alpha (`rgba8`) to palette indices. If the pixels have at most 256 colours, the
    /// result is exact. Otherwise the result has 256 colours with error diffusion.
    ///
    /// This package implements the conversion because no packaged library with a permissive licence does it well.
    /// giflib's function uses 5 bits per channel and no dithering. The loops run only when a GIF is written. A photo of
    /// one megapixel takes about 40 ms in a release build.
    ///
    /// - Throws: The error of the current ``WorkBudget`` if it has ended.
    init(_ pixels: PixelBuffer) throws(WebImageError) {
        precondition(pixels.format == .rgba8)
        width = pixels.width
        height = pixels.height
        if let exact = ExactPalette(pixels) {
            (indices, palette, transparentIndex) = (exact.indices, exact.palette, exact.transparentIndex)
            return
        }
        let histogram = ColorHistogram(pixels)
        let colors = histogram.palette(count: histogram.hasTransparency ? 255 : 256)
        palette = colors.flatMap { [$0.red, $0.green, $0.blue] }
        transparentIndex = histogram.hasTransparency ? colors.count : nil
        if histogram.hasTransparency { palette += [0, 0, 0] }
        try WorkBudget.checkCurrent()
        indices = try ErrorDiffusion(colors: colors, transparentIndex: UInt8(truncatingIfNeeded: colors.count))
            .indices(of: pixels)
    }
}

/// A palette that contains exactly the colours of the picture. The initialiser returns nil if the picture has more than
/// 256 colours.
private struct ExactPalette {
    var indices: [UInt8]
    var palette: [UInt8] = []
    var transparentIndex: Int?

    init?(_ pixels: PixelBuffer) {
        // A hash table with open addressing. The slot of a colour stores the palette index of the colour plus 1. The
        // value 0 means that the slot is free.
        let slotCount = 1024
        var keys = [UInt32](repeating: 0, count: slotCount)
        var slots = [UInt16](repeating: 0, count: slotCount)
        var count: UInt16 = 0
        var lastKey: UInt32 = 0
        var lastIndex: UInt8 = 0
        var hasLast = false
        var clear: Int?
        let (width, height) = (pixels.width, pixels.height)
        var overflowed = false
        var colors: [UInt32] = []
        indices = [UInt8](unsafeUninitializedCapacity: width * height) { target, initialized in
            keys.withUnsafeMutableBufferPointer { keys in
                slots.withUnsafeMutableBufferPointer { slots in
                    var place = 0
                    for row in 0..<height {
                        let source = (pixels.baseAddress + row * pixels.bytesPerRow).assumingMemoryBound(
                            to: UInt32.self)
                        var column = 0
                        while column < width {
                            let pixel = source[column]
                            let key = pixel >> 24 < IndexedPicture.opaqueAlpha ? 0 : pixel | 0xFF00_0000
                            if !(hasLast && key == lastKey) {
                                var slot = Int((key &* 0x9E37_79B1) >> 22)
                                while slots[slot] != 0, keys[slot] != key { slot = (slot &+ 1) & (slotCount &- 1) }
                                if slots[slot] == 0 {
                                    if count == 256 {
                                        overflowed = true
                                        return
                                    }
                                    if key == 0 { clear = Int(count) }
                                    colors.append(key)
                                    count &+= 1
                                    slots[slot] = count
                                    keys[slot] = key
                                }
                                (lastKey, hasLast) = (key, true)
                                lastIndex = UInt8(truncatingIfNeeded: slots[slot] &- 1)
                            }
                            target[place] = lastIndex
                            place &+= 1
                            column &+= 1
                        }
                    }
                    initialized = place
                }
            }
        }
        guard !overflowed else { return nil }
        palette = colors.flatMap { [UInt8($0 & 255), UInt8($0 >> 8 & 255), UInt8($0 >> 16 & 255)] }
        transparentIndex = clear
    }
}
