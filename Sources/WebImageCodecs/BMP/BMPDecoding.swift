import Foundation
import WebImageCore
import WebImageGraphics

/// The steps that files and icons share.
enum BMPDecoding {
    /// The decoded pixels, before conversion; offsets in the header count from the start of `bytes`.
    static func picture(
        _ pixels: PixelBuffer, hasAlpha: Bool, profile: ColorProfile?, options: DecodingOptions, format: ImageFormat
    ) throws(WebImageError) -> DecodedPicture {
        var pixels = pixels
        if hasAlpha {
            let managesColor = profile != nil && options.colorConversion == .sRGB
            if options.pixelFormat == .bgra8Premultiplied, !managesColor {
                pixels.premultiplyInPlace(rows: 0..<pixels.height)
            } else {
                // The pixels are straight although the buffer's format is premultiplied: only red and blue are swapped.
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
