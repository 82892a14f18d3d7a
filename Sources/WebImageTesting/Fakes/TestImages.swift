public import WebImageCore

/// Generated images for tests.
public enum TestImages {
    /// Returns an image of one colour in the display format.
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

    /// Returns an image that no codec compresses well. All bytes except alpha are noise, which is the same in every
    /// run.
    public static func noise(width: Int, height: Int) throws(WebImageError) -> Image {
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        var state: UInt32 = 1
        pixels.withUnsafeMutableBytes { bytes in
            for row in 0..<height {
                for column in 0..<width {
                    // Use the linear congruential generator of the book Numerical Recipes. Its upper bits are random
                    // enough for noise.
                    state = state &* 1_664_525 &+ 1_013_904_223
                    bytes.storeBytes(
                        of: state >> 8 | 0xFF00_0000, toByteOffset: row * pixels.bytesPerRow + column * 4,
                        as: UInt32.self)
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: false)
    }
}
