import WebImageCore

/// The transparency mask after the pixels of an icon's bitmap. The mask has one bit per pixel; 1 means transparent.
struct ICOMask {
    let header: BMPHeader
    let bytes: UnsafeRawBufferPointer

    /// Returns the mask as an alpha plane. Returns nil if the file does not contain the complete mask. In this case,
    /// all pixels are opaque.
    func alpha() throws(WebImageError) -> PixelBuffer? {
        let stride = (header.size.width + 31) / 32 * 4
        let start = header.pixels + header.rowBytes * header.size.height
        let least = stride * (header.size.height - 1) + (header.size.width + 7) / 8
        guard let range = bytes.range(at: start, count: least) else { return nil }
        // If a colour profile is stored where the mask would be, the file has no mask.
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
