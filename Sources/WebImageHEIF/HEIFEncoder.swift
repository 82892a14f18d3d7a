import CWebImageHEIF
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libheif context for writing, and the encoder of this context.
final class HEIFEncoder {
    private let libheif: HEIFFunctions
    private let context: OpaquePointer
    private let encoder: OpaquePointer

    static var isAvailable: Bool {
        (try? HEIFLibrary.functions()).map { $0.heif_have_encoder_for_format(heif_compression_HEVC) != 0 } ?? false
    }

    init() throws(WebImageError) {
        libheif = try HEIFLibrary.functions()
        guard Self.isAvailable else {
            throw .cannotEncode("libheif", "this libheif has no HEVC encoder", hint: "Choose AVIF, WebP or JPEG.")
        }
        guard let context = libheif.heif_context_alloc() else { throw .cannotEncode("libheif", "out of memory") }
        var made: OpaquePointer?
        let error = libheif.heif_context_get_encoder_for_format(context, heif_compression_HEVC, &made)
        guard error.code == heif_error_Ok, let made else {
            libheif.heif_context_free(context)
            throw .libheif(error)
        }
        self.context = context
        encoder = made
        HandleLedger.opened("heif_encoder")
    }

    deinit {
        libheif.heif_encoder_release(encoder)
        libheif.heif_context_free(context)
        HandleLedger.closed("heif_encoder")
    }

    func encode(_ image: Image, options: EncodingOptions) throws(WebImageError) -> Data {
        // x265 cannot be interrupted while it encodes a frame.
        try WorkBudget.current?.admit(
            "encoding HEIC", seconds: Double(image.pixelSize.pixelCount) * Self.secondsPerPixel)
        let picture = try HEIFPicture(image, options: options, libheif: libheif)
        try check(libheif.heif_encoder_set_lossy_quality(encoder, Int32((options.quality * 100).rounded())))
        try check(libheif.heif_encoder_set_lossless(encoder, options.lossless ? 1 : 0))
        _ = libheif.heif_encoder_set_logging_level(encoder, 0)
        var handle: OpaquePointer?
        try check(libheif.heif_context_encode_image(context, picture.image, encoder, nil, &handle))
        if let handle {
            defer { libheif.heif_image_handle_release(handle) }
            if options.embedsThumbnail { try addThumbnail(of: picture, to: handle) }
        }
        return try written()
    }

    /// The time of encoding a pixel (Documentation/Costs.md): 1,500 ns for photos, 2,400 ns for noise.
    private static let secondsPerPixel = 2000e-9

    /// Adds a thumbnail to the file. Adds none if the picture is not larger than a thumbnail.
    private func addThumbnail(of picture: HEIFPicture, to handle: OpaquePointer) throws(WebImageError) {
        let side = Self.thumbnailSide
        let width = libheif.heif_image_get_width(picture.image, heif_channel_interleaved)
        let height = libheif.heif_image_get_height(picture.image, heif_channel_interleaved)
        // libheif reports an error for a thumbnail that is not smaller than its picture.
        guard max(width, height) > side else { return }
        var thumbnail: OpaquePointer?
        try check(
            libheif.heif_context_encode_thumbnail(context, picture.image, handle, encoder, nil, side, &thumbnail))
        if let thumbnail { libheif.heif_image_handle_release(thumbnail) }
    }

    /// The longest side of a thumbnail in pixels.
    private static let thumbnailSide: Int32 = 320

    private func written() throws(WebImageError) -> Data {
        let sink = Sink()
        var writer = heif_writer()
        writer.writer_api_version = 1
        writer.write = { _, bytes, count, sink in
            if let bytes, let sink { Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().take(bytes, count) }
            return heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
        }
        let error = withExtendedLifetime(sink) {
            libheif.heif_context_write(context, &writer, Unmanaged.passUnretained(sink).toOpaque())
        }
        try check(error)
        return sink.data
    }

    private final class Sink {
        private(set) var data = Data()
        func take(_ bytes: UnsafeRawPointer, _ count: Int) {
            data.append(bytes.assumingMemoryBound(to: UInt8.self), count: count)
        }
    }

    private func check(_ error: heif_error) throws(WebImageError) {
        if error.code != heif_error_Ok { throw .libheif(error) }
    }
}

/// Owns one libheif picture. Its pixels are RGB, or RGBA with straight alpha.
private final class HEIFPicture {
    private let libheif: HEIFFunctions
    let image: OpaquePointer

    init(_ source: Image, options: EncodingOptions, libheif: HEIFFunctions) throws(WebImageError) {
        self.libheif = libheif
        let format: PixelFormat = source.hasAlpha ? .rgba8 : .rgb8
        let pixels = try source.pixelsToEncode(options).converted(to: format, isOpaque: !source.hasAlpha)
        let (width, height) = (Int32(pixels.width), Int32(pixels.height))
        let chroma = source.hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB
        var made: OpaquePointer?
        let error = libheif.heif_image_create(width, height, heif_colorspace_RGB, chroma, &made)
        guard error.code == heif_error_Ok, let made else { throw .libheif(error) }
        image = made
        HandleLedger.opened("heif_image")
        _ = libheif.heif_image_add_plane(image, heif_channel_interleaved, width, height, 8)
        var stride: Int32 = 0
        guard let plane = libheif.heif_image_get_plane(image, heif_channel_interleaved, &stride) else {
            throw .cannotEncode("libheif", "out of memory")
        }
        for row in 0..<pixels.height {
            memcpy(
                plane + row * Int(stride), pixels.baseAddress + row * pixels.bytesPerRow,
                pixels.width * format.bytesPerPixel)
        }
        guard let profile = source.colorProfile?.matching(format) else { return }
        profile.iccData.withUnsafeBytes {
            _ = libheif.heif_image_set_raw_color_profile(image, "prof", $0.baseAddress, $0.count)
        }
    }

    deinit {
        libheif.heif_image_release(image)
        HandleLedger.closed("heif_image")
    }
}

extension WebImageError {
    fileprivate static func libheif(_ error: heif_error) -> WebImageError {
        .cannotEncode("libheif", error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)")
    }
}
