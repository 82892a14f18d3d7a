public import Foundation

/// Decodes bytes to an image and encodes an image to bytes. Its methods report why a file was refused.
///
/// The methods are called off the main thread, concurrently from several threads. A coder must check the limits on the
/// header, before it allocates memory. Only ``imageInfo(of:limits:)`` and ``decode(_:options:)`` have no default: a coder
/// that declares ``signatures`` and no more reads still images of these files.
@preconcurrency public protocol ImageCoder: Sendable {
    /// How the files begin that this coder reads. Nil if only ``canDecode(from:)`` can decide; a list of coders then asks
    /// the coder for every file. The list reads the value when the coder is added. Nil by default.
    var signatures: [FileSignature]? { get }
    /// Whether ``imageInfo(of:limits:)`` reads only the header. True by default. If false, a load does not ask for the size
    /// and the cost of a picture before it decodes the picture.
    var describesFiles: Bool { get }
    /// The coder, if it decodes the frames of animations. Nil by default. Every type that adopts ``AnimatedImageCoder``
    /// returns itself.
    ///
    /// If a generic type adopts that protocol only for some of its parameters, or a subclass adopts it, the type that adopts
    /// ``ImageCoder`` must implement the property. The same is true of ``progressive``.
    var animated: (any AnimatedImageCoder)? { get }
    /// The coder, if it makes partial images. Nil by default. Every type that adopts ``ProgressiveImageCoder`` returns itself.
    var progressive: (any ProgressiveImageCoder)? { get }

    /// Returns whether this coder can read the data. Looks only at its first bytes. By default, the ``signatures`` decide.
    func canDecode(from data: Data) -> Bool
    /// Reads the description of the image from the header of the file. Decodes pixels only if the format requires it.
    ///
    /// - Throws: `.badImageData` when the coder cannot read the data, `.limitExceeded` when the image exceeds `limits`.
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo
    /// Returns EXIF, XMP, profile and text without decoding the image. Damaged metadata is omitted without an error. By
    /// default, the result contains only the values of ``imageInfo(of:limits:)``.
    ///
    /// - Throws: `.badImageData` when the coder cannot read the data, `.limitExceeded` when the file exceeds `limits`.
    func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties
    /// Returns the decoded image. The image is upright and has the requested size and layout.
    ///
    /// - Throws: `.badImageData` when the coder cannot decode the data, `.limitExceeded` when the image exceeds the
    ///   limits in `options`.
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image

    /// Returns whether this coder can write a format. False by default.
    func canEncode(to format: ImageFormat) -> Bool
    /// Returns the encoded file.
    ///
    /// - Throws: `.encodingFailed` when the image cannot be encoded. The default implementation always throws.
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data
    /// Returns whether this coder can write animations in a format. False by default.
    func canEncodeFrames(to format: ImageFormat) -> Bool
    /// Returns the encoded animation. A single frame is written as a still image.
    ///
    /// - Parameters:
    ///   - frameCount: the number of frames, at least 1.
    ///   - loopCount: the number of times that the animation plays; 0 means forever.
    ///   - frame: returns the frame at an index. `frame` is called once per frame, in order, so that only a few frames
    ///     are in memory at a time. The first frame determines the size of the animation.
    /// - Throws: `.encodingFailed` when the animation cannot be encoded, and every error that `frame` throws. The default
    ///   implementation always throws `.encodingFailed`.
    func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data
}

extension ImageCoder {
    /// Nil by default: the coder is asked for every file.
    public var signatures: [FileSignature]? { nil }
    /// True by default.
    public var describesFiles: Bool { true }
    /// Nil by default.
    public var animated: (any AnimatedImageCoder)? { nil }
    /// Nil by default.
    public var progressive: (any ProgressiveImageCoder)? { nil }

    /// Returns whether the data begins like one of the ``signatures``.
    ///
    /// Disfavored, so that a call finds the method of a type that accepts an optional.
    @_disfavoredOverload public func canDecode(from data: Data) -> Bool {
        var file = SniffedFile(data)
        return signatures?.contains { $0.matches(&file) } ?? false
    }

