public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads HEIC and HEIF stills (ISO/IEC 23008-12) by libheif, and writes HEIC if libheif has an encoder.
///
/// A sequence is decoded as a still of its primary picture, because libheif reads frames only from version 1.21 on;
/// see ``canDecodeSequences``. Ten-bit pictures are decoded to sixteen bits if the options request it, otherwise to
/// eight. libheif applies the boxes `irot` and `imir`; EXIF orientation is ignored. libheif has no callback while it
/// decodes, so the time limit is checked only before and after a picture. The pixel limit bounds the time of one
/// picture.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread; one decode uses one thread.
public final class ImageHEICCoder: DetailedImageCoder {
    /// The shared instance; it has no state.
    public static let shared = ImageHEICCoder()

    /// Whether this coder decodes the frames of image sequences: false with every version of libheif.
    public static let canDecodeSequences = false

    /// Creates a coder, equal to ``shared``.
    public init() {}

    /// Whether the data starts like a HEIC or HEIF file.
    public func canDecode(from data: Data?) -> Bool { data.map { Self.format(of: $0) != nil } ?? false }

    /// Whether the format is HEIC or HEIF and libheif has an encoder for HEVC.
    public func canEncode(to format: ImageFormat) -> Bool {
        (format == .heic || format == .heif) && HEIFEncoder.isAvailable
    }

    /// Reads the facts that the boxes declare; decodes no HEVC data.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try HEIFDecoder(bytes, format: Self.format(of: data) ?? .heif, limits: limits).info
        }
    }

    /// Decodes the primary picture.
    ///
    /// - Throws: `.badImageData`, also for a truncated file; `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try HEIFDecoder(bytes, format: Self.format(of: data) ?? .heif, limits: options.limits)
            let options = options.resolved(bitDepth: decoder.info.bitDepth)
            try options.checkMemory(for: decoder.info)
            let picture = try decoder.picture(options)
            try deadline.check()
            return try picture.finished(options: options, fullSize: decoder.info.storedSize)
        }
    }

    /// Encodes a HEIC still, with the image's profile if it has one.
    ///
    /// With `maxFileSize` the file gets the highest quality at which it fits.
    /// - Throws: `.encodingFailed`, also when libheif has no encoder.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard format == .heic || format == .heif else { throw .cannotEncode("libheif", "\(format) is not HEIC") }
        return try QualitySearch.encode(options) { options throws(WebImageError) in
            try HEIFEncoder().encode(image, options: options)
        }
    }

    private static func format(of data: Data) -> ImageFormat? {
        let format = ImageFormat(sniffing: data.prefix(256))
        return format == .heic || format == .heif ? format : nil
    }
}
