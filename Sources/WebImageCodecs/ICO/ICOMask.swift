import WebImageCore

/// The transparency mask after the pixels of an icon's bitmap. It has one bit per pixel; 1 means transparent.
struct ICOMask {
    let header: BMPHeader
    let bytes: UnsafeRawBufferPointer

    /// Returns the mask as an alpha plane. Returns nil if the file does not contain the complete mask; all pixels are
    /// then opaque.
    func alpha() throws(WebImageError) -> PixelBuffer? {
        let stride = (header.size.width + 31) / 32 * 4
        let start = header.pixels + header.rowBytes * header.size.height
        let least = stride * (header.size.height - 1) + (header.size.width + 7) / 8
        guard let range = bytes.range(at: start, count: least) else { return nil }
        // The file has no mask if its colour profile is stored at the position of the mask.
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
