public import Foundation
public import WebImageCore

/// A built-in coder: it recognises its files by their content, and an instance may hold one picture that arrives in
/// pieces. The coders of this module alone adopt it.
///
/// The shared instance of each coder decodes whole files and holds nothing. Safe on any thread.
public protocol BuiltInImageCoder: StreamingImageCoder {
    /// How files of the format are recognised, streamed and opened.
    static var fileType: CodecFileType { get }
    /// The content of an instance made for one picture or one animation.
    var work: CodecWork { get }
    /// Makes an instance with this content.
    init(work: CodecWork)
}

/// A built-in coder whose instances may also hold an animation.
public protocol BuiltInAnimatedImageCoder: BuiltInImageCoder, DetailedAnimatedImageCoder {}

/// How files of a format are recognised, streamed and opened; opaque outside the module.
public struct CodecFileType: Sendable {
    let format: ImageFormat
    let makeStream: @Sendable (DecodingOptions) -> any PictureStream
    /// Nil for a format without animations.
    var open: (@Sendable (Data, DecodingOptions) throws(WebImageError) -> OpenedAnimation)?
}

/// The content of a coder instance; opaque outside the module.
public struct CodecWork: Sendable {
    /// The animation it was opened on.
    var opened: OpenedAnimation?
    /// The picture that arrives.
    var streaming: StreamingDecode?
}

extension BuiltInImageCoder {
    /// Whether the data starts as a file of the format does.
    public func canDecode(from data: Data?) -> Bool {
        data.map { ImageFormat(sniffing: $0.prefix(ImageFormat.signatureLength)) == Self.fileType.format } ?? false
    }

    /// Whether the format is the coder's own.
    public func canEncode(to format: ImageFormat) -> Bool { format == Self.fileType.format }

    // MARK: A picture that arrives

    /// Makes an instance for one picture that arrives in pieces.
    public init(incrementalWithOptions options: ImageCoderOptions?) {
        self.init(work: CodecWork(streaming: StreamingDecode(options, Self.fileType.makeStream)))
    }

    /// Whether the data starts as a file of the format does.
    public func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }

    /// Takes all bytes so far.
    public func updateIncrementalData(_ data: Data?, finished: Bool) {
        work.streaming?.update(data, finished: finished)
    }

    /// What can be shown so far: rows, passes or scans as they come, of an animation the first frame. When all has
    /// arrived it is the image itself, the same bit for bit as a decode at once gives. Of the options only the scale is
    /// read again.
    public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        work.streaming?.image(scale: options?.incrementalScale)
    }

    /// Takes the next bytes; the time a file may cost counts from call to call, not while bytes are awaited.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`; then again at every further call.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try work.streaming?.append(bytes, finished: finished)
    }

    /// The facts in the header, as soon as it is whole.
    public var incrementalInfo: ImageInfo? { work.streaming?.info }

    /// Grows whenever there is more to show.
    public var incrementalRevision: Int { work.streaming?.revision ?? 0 }
}

extension BuiltInAnimatedImageCoder {
    /// Opens a file to give its frames, composited, in any order.
    ///
    /// A still is one frame. Of a file that is cut off or damaged the whole frames before that are there.
    ///
    /// - Throws: `.badImageData` when there is no whole frame, `.limitExceeded` also for the frames' number and their
    ///   pixels together.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        guard let open = Self.fileType.open else { throw .noAnimation }
        self.init(work: CodecWork(opened: try open(data, options)))
    }

    /// The animation this instance was opened on, or what has arrived of one.
    private var animation: OpenedAnimation? {
        work.opened ?? Self.fileType.open.flatMap { work.streaming?.animation($0) }
    }

    /// A frame on the whole canvas, at the wanted size and layout.
    ///
    /// Asked for in order, one frame is decoded for each; any other order costs a bounded number.
    ///
    /// - Throws: `.badImageData` also for a number there is no frame of, `.limitExceeded` when it takes too long.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let animation else { throw .noAnimation }
        return try animation.frame(at: index)
    }

    /// The file this instance was opened on, or what of it has arrived and was opened.
    public var animatedImageData: Data? { animation?.data }

    /// Whole frames, of an incremental instance those that have arrived; 1 for a still, 0 where there is no animation.
    public var animatedImageFrameCount: Int { animation?.frameCount ?? 0 }

    /// How often it plays; 0 is for ever. A GIF file that does not say plays once.
    public var animatedImageLoopCount: Int { animation?.loopCount ?? 0 }

    /// Seconds a frame is shown, as it is played; 0 when there is none of this number.
    public func animatedImageDuration(at index: Int) -> TimeInterval { animation?.duration(at: index) ?? 0 }

    /// Frames decoded so far, to see what an order of access costs.
    package var decodedFrameCount: Int { work.opened?.drawnFrameCount ?? 0 }
}

extension ImageCoderOptions {
    /// The scale of one preview; nil leaves the instance's own.
    fileprivate var incrementalScale: Double? {
        self[.decodeScaleFactor] == nil ? nil : DecodingOptions(self).scaleFactor
    }
}
