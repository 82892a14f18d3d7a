public import Foundation
public import WebImageCore

/// A built-in coder; only the coders of this module adopt it.
///
/// It recognises its files by their content. An instance may hold one picture that arrives in pieces; the shared instance
/// decodes whole files and has no state. Safe on any thread.
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

/// The functions that recognise, stream and open files of a format; opaque outside the module.
public struct CodecFileType: Sendable {
    let format: ImageFormat
    let makeStream: @Sendable (DecodingOptions) -> any PictureStream
    /// Nil for a format without animations.
    var open: (@Sendable (Data, DecodingOptions) throws(WebImageError) -> OpenedAnimation)?
}

/// The content of a coder instance; opaque outside the module.
public struct CodecWork: Sendable {
    /// The animation that the instance was opened with.
    var opened: OpenedAnimation?
    /// The picture that arrives in pieces.
    var streaming: StreamingDecode?
}

extension BuiltInImageCoder {
    /// Whether the data starts like a file of the format.
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

    /// Whether the data starts like a file of the format.
    public func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }

    /// Takes all bytes so far.
    public func updateIncrementalData(_ data: Data?, finished: Bool) {
        work.streaming?.update(data, finished: finished)
    }

    /// The partial image: the rows, passes or scans so far, or the first frame of an animation.
    ///
    /// When all bytes have arrived it is the final image, bit for bit the same as that of a decode at once. Of the options
    /// only the scale is used; the others were set when the instance was made.
    public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        work.streaming?.image(scale: options?.incrementalScale)
    }

    /// Takes the next bytes. The time limit adds up the time of the calls, without the time between them.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`; after an error every further call throws it again.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try work.streaming?.append(bytes, finished: finished)
    }

    /// The facts in the header; nil until it has arrived.
    public var incrementalInfo: ImageInfo? { work.streaming?.info }

    /// A number that grows whenever there is more to show.
    public var incrementalRevision: Int { work.streaming?.revision ?? 0 }
}

extension BuiltInAnimatedImageCoder {
    /// Opens a file whose composited frames can be requested in any order.
    ///
    /// A still is one frame. A file that is cut off or damaged has the complete frames before the fault.
    ///
    /// - Throws: `.badImageData` when there is no complete frame; `.limitExceeded`, also for the number of frames and for
    ///   the pixels of all frames together.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        guard let open = Self.fileType.open else { throw .noAnimation }
        self.init(work: CodecWork(opened: try open(data, options)))
    }

    /// The animation that this instance was opened with, or the part of one that has arrived.
    private var animation: OpenedAnimation? {
        work.opened ?? Self.fileType.open.flatMap { work.streaming?.animation($0) }
    }

    /// A frame on the whole canvas, at the wanted size and layout.
    ///
    /// In order, each call decodes one frame; any other order decodes a bounded number.
    ///
    /// - Throws: `.badImageData`, also for an index out of range; `.limitExceeded` when it takes too long.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let animation else { throw .noAnimation }
        return try animation.frame(at: index)
    }

    /// The file that this instance was opened with, or the part that has arrived and was opened.
    public var animatedImageData: Data? { animation?.data }

    /// The number of complete frames, those that have arrived for an incremental instance; 1 for a still, 0 for neither.
    public var animatedImageFrameCount: Int { animation?.frameCount ?? 0 }

    /// The loop count; 0 is for ever. A GIF file without a loop extension plays once.
    public var animatedImageLoopCount: Int { animation?.loopCount ?? 0 }

    /// The seconds that a frame is shown; 0 for an index out of range.
    public func animatedImageDuration(at index: Int) -> TimeInterval { animation?.duration(at: index) ?? 0 }

    /// The number of frames decoded so far, to measure the cost of an order of access.
    package var decodedFrameCount: Int { work.opened?.drawnFrameCount ?? 0 }
}

extension ImageCoderOptions {
    /// The scale of one preview; nil for the scale of the instance.
    fileprivate var incrementalScale: Double? {
        self[.decodeScaleFactor] == nil ? nil : DecodingOptions(self).scaleFactor
    }
}
