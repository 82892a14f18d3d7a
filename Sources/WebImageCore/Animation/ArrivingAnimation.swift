public import Foundation

/// The frames of an animation that have arrived completely while the rest is being downloaded.
///
/// Made by the load. A partial image with this coder has more frames each time it is read. The received part is opened
/// again each time it has grown by a quarter, so that all openings together cost a few times the last one. Safe on any
/// thread.
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

    /// - Parameter coder: a coder of the type that reads the complete file.
    package init(coder: any AnimatedImageCoder, options: DecodingOptions) {
        self.coder = coder
        self.options = options
    }

    /// Opens the received part of an animation; nil when it does not contain a complete frame.
    public convenience init?(animatedImageData data: Data?, options: ImageCoderOptions?) {
        self.init(animatedImageData: data, options: options, coders: .shared)
    }

    /// The same, with the given coders.
    package convenience init?(
        animatedImageData data: Data?, options: ImageCoderOptions?, coders: ImageCodersManager
    ) {
        let coders = coders.coders
        guard let data, let coder = coders.last(where: { $0.canDecode(from: data) }) as? any AnimatedImageCoder else {
            return nil
        }
        self.init(coder: coder, options: DecodingOptions(options))
        guard update(data) || animatedImageFrameCount > 0 else { return nil }
    }

    /// Takes all bytes received so far. Returns true when there are more frames than before, and more than one. Blocks
    /// while it reads their headers. Call it from one thread at a time.
    @discardableResult
    package func update(_ body: Data) -> Bool {
        guard body.count >= state.withLock({ $0.nextLook }) else { return false }
        let opened = type(of: coder).init(animatedImageData: body, options: options.dictionary)
        let count = opened?.animatedImageFrameCount ?? 0
        return state.withLock { state in
            // A coder that cannot read a truncated file is also called only this rarely.
            state.nextLook = max(body.count + body.count / 4, 1024)
            guard count > state.frameCount else { return false }
            (state.opened, state.frameCount) = (opened, count)
            return count > 1
        }
    }

    /// Whether the received part is the beginning of a file.
    package func isPart(of file: Data?) -> Bool {
        guard let file, let part = animatedImageData, part.count <= file.count else { return false }
        return file.prefix(part.count) == part
    }

    private var opened: (any AnimatedImageCoder)? { state.withLock { $0.opened } }

    // MARK: Frames

    /// The received part.
    public var animatedImageData: Data? { opened?.animatedImageData }
    /// The number of frames that have arrived completely.
    public var animatedImageFrameCount: Int { state.withLock { $0.frameCount } }
    /// The loop count, if the received part contains it.
    public var animatedImageLoopCount: Int { opened?.animatedImageLoopCount ?? 0 }
    /// Returns the seconds that a frame is shown.
    public func animatedImageDuration(at index: Int) -> TimeInterval { opened?.animatedImageDuration(at: index) ?? 0 }
    /// Returns a frame; the first, with which every partial image begins, is decoded once.
    public func animatedImageFrame(at index: Int) -> Image? {
        if index == 0, let poster = state.withLock({ $0.poster }) { return poster }
        let frame = opened?.animatedImageFrame(at: index)
        if index == 0 { state.withLock { $0.poster = frame } }
        return frame
    }

    // Complete images.

    /// Whether the coder reads such data.
    public func canDecode(from data: Data?) -> Bool { coder.canDecode(from: data) }
    /// Returns the coder's result.
    public func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        coder.decodedImage(with: data, options: options)
    }
    /// Whether the coder writes such files.
    public func canEncode(to format: ImageFormat) -> Bool { coder.canEncode(to: format) }
    /// Returns the coder's result.
    public func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? {
        coder.encodedData(with: image, format: format, options: options)
    }
}
