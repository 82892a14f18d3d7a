import CCodecShim
import CJPEG
public import Foundation
public import WebImageCore
import WebImageGraphics

extension ImageJPEGCoder {
    /// A baseline JPEG.
    ///
    /// Quality 0…1 is libjpeg's 0…100. Below 0.9 colour is stored at half the width and height (4:2:0), from there on
    /// at full size (4:4:4). Transparency is laid over white. A profile travels with its pixels. With
    /// `maxFileSize` the quality is the highest whose file fits, or the lowest when none does.
    public func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        guard canEncode(to: format) else {
            throw WebImageError(.encodingFailed, stage: .encode, underlying: .message("JPEG cannot write \(format)"))
        }
        let pixels = try Self.opaquePixels(of: image, options: options)
        let profile = Self.profile(of: image, for: pixels)
        guard let limit = options.maxFileSize else {
            return try Self.encode(pixels, quality: Int((options.quality * 100).rounded()), profile: profile)
        }
        return try Self.encode(pixels, maxBytes: limit, profile: profile)
    }

    /// Bisects the quality: at most seven encodes.
    private static func encode(
        _ pixels: PixelBuffer, maxBytes: Int, profile: ColorProfile?
    ) throws(WebImageError) -> Data {
        var qualities = 1...100
        var best: Data?
        while true {
            let quality = (qualities.lowerBound + qualities.upperBound) / 2
            let encoded = try encode(pixels, quality: quality, profile: profile)
            if encoded.count <= maxBytes {
                best = encoded
                guard quality < qualities.upperBound else { return encoded }
                qualities = quality + 1...qualities.upperBound
            } else {
                guard quality > qualities.lowerBound else { return best ?? encoded }
                qualities = qualities.lowerBound...quality - 1
            }
        }
    }

    private static func opaquePixels(of image: Image, options: EncodingOptions) throws(WebImageError) -> PixelBuffer {
        var pixels = image.pixels
        if let box = options.maxPixelSize {
            let size = ImageScaling.size(
                of: image.pixelSize, in: box, preserveAspectRatio: true, allowsEnlarging: false)
            pixels = try pixels.scaled(to: size, isOpaque: !image.hasAlpha)
        }
        if image.hasAlpha, pixels.format.hasAlpha { return try pixels.compositedOverWhite() }
        return pixels.format == .rgba16 ? try pixels.converted(to: .rgba8, isOpaque: true) : pixels
    }

    private static func profile(of image: Image, for pixels: PixelBuffer) -> ColorProfile? {
        guard let profile = image.colorProfile else { return nil }
        let isGray = profile.iccData.dropFirst(16).prefix(4).elementsEqual("GRAY".utf8)
        return isGray == (pixels.format == .gray8) ? profile : nil
    }

    private static func encode(
        _ pixels: PixelBuffer, quality: Int, profile: ColorProfile?
    ) throws(WebImageError) -> Data {
        HandleLedger.opened("jpeg compressor")
        defer { HandleLedger.closed("jpeg compressor") }
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        var message = [UInt8](repeating: 0, count: 200)
        let icc = profile?.iccData ?? Data()
        let status = icc.withUnsafeBytes { icc in
            pixels.withUnsafeBytes { bytes in
                message.withUnsafeMutableBytes { message in
                    webimage_jpeg_encode(
                        bytes.bindMemory(to: UInt8.self).baseAddress, pixels.bytesPerRow, Int32(clamping: pixels.width),
                        Int32(clamping: pixels.height), Int32(color(of: pixels.format).rawValue),
                        Int32(pixels.format.channelCount), Int32(quality), quality < 90 ? 1 : 0,
                        icc.bindMemory(to: UInt8.self).baseAddress, icc.count, &encoded, &count,
                        message.bindMemory(to: CChar.self).baseAddress)
                }
            }
        }
        guard status == WEBIMAGE_JPEG_OK, let encoded else {
            throw WebImageError(
                .encodingFailed, stage: .encode,
                underlying: .codec(
                    library: "libjpeg", message: String(decoding: message.prefix { $0 != 0 }, as: UTF8.self)),
                hint: "A JPEG's sides are at most 65500 px; choose PNG or a smaller size.")
        }
        return Data(bytesNoCopy: encoded, count: count, deallocator: .free)
    }

    private static func color(of layout: PixelFormat) -> J_COLOR_SPACE {
        switch layout {
        case .bgra8Premultiplied: JCS_EXT_BGRX
        case .rgba8, .rgba16: JCS_EXT_RGBX
        case .rgb8: JCS_RGB
        case .gray8: JCS_GRAYSCALE
        }
    }
}
