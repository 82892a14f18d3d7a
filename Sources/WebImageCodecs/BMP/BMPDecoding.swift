import Foundation
import WebImageCore
import WebImageGraphics

/// The decoding steps that the BMP coder and the ICO coder share.
enum BMPDecoding {
    /// Creates a picture from BGRA pixels with straight alpha. Pixels without alpha stay unchanged. Pixels with alpha
    /// are premultiplied if the options request the display format and no colour conversion follows. Otherwise pixels
    /// with alpha are converted to RGBA with straight alpha.
    static func picture(
        _ pixels: PixelBuffer, hasAlpha: Bool, profile: ColorProfile?, options: DecodingOptions, format: ImageFormat
    ) throws(WebImageError) -> DecodedPicture {
        var pixels = pixels
        if hasAlpha {
            let managesColor = profile != nil && options.colorConversion == .sRGB
            if options.pixelFormat == .bgra8Premultiplied, !managesColor {
                pixels.premultiplyInPlace(rows: 0..<pixels.height)
            } else {
                // `isOpaque: true` makes `converted` only swap red and blue. A conversion of alpha would be wrong: the
                // alpha of these pixels is straight, although the name of the buffer's format says "premultiplied".
                pixels = try pixels.converted(to: .rgba8, isOpaque: true)
            }
        }
        return DecodedPicture(
            pixels: pixels, orientation: .up, profile: profile, hasAlpha: hasAlpha, format: format)
    }

    static func profile(
        _ header: BMPHeader, bytes: UnsafeRawBufferPointer, limits: DecodingLimits
    ) throws(WebImageError) -> ColorProfile? {
        guard let range = header.iccProfile else { return nil }
        var budget = AncillaryBudget(limits)
        try budget.take(range.count)
        return ColorProfile(iccData: Data(bytes[range]))
    }
}
