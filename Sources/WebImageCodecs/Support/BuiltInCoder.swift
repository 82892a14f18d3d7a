public import Foundation
public import WebImageCore

/// A coder that is built into this module. Other modules cannot adopt this protocol.
///
/// The coder recognises files by their content. The shared instance decodes whole files and has no state. An instance
/// that was created by ``init(incremental:)`` decodes one picture that arrives in pieces. Thread-safe.
public protocol BuiltInImageCoder: StreamingImageCoder {
    /// The functions that recognise, stream and open files of this format.
    static var fileType: CodecFileType { get }
    /// The picture or animation that this instance was created for. Empty in the shared instance.
    var work: CodecWork { get }
    /// Creates an instance for one picture or one animation.
    init(work: CodecWork)
}

/// A built-in coder that also decodes animations. An instance can contain one opened animation.
public protocol BuiltInAnimatedImageCoder: BuiltInImageCoder, AnimatedImageCoder {}

/// The functions that recognise, stream and open files of one format. The members of this type are not public.
public struct CodecFileType: Sendable {
    let format: ImageFormat
    let makeStream: @Sendable (DecodingOptions) -> any PictureStream
    /// Opens an animation. Nil for a format without animations.
    var open: (@Sendable (Data, DecodingOptions) throws(WebImageError) -> OpenedAnimation)?
}

/// The picture or animation that a coder instance was created for. The members of this type are not public.
public struct CodecWork: Sendable {
    /// The animation that ``BuiltInAnimatedImageCoder/init(animation:options:)`` has opened. Nil in any other instance.
    var opened: OpenedAnimation?
    /// The decoder of a picture that arrives in pieces. Nil if the instance was not created for such a picture.
    var streaming: StreamingDecode?
}

extension BuiltInImageCoder {
    /// The signature of the coder's format.
    public var signatures: [FileSignature]? { [.format(Self.fileType.format)] }

    /// Whether the data starts with the signature of the coder's format.
    public func canDecode(from data: Data) -> Bool {
        ImageFormat(sniffing: data.prefix(ImageFormat.signatureLength)) == Self.fileType.format
    }

    /// Whether `format` is the format of this coder. A coder writes only one format.
    public func canEncode(to format: ImageFormat) -> Bool { format == Self.fileType.format }

    // MARK: A picture that arrives

    /// Creates an instance for one picture that arrives in pieces.
    public init(incremental options: DecodingOptions) {
        self.init(work: CodecWork(streaming: StreamingDecode(options, Self.fileType.makeStream)))
    }

    /// Decodes the new bytes. `data` must contain all bytes so far, not only the new bytes.
    ///
    /// - Throws: As ``append(_:finished:)``.
    public func update(_ data: Data, finished: Bool) throws(WebImageError) {
        try work.streaming?.update(data, finished: finished)
    }

    /// Returns the partial image: the rows, passes or scans that have arrived, or the first frame of an animation.
    /// Returns nil if no part of the picture can be shown yet.
    ///
    /// After all bytes have arrived, returns the final image. Its pixels are identical to the pixels that `decode`
    /// returns for the whole file.
    ///
    /// - Parameter options: Only the scale is used. All other options were set when the instance was created.
    public func incrementalImage(options: DecodingOptions?) -> Image? {
        work.streaming?.image(scale: options?.scaleFactor)
    }

    /// Decodes the next bytes. The decode time limit applies to the sum of the durations of all calls. The time between
    /// the calls does not count.
    ///
    /// - Throws: `.badImageData` if the file is invalid or truncated. `.limitExceeded` if the file exceeds a limit.
    ///   After an error, every later call throws the same error.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try work.streaming?.append(bytes, finished: finished)
    }

    /// The properties in the file header. Nil until the header has arrived.
    public var incrementalInfo: ImageInfo? { work.streaming?.info }

    /// A number that increases whenever ``incrementalImage(options:)`` can return a more complete image.
    public var incrementalRevision: Int { work.streaming?.revision ?? 0 }
}

extension BuiltInAnimatedImageCoder {
    /// Opens a file as an animation. Its composited frames can be requested in any order.
    ///
    /// A still counts as one frame. If the file is truncated or damaged, only the complete frames before the damage are
    /// available.
    ///
    /// - Throws: `.badImageData` if there is no complete frame. `.limitExceeded` if the file exceeds a limit, for
    ///   example the limit for the pixels of all frames together.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        guard let open = Self.fileType.open else { throw .noAnimation }
        self.init(work: CodecWork(opened: try open(data, options)))
    }

    /// Decodes the first picture of a file, and opens the animation if the options request its other frames.
    ///
    /// - Parameter first: Returns the first picture and the number of frames. Its limits do not count the other frames if
    ///   the options request only the first one.
    static func decode(
        _ data: Data, options: DecodingOptions,
        first: (_ bytes: UnsafeRawBufferPointer, DecodingLimits, DecodeDeadline) throws(WebImageError) -> (Image, Int)
    ) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        var limits = options.limits
        if options.firstFrameOnly { limits.maxAnimationPixels = .max }
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            try first(bytes, limits, deadline)
        }
        return picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// The opened animation, or the part of the animation that has arrived. Nil in any other instance.
    private var animation: OpenedAnimation? {
        work.opened ?? Self.fileType.open.flatMap { work.streaming?.animation($0) }
    }

    /// Returns a frame, composited on the whole canvas, in the size and layout that the options request.
    ///
    /// If frames are requested in order, each call decodes one frame. In any other order, a call can also decode
    /// earlier frames on which the requested frame depends.
    ///
    /// - Throws: `.badImageData` if `index` is out of range or the data of the frame is damaged. `.limitExceeded` if
    ///   the decode takes too long.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let animation else { throw .noAnimation }
        return try animation.frame(at: index)
    }

    /// The bytes of the opened file. For an incremental instance, these are the bytes that had arrived when the
    /// animation was last opened.
    public var animatedImageData: Data? { animation?.data }

    /// The number of complete frames; 1 for a still. An incremental instance counts the complete frames that have
    /// arrived. The number is 0 if no file was opened.
    public var animatedImageFrameCount: Int { animation?.frameCount ?? 0 }

    /// The loop count of the animation. 0 means endless repetition. A GIF file without a loop extension plays once.
    public var animatedImageLoopCount: Int { animation?.loopCount ?? 0 }

    /// The number of times that the animation plays by the rules of its format. 0 means endless repetition. A GIF file
    /// whose loop extension contains the number 3 plays four times.
    public var animatedImagePlayCount: Int { animation?.playCount ?? 0 }

    /// Returns the duration of a frame in seconds. Returns 0 if `index` is out of range.
    public func animatedImageDuration(at index: Int) -> TimeInterval { animation?.duration(at: index) ?? 0 }

    /// The number of frames that were decoded so far. A frame that was decoded twice counts twice. Tests use this
    /// number to measure the cost of different orders of access.
    package var decodedFrameCount: Int { work.opened?.drawnFrameCount ?? 0 }
}
