import CWebP
import Foundation
import WebImageCore
import WebImageGraphics

/// Encodes stills by libwebp.
enum WebPEncoding {
    static func encode(_ image: Image, options: EncodingOptions) throws(WebImageError) -> Data {
        let pixels = try image.pixelsToEncode(options)
        guard max(pixels.width, pixels.height) <= Int(WEBP_MAX_DIMENSION) else {
            throw .cannotEncode(
                "libwebp", "\(pixels.width)x\(pixels.height) is over 16383 px a side",
                hint: "Set a maximum pixel size, or choose PNG or JPEG.")
        }
        let file = try WebPPictureEncoder(pixels, hasAlpha: image.hasAlpha).encode(try configuration(options))
        guard let profile = image.colorProfile else { return file }
        return try WebPMuxing.adding(profile, to: file)
    }

    private static func configuration(_ options: EncodingOptions) throws(WebImageError) -> WebPConfig {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else {
            throw .cannotEncode("libwebp", "another version than compiled for")
        }
        config.quality = Float(options.quality * 100)
        if options.lossless {
            // The level that cwebp calls 6; exact keeps colours under full transparency as they are.
            guard WebPConfigLosslessPreset(&config, 6) != 0 else { throw .cannotEncode("libwebp", "no such preset") }
            config.exact = 1
        } else if let limit = options.maxFileSize {
            config.target_size = Int32(clamping: limit)
            config.pass = 6
        }
        return config
    }
}

/// Owns one picture of libwebp's and its own copy of the pixels.
private final class WebPPictureEncoder {
    private var picture = WebPPicture()

    init(_ pixels: PixelBuffer, hasAlpha: Bool) throws(WebImageError) {
        guard WebPPictureInit(&picture) != 0 else {
            throw .cannotEncode("libwebp", "another version than compiled for")
        }
        HandleLedger.opened("webp_picture")
        picture.width = Int32(pixels.width)
        picture.height = Int32(pixels.height)
        let source = try Self.importable(pixels, hasAlpha: hasAlpha)
        let rows = UnsafePointer(source.baseAddress.assumingMemoryBound(to: UInt8.self))
        let stride = Int32(clamping: source.bytesPerRow)
        // Lossless needs RGB, lossy YUV; libwebp converts when the configuration asks for the other.
        picture.use_argb = 1
        let isImported =
            switch (source.format, hasAlpha) {
            case (.bgra8Premultiplied, _): WebPPictureImportBGRX(&picture, rows, stride)
            case (.rgba8, true): WebPPictureImportRGBA(&picture, rows, stride)
            case (.rgba8, false): WebPPictureImportRGBX(&picture, rows, stride)
            default: WebPPictureImportRGB(&picture, rows, stride)
            }
        guard isImported != 0 else { throw failure }
    }

    deinit {
        WebPPictureFree(&picture)
        HandleLedger.closed("webp_picture")
    }

    private static func importable(_ pixels: PixelBuffer, hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch pixels.format {
        case .bgra8Premultiplied: hasAlpha ? try pixels.converted(to: .rgba8) : pixels
        case .rgba8, .rgb8: pixels
        case .gray8: try pixels.converted(to: .rgb8)
        case .rgba16: try pixels.converted(to: .rgba8)
        }
    }

    func encode(_ config: WebPConfig) throws(WebImageError) -> Data {
        var config = config
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = { WebPMemoryWrite($0, $1, $2) }
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            defer { picture.custom_ptr = nil }
            return WebPEncode(&config, &picture)
        }
        guard isEncoded != 0, let memory = writer.mem else {
            WebPMemoryWriterClear(&writer)
            throw failure
        }
        // Copied, so that what libwebp allocated goes back to libwebp and not to free().
        defer { WebPMemoryWriterClear(&writer) }
        return Data(bytes: memory, count: writer.size)
    }

    private var failure: WebImageError {
        .cannotEncode("libwebp", "encoder error \(picture.error_code.rawValue)")
    }
}

/// Puts an ICC profile beside an encoded picture.
private enum WebPMuxing {
    static func adding(_ profile: ColorProfile, to file: Data) throws(WebImageError) -> Data {
        guard let mux = WebPMuxNew() else { throw .cannotEncode("libwebpmux", "out of memory") }
        HandleLedger.opened("webp_mux")
        defer {
            WebPMuxDelete(mux)
            HandleLedger.closed("webp_mux")
        }
        let isSet =
            file.withWebPData { WebPMuxSetImage(mux, $0, 1) } == WEBP_MUX_OK
            && profile.iccData.withWebPData { WebPMuxSetChunk(mux, "ICCP", $0, 1) } == WEBP_MUX_OK
        var assembled = WebPData()
        guard isSet, WebPMuxAssemble(mux, &assembled) == WEBP_MUX_OK, let bytes = assembled.bytes else {
            throw .cannotEncode("libwebpmux", "cannot add the colour profile")
        }
        defer { WebPDataClear(&assembled) }
        return Data(bytes: bytes, count: assembled.size)
    }
}

extension Data {
    fileprivate func withWebPData<Result>(_ body: (UnsafePointer<WebPData>) -> Result) -> Result {
        withUnsafeBytes { bytes in
            var data = WebPData(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, size: bytes.count)
            return body(&data)
        }
    }
}
