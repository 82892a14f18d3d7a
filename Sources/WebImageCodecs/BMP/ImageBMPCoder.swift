public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads Windows and OS/2 bitmaps of every bit depth. Writes Windows bitmaps.
///
/// In a run-length encoded picture, pixels that no run draws are transparent. In any other picture, alpha is used only
/// if the header has an alpha mask. The decode deadline is checked every 64 rows or 4096 runs. Thread-safe.
public final class ImageBMPCoder: ImageCoder {
    /// The shared instance. It has no state.
    public static let shared = ImageBMPCoder()

    /// Creates a coder that behaves like ``shared``.
    public init() {}

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.bmp)] }

    /// Whether the format is BMP.
    public func canEncode(to format: ImageFormat) -> Bool { format == .bmp }

    /// Returns size, alpha and bit depth, and whether there is a colour profile, as the header declares them. Decodes
    /// no pixels.
    ///
    /// - Throws: `.badImageData` if the header is invalid. `.limitExceeded` if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let header = try Self.header(bytes, limits)
            var info = ImageInfo(format: .bmp, storedSize: header.size)
            info.hasAlpha = (header.masks?.alpha ?? 0) != 0
            info.bitDepth = header.bitCount <= 8 ? header.bitCount : header.bitCount == 16 ? 5 : 8
            info.hasICCProfile = header.iccProfile != nil
            return info
        }
    }

    /// Decodes the bitmap.
    ///
    /// - Throws: `.badImageData` if the file is invalid, or if it is truncated and not run-length encoded.
    ///   `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let header = try Self.header(bytes, options.limits)
            let profile = try BMPDecoding.profile(header, bytes: bytes, limits: options.limits)
            let (pixels, hasAlpha) = try BMPPixels(header: header, bytes: bytes, deadline: deadline).decode()
            return try BMPDecoding.picture(
                pixels, hasAlpha: hasAlpha, profile: profile, options: options, format: .bmp
            ).finished(options: options, fullSize: header.size)
        }
    }

    /// Encodes the image with 24 bits per pixel. An image with alpha has 32 bits per pixel and an alpha mask.
    ///
    /// Colours with a profile are converted to sRGB, because the file holds no profile. Quality and maximum file size in
    /// the options have no effect, because BMP is lossless.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("BMP", "\(format) is not BMP") }
        return try BMPWriter.encode(image, options: options)
    }

    private static func header(
        _ bytes: UnsafeRawBufferPointer, _ limits: DecodingLimits
    ) throws(WebImageError) -> BMPHeader {
        guard bytes.has("BM", at: 0), let offset = bytes.littleEndian32(at: 10) else {
            throw .badData("BMP", "the signature is missing")
        }
        let header = try BMPHeader(bytes, at: 14, pixelOffset: offset, isIcon: false)
        try limits.checkPixels(header.size)
        return header
    }
}
