public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads raw files of cameras with LibRaw: DNG, CR2, CR3, NEF, ARW, ORF, RW2, RAF, PEF and others.
///
/// Most raw files contain a JPEG picture that the camera made. A result that is not larger than this preview is made from
/// it, which takes a hundredth of the time. A larger result is developed from the samples of the sensor with the camera's
/// white balance, in half size if that is enough, and has the colours of sRGB. A preview and a developed picture differ in
/// contrast and colours, as in all programs for raw files.
///
/// The picture is upright. More than 8 bits are kept if the options request 16 bits. The time limit is checked between the
/// steps of LibRaw. The working memory counts against the limits: up to 18 bytes for each sample of the sensor.
///
/// Add ``shared`` to `ImageCodersManager` after the coder of TIFF, because many raw files are TIFF files too. Safe on any
/// thread. One decode uses one thread.
public final class ImageRawCoder: ImageCoder {
    /// The shared coder. It has no state.
    public static let shared = ImageRawCoder()

    /// Creates a coder that behaves like ``shared``.
    public init() {}

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.raw)] }

    /// Reads the properties from the file's header. Decodes no samples.
    ///
    /// - Throws: `.badImageData` if the header cannot be read. `.unsupportedFormat` for a camera that LibRaw does not know.
    ///   `.limitExceeded` if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in try RawFile(bytes, limits: limits).info }
    }

    /// Returns EXIF, XMP and density of a file in the form of TIFF, such as DNG, CR2, NEF and ARW. EXIF has no maker note.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        var properties = ImageProperties(info: try imageInfo(of: data, limits: limits))
        try data.withFileBytes { bytes throws(WebImageError) in
            TIFFMetadata.read(bytes, limits: limits, into: &properties)
        }
        // A profile belongs to a preview, and not to the developed picture.
        properties.iccProfile = nil
        return properties
    }

    /// Decodes the preview or develops the picture.
    ///
    /// - Throws: `.badImageData` if the file is damaged or truncated. `.unsupportedFormat` for a camera that LibRaw does not
    ///   know. `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let file = try RawFile(bytes, limits: options.limits)
            let options = options.resolved(bitDepth: file.info.bitDepth)
            if let image = try RawPreview(file, options)?.image() { return image }
            try options.checkMemory(for: file.info)
            return try file.developed(options, deadline).finished(options: options, fullSize: file.info.storedSize)
        }
    }

    /// Always throws `.encodingFailed`: this coder only reads.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        throw .cannotEncode("libraw", "raw files are only read")
    }
}
