import CWebImageWebP
import WebImageCore
import WebImageGraphics

/// The features that libwebp reads from the first bytes of a file or a frame.
struct WebPFeatures {
    var size: PixelSize
    var hasAlpha: Bool
    var isLossless: Bool

    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        var features = WebPBitstreamFeatures()
        let status = WebPGetFeatures(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &features)
        guard status == VP8_STATUS_OK else { throw .libwebp(status) }
        size = PixelSize(width: Int(features.width), height: Int(features.height))
        hasAlpha = features.has_alpha != 0
        isLossless = features.format == 2
    }
}

/// Decodes one bitstream with libwebp, directly into the destination buffer.
///
/// A running decode cannot be stopped, because libwebp has no callback. Only the pixel limit bounds the decode time
/// of one picture.
enum WebPDecoding {
    /// The destination of the pixels: a buffer, and a position in the buffer.
    struct Target {
        var pixels: PixelBuffer
        var x = 0
        var y = 0
        /// The size to which libwebp scales the picture. If nil, the picture is not scaled.
        var scaledSize: PixelSize?
        /// Whether all pixels are opaque. If true, colours are not multiplied by alpha. A bitstream that declares alpha
        /// as unused can still store alpha, and such alpha must have no effect.
        var isOpaque = false
    }

    static func decode(_ bytes: UnsafeRawBufferPointer, into target: Target) throws(WebImageError) {
        let features = try WebPFeatures(bytes)
        var config = try configuration(target, size: target.scaledSize ?? features.size)
        HandleLedger.opened("webp_decoder")
        let status = WebPDecode(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &config)
        WebPFreeDecBuffer(&config.output)
        HandleLedger.closed("webp_decoder")
        guard status == VP8_STATUS_OK else { throw .libwebp(status) }
        if target.pixels.format.isPremultiplied, !target.isOpaque, features.hasAlpha {
            let size = target.scaledSize ?? features.size
            target.pixels.premultiplyInPlace(
                rows: target.y..<target.y + size.height, columns: target.x..<target.x + size.width)
        }
    }

    /// Returns the configuration with which libwebp writes a picture of `size` to `target`. libwebp writes straight
    /// alpha, also to the display format: its own multiplication truncates the products.
    static func configuration(_ target: Target, size: PixelSize) throws(WebImageError) -> WebPDecoderConfig {
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else {
            throw .badData("libwebp", "the library and its headers have different versions")
        }
        let pixels = target.pixels
        guard target.x + size.width <= pixels.width, target.y + size.height <= pixels.height else {
            throw .badData("WebP", "a frame of \(size) px lies outside its canvas")
        }
        if let scaled = target.scaledSize {
            config.options.use_scaling = 1
            config.options.scaled_width = Int32(scaled.width)
            config.options.scaled_height = Int32(scaled.height)
        }
        let offset = target.y * pixels.bytesPerRow + target.x * pixels.format.bytesPerPixel
        config.output.colorspace = pixels.format.webPColorspace
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = pixels.baseAddress.advanced(by: offset).assumingMemoryBound(to: UInt8.self)
        config.output.u.RGBA.stride = Int32(clamping: pixels.bytesPerRow)
        config.output.u.RGBA.size = pixels.byteCount - offset
        return config
    }
}

extension PixelFormat {
    /// libwebp's constant for this layout with straight alpha; RGBA for a layout that libwebp does not support.
    fileprivate var webPColorspace: WEBP_CSP_MODE {
        switch self {
        case .bgra8Premultiplied: MODE_BGRA
        case .rgb8: MODE_RGB
        case .rgba8, .gray8, .rgba16, .rgbaHalf: MODE_RGBA
        }
    }
}

extension WebImageError {
    /// Returns an error for a libwebp status code. libwebp has no error messages, so this function defines them.
    static func libwebp(_ status: VP8StatusCode) -> WebImageError {
        let words =
            switch status {
            case VP8_STATUS_OUT_OF_MEMORY: "out of memory"
            case VP8_STATUS_INVALID_PARAM: "invalid parameter"
            case VP8_STATUS_BITSTREAM_ERROR: "the bitstream is damaged"
            case VP8_STATUS_UNSUPPORTED_FEATURE: "unsupported feature"
            case VP8_STATUS_SUSPENDED, VP8_STATUS_NOT_ENOUGH_DATA: "the file ends too early"
            default: "status \(status.rawValue)"
            }
        return .badData("libwebp", words, hint: "Fetch the file again, it is damaged.")
    }
}
