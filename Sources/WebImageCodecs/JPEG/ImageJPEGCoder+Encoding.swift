public import Foundation
public import WebImageCore
import WebImageGraphics

extension ImageJPEGCoder {
    /// Encodes a baseline JPEG. If `options.progressive` is true, encodes a progressive JPEG.
    ///
    /// - Quality: 0…1 corresponds to 0…100 in libjpeg. If the quality is below 0.9, colour is stored at half the width
    ///   and half the height (4:2:0). Otherwise colour is stored at full size (4:4:4).
    /// - File size: If `maxFileSize` is set, the quality is the highest quality at which the file is within this limit.
    ///   If no quality is low enough, the lowest quality is used.
    /// - Transparency: Transparent pixels are blended with the background colour in the options.
    /// - Metadata: The image's profile is written. EXIF and XMP are written if the options contain them.
    public func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        guard canEncode(to: format) else {
            throw WebImageError(.encodingFailed, stage: .encode, underlying: .message("JPEG cannot write \(format)"))
        }
        let pixels = try Self.opaquePixels(of: image, options: options)
        let encoding = JPEGEncoding(
            pixels: pixels, profile: Self.profile(of: image, for: pixels), isProgressive: options.progressive,
            metadata: try JPEGMetadata(
                options.metadata, thumbnail: options.embedsThumbnail ? try Self.thumbnail(of: pixels) : nil))
        guard let limit = options.maxFileSize else {
            return try encoding.encode(quality: Int((options.quality * 100).rounded()))
        }
        return try QualitySearch.encode(maxBytes: limit) { quality throws(WebImageError) in
            try encoding.encode(quality: quality)
        }
    }

    /// Returns an encoded thumbnail of at most 320×320 px.
    private static func thumbnail(of pixels: PixelBuffer) throws(WebImageError) -> Data {
        let size = ImageScaling.size(
            of: PixelSize(width: pixels.width, height: pixels.height), in: PixelSize(width: 320, height: 320),
            preserveAspectRatio: true, allowsEnlarging: false)
        let small = try pixels.scaled(to: size, isOpaque: true)
        return try JPEGEncoding(pixels: small, profile: nil, isProgressive: false, metadata: nil).encode(quality: 75)
    }

    private static func opaquePixels(of image: Image, options: EncodingOptions) throws(WebImageError) -> PixelBuffer {
        var pixels = image.pixels
        if let box = options.maxPixelSize {
            let size = ImageScaling.size(
                of: image.pixelSize, in: box, preserveAspectRatio: true, allowsEnlarging: false)
            pixels = try pixels.scaled(to: size, isOpaque: !image.hasAlpha)
        }
        if image.hasAlpha, pixels.format.hasAlpha { return try pixels.composited(over: options.backgroundColor) }
        return pixels.format.bitsPerComponent > 8 ? try pixels.converted(to: .rgba8, isOpaque: true) : pixels
    }

    private static func profile(of image: Image, for pixels: PixelBuffer) -> ColorProfile? {
        guard let profile = image.colorProfile else { return nil }
        let isGray = profile.iccData.dropFirst(16).prefix(4).elementsEqual("GRAY".utf8)
        return isGray == (pixels.format == .gray8) ? profile : nil
    }
}
