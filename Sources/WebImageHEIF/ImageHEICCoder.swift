public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads HEIC and HEIF stills (ISO/IEC 23008-12) by libheif, and writes HEIC if libheif has an encoder.
///
/// A sequence is decoded as its primary picture: libheif reads frames only from 1.21 on, and ``canDecodeSequences`` is
/// false. Ten-bit pictures are decoded to sixteen bits if the options ask for them, else to eight. libheif applies `irot`
/// and `imir` itself; EXIF orientation does not apply. It has no callback while it decodes, so the time limit is checked
/// before and after a picture, and the pixel limit bounds the time of one picture.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread; one decode uses one thread.
public final class ImageHEICCoder: DetailedImageCoder {
    /// The shared instance; it has no state.
    public static let shared = ImageHEICCoder()

    /// Whether this coder decodes the frames of image sequences: false with every version of libheif.
    public static let canDecodeSequences = false

    /// Makes another coder.
    public init() {}

    /// Whether the data starts like a HEIC or HEIF file.
    public func canDecode(from data: Data?) -> Bool { data.map { Self.format(of: $0) != nil } ?? false }

    /// Whether the format is HEIC or HEIF and libheif has an encoder for HEVC.
    public func canEncode(to format: ImageFormat) -> Bool {
        (format == .heic || format == .heif) && HEIFEncoder.isAvailable
    }

    /// The facts in the boxes; no HEVC data is decoded.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try HEIFDecoder(bytes, format: Self.format(of: data) ?? .heif, limits: limits).info
        }
    }

    /// The primary picture.
    ///
    /// - Throws: `.badImageData`, also for a file that is cut off; `.limitExceeded`.
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
    /// With `maxFileSize` the quality is the highest whose file fits.
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
