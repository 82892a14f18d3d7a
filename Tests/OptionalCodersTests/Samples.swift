import Foundation
import WebImageCore
import WebImageGraphics

/// Computes sample images, and the difference between two images.
enum Samples {
    /// Returns an image with smooth colours. If `hasAlpha` is true, the image fades from left to right.
    static func picture(width: Int = 48, height: Int = 32, hasAlpha: Bool = false, shift: Int = 0) throws -> Image {
        let pixels = try PixelBuffer(width: width, height: height, format: .rgba8)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<height {
                for x in 0..<width {
                    let at = y * pixels.bytesPerRow + x * 4
                    bytes[at] = UInt8((x * 4 + shift) % 256)
                    bytes[at + 1] = UInt8(y * 4 % 256)
                    bytes[at + 2] = UInt8((x + y) % 128 + 64)
                    bytes[at + 3] = hasAlpha ? UInt8(max(16, 255 - x * 4 % 240)) : 255
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: hasAlpha)
    }

    /// Returns the largest difference of any channel, after conversion of both images to straight RGBA. Returns
    /// `Int.max` if the sizes differ.
    static func difference(_ left: Image, _ right: Image) throws -> Int {
        let (mine, other) = (try left.pixels.converted(to: .rgba8), try right.pixels.converted(to: .rgba8))
        guard left.pixelSize == right.pixelSize else { return .max }
        var largest = 0
        mine.withUnsafeBytes { mine in
            other.withUnsafeBytes { theirs in
                let rowBytes = mine.count / left.pixelSize.height
                for y in 0..<left.pixelSize.height {
                    for at in y * rowBytes..<y * rowBytes + left.pixelSize.width * 4 {
                        largest = max(largest, abs(Int(mine[at]) - Int(theirs[at])))
                    }
                }
            }
        }
        return largest
    }

    /// Options for straight pixels with 8 bits per channel.
    static let straight: DecodingOptions = {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.colorConversion = .asStored
        return options
    }()

    /// A lossless animation of four frames of 16 × 12 px. A pixel has red = x · 16, green = y · 20 and blue = frame
    /// index · 60. libjxl 0.7 wrote the file, because this package writes no JPEG XL animations.
    static let animatedJXL =
        Data(
            base64Encoded: """
                /wpYMEETAIgJCAIBABQBSzhomMKD9xUUTDAyIq1RMQbLxuC8JZrZQgQYAMje7K5Doqqq+m7qfe99733PfX95Iv2kQU3EHEP4
                5yZtDAAAAHCEwTYCCAIKAAA4AUs4aJjCg/cVFEyAEVWjYuPdEkdtIQIMAGTPPKEyAanq8Kgq/hKBILSPIPQfQej/kYT+Ewn9
                v4k4zMRM8WMFTmU7i4luDy0AAAAApXDADggCDgAAVAFLOGiYwoP3FRRMgBFlo2Lj5SEtEBVj8B5YiAADANn7zSYAeNxHqqpa
                fQtH8EYSun8Eof8IQv8JhP6/ROh/9SjoZTJBmY1EbSYP82+gxQ8AAAD94ugDCAISBABYAUs4aJjCg/cVFEyAEXWjYuPFPKQF
                omIM3gMLEWAAIHu/2QQAj/xIVVW9xdCQt5CEZj+C0H8Eof8EQv9fIvS/eVTwMr4U6M2i+IeH+TOgxQ8AAAD84oiV
                """, options: .ignoreUnknownCharacters) ?? Data()
}
