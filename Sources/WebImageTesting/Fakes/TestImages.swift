public import WebImageCore

/// Images made of nothing, for tests that need one.
public enum TestImages {
    /// A picture of one colour, display format.
    public static func solid(
        width: Int = 4, height: Int = 4, blue: UInt8 = 40, green: UInt8 = 80, red: UInt8 = 120, alpha: UInt8 = 255
    ) throws(WebImageError) -> Image {
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { bytes in
            for row in 0..<height {
                for column in 0..<width {
                    let offset = row * pixels.bytesPerRow + column * 4
                    bytes[offset] = blue
                    bytes[offset + 1] = green
                    bytes[offset + 2] = red
                    bytes[offset + 3] = alpha
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: alpha != 255)
    }
}
