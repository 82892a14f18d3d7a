public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads JPEG 2000 still images with OpenJPEG 2.5 (ISO/IEC 15444-1): files with the boxes of JP2 and bare codestreams.
///
/// A small result is decoded from a resolution level of the file that is at least twice as large, and of a part of the
/// picture only that part is decoded. Palettes, sYCC, ink with and without a profile, subsampled channels and 1 to 31 bits
/// per sample are read; more than 8 bits are kept if the options request 16 bits. An orientation is not applied, because
/// the format has none.
///
/// OpenJPEG cannot be interrupted. Therefore a picture whose decode would take longer than the remaining time, estimated
/// from its size, is refused before the decode. Its working memory counts against the limits: 4 bytes per sample of the
/// level that is decoded, and the tables of the tiles.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread. One decode uses one thread.
public final class ImageJPEG2000Coder: ImageCoder {
    /// The shared coder. It has no state.
    public static let shared = ImageJPEG2000Coder()

    /// Creates a coder that behaves like ``shared``.
    public init() {}

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.jpeg2000)] }

    /// Reads the properties from the boxes and from the header of the codestream. Uses no library.
    ///
    /// - Throws: `.badImageData` if the header cannot be read. `.unsupportedFormat` for more than 4 channels. `.limitExceeded`
    ///   if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try JPEG2000Header(bytes, limits: limits).info
        }
    }

    /// Decodes the picture.
    ///
    /// - Throws: `.badImageData` if the file is damaged or truncated. `.unsupportedFormat` if its colour space or its
    ///   channels are not supported. `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let header = try JPEG2000Header(bytes, limits: options.limits)
            let options = options.resolved(bitDepth: header.info.bitDepth)
            let picture = try JPEG2000Decoder(bytes, header, options: options).picture(deadline)
            try deadline.check()
            return try picture.finished(options: options, fullSize: header.info.storedSize)
        }
    }

    /// Always throws `.encodingFailed`: this coder only reads.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        throw .cannotEncode("openjpeg", "JPEG 2000 is only read")
    }
}
