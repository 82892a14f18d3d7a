public import Foundation

/// A coder for an animation that is still being downloaded. It returns the frames that have arrived completely.
///
/// A load creates the coder and attaches it to the load's partial images. The number of frames grows during the
/// download. The received bytes are parsed again each time their number has grown by a quarter. All parses
/// together therefore take only a few times as long as the last parse. All public members are safe on any thread.
public final class ArrivingAnimation: AnimatedImageCoder {
    private struct State {
        var opened: (any AnimatedImageCoder)?
        var frameCount = 0
        var nextLook = 0
        var poster: Image?
    }

    private let state = Locked(State())
    private let coder: any AnimatedImageCoder
    private let options: DecodingOptions

    /// Creates a coder that has not received any bytes.
    ///
    /// - Parameter coder: a coder whose class can read the complete file.
    package init(coder: any AnimatedImageCoder, options: DecodingOptions) {
        self.coder = coder
        self.options = options
    }

    /// Creates a coder with the received bytes of an animation.
    ///
    /// - Throws: `.badImageData` when the bytes do not contain a complete frame.
    public convenience init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        try self.init(animation: data, options: options, coders: .shared)
    }

    /// Like the initializer without `coders`, but uses the given coders instead of the shared ones.
    package convenience init(
        animation data: Data, options: DecodingOptions, coders: ImageCodersManager
    ) throws(WebImageError) {
        guard let coder = coders.decoder(for: data)?.role.animated else { throw .noCoder(for: data) }
        self.init(coder: coder, options: options)
        guard update(data) || animatedImageFrameCount > 0 else {
            throw .badData("\(type(of: coder))", "no frame is complete")
        }
    }

    /// Updates the frames from `body`, which contains all bytes received so far. Returns true if the number of frames
    /// has grown and is greater than one. Blocks while it reads the headers of the frames. Call this method from one
    /// thread at a time.
    @discardableResult
    package func update(_ body: Data) -> Bool {
        guard body.count >= state.withLock({ $0.nextLook }) else { return false }
        let opened = try? type(of: coder).init(animation: body, options: options)
        let count = opened?.animatedImageFrameCount ?? 0
        return state.withLock { state in
            // Set `nextLook`, the number of bytes for the next parse, even if this parse failed. Otherwise a coder that
            // cannot read truncated files would parse at every update.
            state.nextLook = max(body.count + body.count / 4, 1024)
            guard count > state.frameCount else { return false }
            (state.opened, state.frameCount) = (opened, count)
            return count > 1
        }
    }

    /// Whether `file` begins with the parsed bytes (``animatedImageData``).
    package func isPart(of file: Data?) -> Bool {
        guard let file, let part = animatedImageData, part.count <= file.count else { return false }
        return file.prefix(part.count) == part
    }

    private var opened: (any AnimatedImageCoder)? { state.withLock { $0.opened } }

    // MARK: Frames

    /// The bytes of the last parse that found a new frame; nil before the first frame has arrived.
    public var animatedImageData: Data? { opened?.animatedImageData }
    /// The number of frames that have arrived completely.
    public var animatedImageFrameCount: Int { state.withLock { $0.frameCount } }
    /// The number of loops to play; 0 means forever. Also 0 before the first frame has arrived.
    public var animatedImageLoopCount: Int { opened?.animatedImageLoopCount ?? 0 }
    /// The number of times that the animation plays by the rules of its format; 0 means forever.
    public var animatedImagePlayCount: Int { opened?.animatedImagePlayCount ?? 0 }
    /// Returns the duration of a frame in seconds; 0 before the first frame has arrived.
    public func animatedImageDuration(at index: Int) -> TimeInterval { opened?.animatedImageDuration(at: index) ?? 0 }
    /// Decodes a frame on the calling thread and returns it. The first frame is decoded only once and then stays in
    /// memory, because it is the poster frame of every partial image.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        if index == 0, let poster = state.withLock({ $0.poster }) { return poster }
        guard let opened else { throw .badData("\(type(of: coder))", "no frame has arrived") }
        let frame = try opened.frame(at: index)
        if index == 0 { state.withLock { $0.poster = frame } }
        return frame
    }

    // The methods for complete images call the coder that was passed to `init`.

    /// The signatures of the coder that was passed to `init`.
    public var signatures: [FileSignature]? { coder.signatures }
    /// Whether that coder can read `data`. The signature at the start of `data` decides.
    public func canDecode(from data: Data) -> Bool { coder.canDecode(from: data) }
    /// Reads the description of a complete image with that coder.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try coder.imageInfo(of: data, limits: limits)
    }
    /// Decodes a complete image with that coder.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try coder.decode(data, options: options)
    }
    /// Whether that coder can write files of this format.
    public func canEncode(to format: ImageFormat) -> Bool { coder.canEncode(to: format) }
    /// Encodes an image with that coder.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data { try coder.encode(image, format: format, options: options) }
}
