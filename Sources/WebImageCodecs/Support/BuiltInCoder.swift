public import Foundation
public import WebImageCore

/// A coder that is built into this module. Only the coders of this module can adopt this protocol.
///
/// The coder recognises files by their content. The shared instance decodes whole files and has no state. Another
/// instance can decode one picture that arrives in pieces. Thread-safe.
public protocol BuiltInImageCoder: StreamingImageCoder {
    /// The functions that recognise, stream and open files of this format.
    static var fileType: CodecFileType { get }
    /// The picture or animation that this instance was created for; empty in the shared instance.
    var work: CodecWork { get }
    /// Creates an instance for one picture or one animation.
    init(work: CodecWork)
}

/// A built-in coder that also decodes animations. An instance can contain one opened animation.
public protocol BuiltInAnimatedImageCoder: BuiltInImageCoder, DetailedAnimatedImageCoder {}

/// The functions that recognise, stream and open files of one format. Its members are not public.
public struct CodecFileType: Sendable {
    let format: ImageFormat
    let makeStream: @Sendable (DecodingOptions) -> any PictureStream
    /// Opens an animation; nil for a format without animations.
    var open: (@Sendable (Data, DecodingOptions) throws(WebImageError) -> OpenedAnimation)?
}

/// The picture or animation that a coder instance was created for. Its members are not public.
public struct CodecWork: Sendable {
    /// The animation that the instance was opened with; nil if it was not opened with one.
    var opened: OpenedAnimation?
    /// The decode of the picture that arrives in pieces; nil if the instance was not created for one.
    var streaming: StreamingDecode?
}

extension BuiltInImageCoder {
    /// Whether the data starts with the signature of the coder's format.
    public func canDecode(from data: Data?) -> Bool {
        data.map { ImageFormat(sniffing: $0.prefix(ImageFormat.signatureLength)) == Self.fileType.format } ?? false
    }

    /// Whether this is the one format that the coder writes.
    public func canEncode(to format: ImageFormat) -> Bool { format == Self.fileType.format }

    // MARK: A picture that arrives

    /// Creates an instance for one picture that arrives in pieces.
    public init(incrementalWithOptions options: ImageCoderOptions?) {
        self.init(work: CodecWork(streaming: StreamingDecode(options, Self.fileType.makeStream)))
    }

    /// Whether the data starts with the signature of the coder's format.
    public func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }

    /// Decodes the new bytes. The argument must contain all bytes so far, not only the new bytes.
    public func updateIncrementalData(_ data: Data?, finished: Bool) {
        work.streaming?.update(data, finished: finished)
    }

    /// Returns the partial image: the rows, passes or scans that have arrived, or the first frame of an animation.
    /// Returns nil if there is nothing to show yet.
    ///
    /// After all bytes have arrived, returns the final image. Its pixels are identical to a decode of the whole file.
    ///
    /// - Parameter options: Only the scale is used. All other options were set when the instance was created.
    public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        work.streaming?.image(scale: options?.incrementalScale)
    }

    /// Decodes the next bytes. The decode time limit applies to the sum of the durations of all calls, without the
    /// time between the calls.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`. After an error, every later call throws the same error.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try work.streaming?.append(bytes, finished: finished)
    }

    /// The properties in the file header; nil until the header has arrived.
    public var incrementalInfo: ImageInfo? { work.streaming?.info }

    /// A number that increases whenever ``snapshot()`` would return a more complete picture.
    public var incrementalRevision: Int { work.streaming?.revision ?? 0 }
}

extension BuiltInAnimatedImageCoder {
    /// Opens a file as an animation. Its composited frames can be requested in any order.
    ///
    /// A still counts as one frame. If the file is truncated or damaged, only the complete frames before the error
    /// are available.
    ///
    /// - Throws: `.badImageData` if there is no complete frame; `.limitExceeded`, also if there are too many frames
    ///   or too many pixels in all frames together.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        guard let open = Self.fileType.open else { throw .noAnimation }
        self.init(work: CodecWork(opened: try open(data, options)))
    }

    /// The opened animation, or the part of the animation that has arrived; nil in any other instance.
    private var animation: OpenedAnimation? {
        work.opened ?? Self.fileType.open.flatMap { work.streaming?.animation($0) }
    }

    /// Returns a frame, composited on the whole canvas, in the size and layout that the options request.
    ///
    /// If frames are requested in order, each call decodes one frame. In any other order, a call decodes a bounded
    /// number of frames.
    ///
    /// - Throws: `.badImageData`, also if `index` is out of range; `.limitExceeded` if the decode takes too long.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let animation else { throw .noAnimation }
        return try animation.frame(at: index)
    }

    /// The bytes of the opened file. For an incremental instance, the bytes that had arrived when the animation was
    /// last opened.
    public var animatedImageData: Data? { animation?.data }

    /// The number of complete frames; 1 for a still. For an incremental instance, the number of frames that have
    /// arrived. 0 if no file was opened.
    public var animatedImageFrameCount: Int { animation?.frameCount ?? 0 }

    /// The loop count of the animation; 0 repeats for ever. A GIF file without a loop extension plays once.
    public var animatedImageLoopCount: Int { animation?.loopCount ?? 0 }

    /// Returns the duration of a frame in seconds; 0 if `index` is out of range.
    public func animatedImageDuration(at index: Int) -> TimeInterval { animation?.duration(at: index) ?? 0 }

    /// The number of frames decoded so far. Tests use it to measure the cost of different orders of access.
    package var decodedFrameCount: Int { work.opened?.drawnFrameCount ?? 0 }
}

extension ImageCoderOptions {
    /// The scale requested for one preview; nil if the scale of the coder instance applies.
    fileprivate var incrementalScale: Double? {
        self[.decodeScaleFactor] == nil ? nil : DecodingOptions(self).scaleFactor
    }
}
