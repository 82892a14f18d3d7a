public import Foundation

/// The frames of an animation that have arrived whole, while the rest is on its way.
///
/// Made by what loads; a preview whose coder this is has more frames each time it is looked at. Opens the part again
/// each time it has grown by a quarter, so that all the opening together costs a few times the last. Safe on any thread.
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

    /// - Parameter coder: one of the coder that reads the whole.
    package init(coder: any AnimatedImageCoder, options: DecodingOptions) {
        self.coder = coder
        self.options = options
    }

    /// Opens what is there of an animation; nil when that is not a whole frame.
    public convenience init?(animatedImageData data: Data?, options: ImageCoderOptions?) {
        self.init(animatedImageData: data, options: options, coders: .shared)
    }

    /// The same, with the coder of a list.
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

    /// Takes all bytes so far; true when there are more frames than before, and more than one. Blocks while it reads
    /// their headers. For one thread at a time.
    @discardableResult
    package func update(_ body: Data) -> Bool {
        guard body.count >= state.withLock({ $0.nextLook }) else { return false }
        let opened = type(of: coder).init(animatedImageData: body, options: options.dictionary)
        let count = opened?.animatedImageFrameCount ?? 0
        return state.withLock { state in
            // A coder that can tell nothing of a cut-off file is asked as rarely.
            state.nextLook = max(body.count + body.count / 4, 1024)
            guard count > state.frameCount else { return false }
            (state.opened, state.frameCount) = (opened, count)
            return count > 1
        }
    }

    /// Whether what has arrived is how a file begins.
    package func isPart(of file: Data?) -> Bool {
        guard let file, let part = animatedImageData, part.count <= file.count else { return false }
        return file.prefix(part.count) == part
    }

    private var opened: (any AnimatedImageCoder)? { state.withLock { $0.opened } }

    // MARK: Frames

    /// What has arrived.
    public var animatedImageData: Data? { opened?.animatedImageData }
    /// Frames that have arrived whole.
    public var animatedImageFrameCount: Int { state.withLock { $0.frameCount } }
    /// How often it plays, as far as the part says.
    public var animatedImageLoopCount: Int { opened?.animatedImageLoopCount ?? 0 }
    /// Seconds a frame is shown.
    public func animatedImageDuration(at index: Int) -> TimeInterval { opened?.animatedImageDuration(at: index) ?? 0 }
    /// A frame; the first, which every preview begins with, is decoded once.
    public func animatedImageFrame(at index: Int) -> Image? {
        if index == 0, let poster = state.withLock({ $0.poster }) { return poster }
        let frame = opened?.animatedImageFrame(at: index)
        if index == 0 { state.withLock { $0.poster = frame } }
        return frame
    }

    // MARK: Whole pictures

    /// Whether the coder reads such data.
    public func canDecode(from data: Data?) -> Bool { coder.canDecode(from: data) }
    /// The coder's own answer.
    public func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        coder.decodedImage(with: data, options: options)
    }
    /// Whether the coder writes such files.
    public func canEncode(to format: ImageFormat) -> Bool { coder.canEncode(to: format) }
    /// The coder's own answer.
    public func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? {
        coder.encodedData(with: image, format: format, options: options)
    }
}
