import CWebImageWebP
import Foundation
import WebImageCore
import WebImageGraphics

/// Encodes stills and single frames with libwebp.
enum WebPEncoding {
    static func encode(_ image: Image, options: EncodingOptions) throws(WebImageError) -> Data {
        let pixels = try image.pixelsToEncode(options)
        try checkSize(pixels)
        let file = try bitstream(pixels, hasAlpha: image.hasAlpha, options: options)
        let profile = image.colorProfile?.matching(.rgb8)
        guard profile != nil || options.metadata != EmbeddedMetadata() else { return file }
        let mux = try WebPMuxer()
        try mux.set(file)
        if let profile { try mux.set(profile) }
        try mux.set(options.metadata)
        return try mux.assemble()
    }

    static func checkSize(_ pixels: PixelBuffer) throws(WebImageError) {
        guard max(pixels.width, pixels.height) <= Int(WEBP_MAX_DIMENSION) else {
            throw .cannotEncode(
                "libwebp", "\(pixels.width)x\(pixels.height) is over 16383 px a side",
                hint: "Set a maximum pixel size, or choose PNG or JPEG.")
        }
    }

    /// Encodes the picture without metadata.
    static func bitstream(
        _ pixels: PixelBuffer, hasAlpha: Bool, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        // libwebp converts the colours of pictures with alpha, whose transparent pixels do not count. It also has the sharp
        // conversion and dithering.
        let keepsLuminance =
            !options.lossless && !hasAlpha && options.webP.useSharpYuv != true
            && (options.webP.preprocessing ?? 0) & 2 == 0
        return try WebPPictureEncoder(pixels, hasAlpha: hasAlpha, keepsLuminance: keepsLuminance)
            .encode(try configuration(options))
    }

    private static func configuration(_ options: EncodingOptions) throws(WebImageError) -> WebPConfig {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else {
            throw .cannotEncode("libwebp", "the library and its headers have different versions")
        }
        config.quality = Float(options.quality * 100)
        if options.lossless {
            // `cwebp` also uses level 6 by default. With `exact`, libwebp does not change the colours of transparent
            // pixels.
            guard WebPConfigLosslessPreset(&config, 6) != 0 else { throw .cannotEncode("libwebp", "no such preset") }
            config.exact = 1
        } else if let limit = options.maxFileSize {
            config.target_size = Int32(clamping: limit)
            config.pass = 6
        } else if options.webP.targetPSNR == nil {
            // Half of the time of libwebp's default, 4, for 5 % more bytes (Documentation/Decisions/webp-settings.md).
            config.method = 2
        }
        config.take(options.webP)
        guard WebPValidateConfig(&config) != 0 else {
            throw .cannotEncode(
                "libwebp", "an encoder option is out of its range", hint: "See the ranges of WebPEncodingOptions.")
        }
        return config
    }
}

extension WebPConfig {
    fileprivate mutating func take(_ options: WebPEncodingOptions) {
        func set(_ target: WritableKeyPath<WebPConfig, Int32>, _ value: Int?) {
            if let value { self[keyPath: target] = Int32(clamping: value) }
        }
        func set(_ target: WritableKeyPath<WebPConfig, Int32>, _ value: Bool?) {
            if let value { self[keyPath: target] = value ? 1 : 0 }
        }
        set(\.method, options.method)
        set(\.pass, options.pass)
        set(\.preprocessing, options.preprocessing)
        set(\.thread_level, options.threadLevel)
        set(\.low_memory, options.lowMemory)
        set(\.segments, options.segments)
        set(\.sns_strength, options.snsStrength)
        set(\.filter_strength, options.filterStrength)
        set(\.filter_sharpness, options.filterSharpness)
        set(\.filter_type, options.filterType)
        set(\.autofilter, options.autofilter)
        set(\.alpha_compression, options.alphaCompression)
        set(\.alpha_filtering, options.alphaFiltering)
        set(\.alpha_quality, options.alphaQuality)
        set(\.show_compressed, options.showCompressed)
        set(\.partitions, options.partitions)
        set(\.partition_limit, options.partitionLimit)
        set(\.use_sharp_yuv, options.useSharpYuv)
        if let decibels = options.targetPSNR { target_PSNR = Float(decibels) }
    }
}

/// Owns one libwebp picture with a copy of the pixels.
private final class WebPPictureEncoder {
    private var picture = WebPPicture()

    /// - Parameter keepsLuminance: Whether the opaque pixels become luma and chroma that keep the luminance. Otherwise libwebp
    ///   receives colours.
    init(_ pixels: PixelBuffer, hasAlpha: Bool, keepsLuminance: Bool) throws(WebImageError) {
        guard WebPPictureInit(&picture) != 0 else {
            throw .cannotEncode("libwebp", "the library and its headers have different versions")
        }
        HandleLedger.opened("webp_picture")
        picture.width = Int32(pixels.width)
        picture.height = Int32(pixels.height)
        if keepsLuminance {
            picture.use_argb = 0
            guard WebPPictureAlloc(&picture) != 0 else { throw failure }
            try pixels.halveChroma(
                hasFullRange: false, luma: (picture.y, Int(picture.y_stride)), u: (picture.u, Int(picture.uv_stride)),
                v: (picture.v, Int(picture.uv_stride)))
            return
        }
        let source = try Self.importable(pixels, hasAlpha: hasAlpha)
        let rows = UnsafePointer(source.baseAddress.assumingMemoryBound(to: UInt8.self))
        let stride = Int32(clamping: source.bytesPerRow)
        // Import the pixels as RGB, because lossless coding requires RGB. For lossy coding, libwebp converts RGB to
        // YUV.
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
        case .rgba16, .rgbaHalf: try pixels.converted(to: .rgba8)
        }
    }

    func encode(_ config: WebPConfig) throws(WebImageError) -> Data {
        var config = config
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        let isEncoded = withUnsafeMutablePointer(to: &writer) { writer in
            picture.writer = { WebPMemoryWrite($0, $1, $2) }
            picture.custom_ptr = UnsafeMutableRawPointer(writer)
            picture.progress_hook = { _, _ in 1 - WorkBudget.shouldStop() }
            defer { picture.custom_ptr = nil }
            return WebPEncode(&config, &picture)
        }
        guard isEncoded != 0, let memory = writer.mem else {
            WebPMemoryWriterClear(&writer)
            try WorkBudget.checkCurrent()
            throw failure
        }
        // Copy the bytes. libwebp allocated their memory, so libwebp must free it; `free()` must not.
        defer { WebPMemoryWriterClear(&writer) }
        return Data(bytes: memory, count: writer.size)
    }

    private var failure: WebImageError {
        .cannotEncode("libwebp", "encoder error \(picture.error_code.rawValue)")
    }
}