    /// Returns the values of ``imageInfo(of:limits:)`` alone.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        ImageProperties(info: try imageInfo(of: data, limits: limits))
    }

    /// Returns false: the coder only reads.
    public func canEncode(to format: ImageFormat) -> Bool { false }

    /// Throws `.encodingFailed`: the coder only reads.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data { throw .writesNothing(self) }

    /// Returns false: the coder writes no animations.
    public func canEncodeFrames(to format: ImageFormat) -> Bool { false }

    /// Throws `.encodingFailed`: the coder writes no animations.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data { throw .writesNothing(self, "animations") }

    /// Returns the encoded animation. A single frame is written as a still image.
    ///
    /// - Throws: `.encodingFailed` when the animation cannot be encoded or `frames` is empty.
    public func encode(
        _ frames: [ImageFrame], loopCount: Int, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard !frames.isEmpty else {
            throw WebImageError(.encodingFailed, stage: .encode, underlying: .message("there are no frames"))
        }
        return try encode(frameCount: frames.count, loopCount: loopCount, format: format, options: options) {
            frames[$0]
        }
    }

    /// Encodes all frames of an animated image. Returns nil if the image is a still image or the options request
    /// only the first frame.
    package func encodeAnimation(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data? {
        guard !options.firstFrameOnly, let animation = image.animationProvider,
            animation.animatedImageFrameCount > 1
        else { return nil }
        return try encode(
            frameCount: animation.animatedImageFrameCount, loopCount: animation.animatedImagePlayCount,
            format: format, options: options
        ) { index throws(WebImageError) in
            guard let image = animation.animatedImageFrame(at: index) else {
                throw WebImageError(
                    .encodingFailed, stage: .encode, underlying: .message("frame \(index) cannot be decoded"))
            }
            return ImageFrame(image: image, duration: animation.animatedImageDuration(at: index))
        }
    }
}

extension WebImageError {
    fileprivate static func writesNothing(_ coder: any ImageCoder, _ what: String = "files") -> WebImageError {
        WebImageError(
            .encodingFailed, stage: .encode,
            underlying: .codec(library: "\(type(of: coder))", message: "writes no \(what)"))
    }
}

/// A coder that makes partial images while a file is being downloaded.
///
/// A new instance is created for each image. Only one thread at a time uses an instance. The main thread never uses an
/// instance.
@preconcurrency public protocol ProgressiveImageCoder: ImageCoder {
    /// Returns whether the coder can make partial images of a file that begins with these bytes. By default, for the files
    /// that it can decode.
    func canIncrementalDecode(from start: Data) -> Bool
    /// Makes an instance for one image.
    init(incremental options: DecodingOptions)
    /// Updates the coder. `data` contains all bytes received so far, including the bytes of earlier updates.
    /// After an update with `finished`, further updates are ignored.
    ///
    /// - Throws: `.badImageData` when the bytes cannot be decoded, `.limitExceeded` when the image exceeds a limit. The
    ///   partial image then does not change any more.
    func update(_ data: Data, finished: Bool) throws(WebImageError)
    /// Returns the partial image; nil before the first row has arrived. For an animation, a coder may return only the
    /// first frame.
    ///
    /// - Parameter options: Only the scale may differ from the options of the instance. Nil means those.
    func incrementalImage(options: DecodingOptions?) -> Image?
    /// The coder, if it receives the file in pieces; nil if it needs all bytes at each update. Every type that adopts
    /// ``StreamingImageCoder`` returns itself.
    var streaming: (any StreamingImageCoder)? { get }
}

extension ProgressiveImageCoder {
    /// The coder itself.
    public var progressive: (any ProgressiveImageCoder)? { self }
    /// Whether the coder recognises the file. A type that decides by itself declares this method.
    @_disfavoredOverload public func canIncrementalDecode(from start: Data) -> Bool { canDecode(from: start) }
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
