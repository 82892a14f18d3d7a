public import Foundation

/// Decodes bytes to an image and encodes an image to bytes.
///
/// The requirements are the same as in SDWebImage. The methods are called off the main thread, concurrently from
/// several threads. If a coder can report the reason of a failure and describe a file without decoding it, the coder
/// should adopt ``DetailedImageCoder`` instead.
@preconcurrency public protocol ImageCoder: Sendable {
    /// How the files begin that this coder reads. Nil if only ``canDecode(from:)`` can decide; a list of coders then asks
    /// the coder for every file. The list reads the value when the coder is added.
    var signatures: [FileSignature]? { get }
    /// Returns whether this coder can read data with this signature. Does not decode the data.
    func canDecode(from data: Data?) -> Bool
    /// Returns the decoded image; nil when this coder cannot decode the data.
    func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image?
    /// Returns whether this coder can write a format.
    func canEncode(to format: ImageFormat) -> Bool
    /// Returns the encoded file; nil when the image cannot be encoded.
    func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data?
    /// Returns an animation that consists of `frames`; nil when the frames cannot be encoded. The default
    /// implementation returns nil.
    ///
    /// If a coder can write an animation without having all frames in memory, the coder should adopt
    /// ``FrameEncodingImageCoder`` instead.
    func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data?
    /// The coder, if it reports reasons and describes files. Every type that adopts ``DetailedImageCoder`` returns itself.
    ///
    /// This property and the next two declare what a coder can do. If a generic type adopts one of these protocols only
    /// for some of its parameters, or a subclass adopts it, the type that adopts ``ImageCoder`` must implement the property.
    var detailed: (any DetailedImageCoder)? { get }
    /// The coder, if it writes animations. Every type that adopts ``FrameEncodingImageCoder`` returns itself.
    var frameEncoder: (any FrameEncodingImageCoder)? { get }
    /// The coder, if it reads metadata. Every type that adopts ``ImagePropertiesReading`` returns itself.
    var propertiesReader: (any ImagePropertiesReading)? { get }
}

extension ImageCoder {
    /// Nil by default: the coder is asked for every file.
    public var signatures: [FileSignature]? { nil }
    /// Nil by default.
    public var detailed: (any DetailedImageCoder)? { nil }
    /// Nil by default.
    public var frameEncoder: (any FrameEncodingImageCoder)? { nil }
    /// Nil by default.
    public var propertiesReader: (any ImagePropertiesReading)? { nil }

    /// Returns nil. A coder that can write animations must implement this method.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? { nil }
}

/// A coder that reports the reason of a failure and can describe a file without decoding the pixels. All built-in
/// coders adopt this protocol.
@preconcurrency public protocol DetailedImageCoder: ImageCoder {
    /// Reads the description of the image from the header of the file. Decodes pixels only if the format
    /// requires it.
    ///
    /// - Throws: `.badImageData` when the coder cannot read the data, `.limitExceeded` when the image exceeds `limits`.
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo
    /// Returns the decoded image. The image is upright and has the requested size and layout. The coder must check
    /// the limits before it allocates memory.
    ///
    /// - Throws: `.badImageData` when the coder cannot decode the data, `.limitExceeded` when the image exceeds the
    ///   limits in `options`.
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image
    /// Returns the encoded file.
    ///
    /// - Throws: `.encodingFailed` when the image cannot be encoded.
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data
}

extension DetailedImageCoder {
    /// The coder itself.
    public var detailed: (any DetailedImageCoder)? { self }

    /// Returns the decoded image; nil when the decode fails.
    public func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        guard let data else { return nil }
        let options = DecodingOptions(options)
        let image = try? decode(data, options: options)
        if options.thumbnailPixelSize == nil { image?.countsAsDecoded = false }
        return image
    }

    /// Returns the encoded file; nil when the image cannot be encoded. An undefined format means PNG for an image with
    /// alpha, and JPEG for any other image.
    public func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? {
        guard let image else { return nil }
        let format = format == .undefined ? (image.hasAlpha ? .png : .jpeg) : format
        return try? encode(image, format: format, options: EncodingOptions(options))
    }
}

