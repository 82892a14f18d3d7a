public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads HEIC and HEIF still images with libheif (ISO/IEC 23008-12). Writes HEIC if libheif has an HEVC encoder.
///
/// The primary picture of a sequence is decoded as a still image, because libheif before version 1.21 cannot read
/// frames (see ``canDecodeSequences``). Pictures with more than 8 bits are decoded to 16 bits if the options request
/// 16 bits. Otherwise they are decoded to 8 bits. libheif applies the boxes `irot` and `imir`. The EXIF orientation is
/// ignored.
///
/// libheif calls no callback during a decode, so the time limit is checked only before and after each picture. The
/// pixel limit limits the decode time of one picture.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread. One decode uses one thread.
public final class ImageHEICCoder: ImageCoder {
    /// The shared coder. It has no state.
    public static let shared = ImageHEICCoder()

    /// Whether this coder decodes the frames of image sequences. Always false. This coder does not use libheif's
    /// functions for sequences, because versions before 1.21 do not have them.
    public static let canDecodeSequences = false

    /// Creates a coder that behaves like ``shared``.
    public init() {}

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.heic), .format(.heif)] }

    /// Whether the data starts with the signature of a HEIC or HEIF file.
    public func canDecode(from data: Data) -> Bool { Self.format(of: data) != nil }

    /// Whether this coder can write a format. True for HEIC and HEIF if libheif has an HEVC encoder.
    public func canEncode(to format: ImageFormat) -> Bool {
        (format == .heic || format == .heif) && HEIFEncoder.isAvailable
    }

    /// Reads the properties that the boxes declare. Decodes no HEVC data.
    ///
    /// - Throws: `.badImageData` if the boxes cannot be parsed. `.limitExceeded` if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            try HEIFDecoder(bytes, format: Self.format(of: data) ?? .heif, limits: limits).info
        }
    }

    /// Returns EXIF and XMP of the primary picture.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        var properties = ImageProperties(info: try imageInfo(of: data, limits: limits))
        try data.withFileBytes { bytes throws(WebImageError) in
            HEIFItems.readMetadata(of: bytes, limits: limits, into: &properties)
        }
        return properties
    }

    /// Decodes the primary picture.
    ///
    /// - Throws: `.badImageData` if the file is damaged or truncated. `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options wanted: DecodingOptions) throws(WebImageError) -> Image {
        try wanted.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(wanted.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try HEIFDecoder(bytes, format: Self.format(of: data) ?? .heif, limits: wanted.limits)
            func base(_ options: DecodingOptions) throws(WebImageError) -> Image {
                let options = options.resolved(
                    bitDepth: decoder.info.bitDepth, isHDR: decoder.info.hdr?.transfer != nil)
                try options.checkMemory(for: decoder.info)
                let picture = try decoder.picture(options, deadline: deadline)
                try deadline.check()
                return try picture.finished(options: options, fullSize: decoder.info.storedSize)
            }
            return try GainMap.image(
                wanted, of: decoder.gainMap?.description, deadline: deadline,
                map: { () throws(WebImageError) in
                    try decoder.gainMap?.decoded(wanted, base: decoder.info, deadline: deadline)
                }, base: base)
        }
    }

    /// Encodes a HEIC still image. The file contains the image's colour profile if the image has one.
    ///
    /// If `maxFileSize` is set, the file has the highest quality at which it does not exceed that size.
    /// - Throws: `.encodingFailed` if the encoding fails or if libheif has no HEVC encoder.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard format == .heic || format == .heif else { throw .cannotEncode("libheif", "\(format) is not HEIC") }
        if let file = try AimedEncoding(of: image, as: format, options, by: self)?.file() { return file }
        return try QualitySearch.encode(options) { options throws(WebImageError) in
            try HEIFEncoder().encode(image, options: options)
        }
    }

    /// Returns the copy of a file that libheif receives instead of the file; nil if it receives the file itself.
    package static func acceptedCopy(of data: Data) throws(WebImageError) -> Data? {
        try data.withFileBytes { bytes throws(WebImageError) in
            try HEIFReferences(bytes, try HEIFItems(bytes)).acceptedCopy().map { Data($0) }
        }
    }

    private static func format(of data: Data) -> ImageFormat? {
        let format = ImageFormat(sniffing: data.prefix(256))
        return format == .heic || format == .heif ? format : nil
    }
}

extension ImageHEICCoder: GainMapReading {
    package func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap? {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try HEIFDecoder(bytes, format: Self.format(of: data) ?? .heif, limits: options.limits)
            return try decoder.gainMap?.decoded(options, base: decoder.info, deadline: deadline)
        }
    }
}
