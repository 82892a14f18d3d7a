package import WebImageCore

extension Image {
    /// Returns an image in the display format. A closure computes the pixels. For each position, the closure returns
    /// blue, green, red and alpha (premultiplied).
    package static func generated(
        width: Int, height: Int,
        pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8, UInt8) = { _, _ in (0, 0, 0, 255) }
    ) throws(WebImageError) -> Image {
        let buffer = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        buffer.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let place = y * buffer.bytesPerRow + x * 4
                    (bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]) = pixel(x, y)
                }
            }
        }
        return Image(pixels: buffer)
    }
}