/// A coder that can read the metadata of a file, such as EXIF and XMP.
@preconcurrency public protocol ImagePropertiesReading: ImageCoder {
    /// Returns EXIF, XMP, profile and text without decoding the image. Damaged metadata is omitted without an error.
    ///
    /// - Throws: `.badImageData` when the coder cannot read the data, `.limitExceeded` when the file exceeds `limits`.
    func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties
}

extension ImagePropertiesReading {
    /// The coder itself.
    public var propertiesReader: (any ImagePropertiesReading)? { self }
}

extension ImageCodersManager: ImagePropertiesReading {
    /// Returns the metadata of a file. If the coder for the file cannot read metadata, the result contains only the
    /// values of ``imageInfo(of:limits:)``.
    public func imageProperties(
        of data: Data, limits: DecodingLimits = .default
    ) throws(WebImageError) -> ImageProperties {
        try limits.checkEncodedBytes(data.count)
        if let reader = decoder(for: data)?.role.propertiesReader {
            return try reader.imageProperties(of: data, limits: limits)
        }
        return ImageProperties(info: try imageInfo(of: data, limits: limits))
    }
}

/// A coder that makes partial images while a file is being downloaded. The requirements are the same as in SDWebImage.
///
/// A new instance is created for each image. Only one thread at a time uses an instance. The main thread never uses an
/// instance.
@preconcurrency public protocol ProgressiveImageCoder: ImageCoder {
    /// Returns whether the coder can make partial images of a file that begins with this data.
    func canIncrementalDecode(from data: Data?) -> Bool
    /// Makes an instance for one image.
    init(incrementalWithOptions options: ImageCoderOptions?)
    /// Updates the coder. `data` contains all bytes received so far, including the bytes of earlier updates.
    /// After an update with `finished`, further updates are ignored.
    func updateIncrementalData(_ data: Data?, finished: Bool)
    /// Returns the partial image; nil before the first row has arrived. For an animation, a coder may return only the
    /// first frame.
    func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image?
    /// The coder, if it receives the file in pieces; nil if it needs all bytes at each update. Every type that adopts
    /// ``StreamingImageCoder`` returns itself.
    var streaming: (any StreamingImageCoder)? { get }
}

extension ProgressiveImageCoder {
    /// Nil by default.
    public var streaming: (any StreamingImageCoder)? { nil }
}

/// A progressive coder that receives only the new bytes at each update. The time of an update is proportional to the
/// number of new bytes, not to the number of all bytes received so far.
@preconcurrency public protocol StreamingImageCoder: ProgressiveImageCoder {
    /// Appends the next bytes.
    ///
    /// After an error, the partial image does not change any more.
    ///
    /// - Throws: `.badImageData` when the bytes cannot be decoded, `.limitExceeded` when the image exceeds a limit.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// The description of the image, read from the header. Nil until the header has arrived completely.
    var incrementalInfo: ImageInfo? { get }
    /// A number that increases when the partial image improves. The caller requests a new partial image only
    /// if the number has increased.
    var incrementalRevision: Int { get }
}

extension StreamingImageCoder {
    /// The coder itself.
    public var streaming: (any StreamingImageCoder)? { self }
}

/// How files begin that a coder reads. A list of coders asks a coder that declares its signatures only for such files.
public struct FileSignature: Sendable, Hashable {
    private enum Kind: Hashable {
        case format(ImageFormat)
        case start([UInt8])
    }

    private let kind: Kind

    /// Files in which ``ImageFormat/init(sniffing:)`` detects this format. The signature of ``ImageFormat/png`` includes
    /// that of ``ImageFormat/apng``.
    public static func format(_ format: ImageFormat) -> FileSignature { FileSignature(kind: .format(format.container)) }

    /// Files that begin with these bytes.
    public static func start(_ bytes: [UInt8]) -> FileSignature { FileSignature(kind: .start(bytes)) }

    /// Whether a file has this signature.
    func matches(_ file: inout SniffedFile) -> Bool {
        switch kind {
        case .format(let format): file.format == format
        case .start(let bytes): file.data.starts(with: bytes)
        }
    }
}

/// A file about which several coders are asked. Its format is detected once for all of them.
struct SniffedFile {
    let data: Data
    private(set) lazy var format = ImageFormat(sniffing: data).container

    init(_ data: Data) { self.data = data }
}
