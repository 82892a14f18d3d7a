import WebImageCore

/// The mask after an icon's bitmap: one bit a pixel, set for transparent pixels.
struct ICOMask {
    let header: BMPHeader
    let bytes: UnsafeRawBufferPointer

    /// A plane of alpha; nil when the file has no whole mask, which makes all pixels opaque.
    func alpha() throws(WebImageError) -> PixelBuffer? {
        let stride = (header.size.width + 31) / 32 * 4
        let start = header.pixels + header.rowBytes * header.size.height
        let least = stride * (header.size.height - 1) + (header.size.width + 7) / 8
        guard let range = bytes.range(at: start, count: least) else { return nil }
        // A profile at the position of the mask means that there is no mask.
        if let profile = header.iccProfile, profile.overlaps(range) { return nil }
        let plane = try PixelBuffer(width: header.size.width, height: header.size.height, format: .gray8)
        for stored in 0..<header.size.height {
            let row = header.isTopDown ? stored : header.size.height - 1 - stored
            let target = (plane.baseAddress + row * plane.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            let line = start + stored * stride
            for x in 0..<header.size.width {
                target[x] = bytes[line + x / 8] & (0x80 >> UInt8(x % 8)) == 0 ? 255 : 0
            }
        }
        return plane
    }
}
