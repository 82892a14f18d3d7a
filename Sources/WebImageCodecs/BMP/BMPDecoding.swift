import Foundation
import WebImageCore
import WebImageGraphics

/// The decoding steps that BMP files and bitmaps inside icons have in common.
enum BMPDecoding {
    /// Turns straight BGRA pixels into a picture. Premultiplies them if no colour conversion follows, else swaps them
    /// to RGBA.
    static func picture(
        _ pixels: PixelBuffer, hasAlpha: Bool, profile: ColorProfile?, options: DecodingOptions, format: ImageFormat
    ) throws(WebImageError) -> DecodedPicture {
        var pixels = pixels
        if hasAlpha {
            let managesColor = profile != nil && options.colorConversion == .sRGB
            if options.pixelFormat == .bgra8Premultiplied, !managesColor {
                pixels.premultiplyInPlace(rows: 0..<pixels.height)
            } else {
                // `isOpaque: true` makes `converted` swap only red and blue. The alpha of these pixels is straight,
                // although the buffer's format is called premultiplied.
                pixels = try pixels.converted(to: .rgba8, isOpaque: true)
            }
        }
        return DecodedPicture(
            pixels: pixels, orientation: .up, profile: profile, hasAlpha: hasAlpha, format: format)
    }

    static func profile(
        _ header: BMPHeader, _ bytes: UnsafeRawBufferPointer, _ limits: DecodingLimits
    ) throws(WebImageError) -> ColorProfile? {
        guard let range = header.iccProfile else { return nil }
        var budget = AncillaryBudget(limits)
        try budget.take(range.count)
        return ColorProfile(iccData: Data(bytes[range]))
    }
}
