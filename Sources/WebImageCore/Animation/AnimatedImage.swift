public import Foundation

/// An image whose frames are decoded when they are needed; shown as its first frame wherever a plain image is expected.
///
/// A file with one frame becomes a plain image of this class, with no coder and no frames. Safe on any thread; a frame
/// is decoded on the calling thread.
open class AnimatedImage: Image, AnimatedImageProtocol, @unchecked Sendable {
    // Unchecked is correct because the coder is Sendable and immutable, and the frames are stored in a `Locked` box.

    /// The coder that decodes the frames; nil for a still.
    public let animatedCoder: (any AnimatedImageCoder)?
    private let loaded = Locked<[Image?]?>(nil)

    /// Reads a file with the first registered coder that decodes its frames; if there is none, as a still.
    ///
    /// - Returns: nil for empty data, for data that is not an image, and for vector files.
    public required convenience init?(data: Data, scale: CGFloat, options: ImageCoderOptions? = nil) {
        self.init(data: data, scale: scale, options: options, coders: .shared)
    }

    /// The same, with the given coders.
    package convenience init?(data: Data, scale: CGFloat, options: ImageCoderOptions?, coders: ImageCodersManager) {
        guard !data.isEmpty else { return nil }
        var options = options ?? [:]
        options[.decodeScaleFactor] = NumberLimits.scale(Double(scale))
        let coder = coders.coders.last { $0 is any AnimatedImageCoder && $0.canDecode(from: data) }
        if let coder = coder as? any AnimatedImageCoder,
            let instance = type(of: coder).init(animatedImageData: data, options: options)
        {
            self.init(animatedCoder: instance, scale: scale)
            return
        }
        guard let still = coders.decodedImage(with: data, options: options), !still.isVector else {
            return nil
        }
        self.init(sharing: still)
    }

    /// Reads a file at scale 1.
    public convenience init?(data: Data) { self.init(data: data, scale: 1, options: nil) }

    /// Reads a file from disk; `@2x` or `@3x` in its name sets the scale.
    ///
    /// Blocks the caller while it reads.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data, scale: Self.scale(ofFile: path), options: nil)
    }

    /// Makes an animation with the frames of a coder; nil when the first frame cannot be decoded.
    public required init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        guard let poster = animatedCoder.animatedImageFrame(at: 0) else { return nil }
        self.animatedCoder = animatedCoder.animatedImageFrameCount > 1 ? animatedCoder : nil
        super.init(
            pixels: poster.pixels, scale: scale, colorProfile: poster.colorProfile, hasAlpha: poster.hasAlpha,
            format: poster.imageFormat)
        copyMetadata(from: poster)
    }

    /// Makes a separate instance of the same image, with the frames of a coder or, without one, its own frames.
    ///
    /// - Parameters:
    ///   - image: the poster frame.
    ///   - animatedCoder: decodes the frames; nil or a coder of a single frame means the image's own coder.
    ///   - scale: pixels per point; nil means the image's own scale.
    public init(sharing image: Image, animatedCoder: (any AnimatedImageCoder)? = nil, scale: CGFloat? = nil) {
        let hasFrames = animatedCoder.map { $0.animatedImageFrameCount > 1 } ?? false
        self.animatedCoder = hasFrames ? animatedCoder : (image as? AnimatedImage)?.animatedCoder
        super.init(
            pixels: image.pixels, scale: scale ?? image.scale, colorProfile: image.colorProfile,
            hasAlpha: image.hasAlpha,
            format: image.imageFormat)
        copyMetadata(from: image)
    }

    // MARK: Image

    /// The number of frames; 1 for a still.
    open override var imageFrameCount: Int { max(animatedCoder?.animatedImageFrameCount ?? 1, 1) }

    /// The loop count of the coder, which cannot be set; a still has its own.
    open override var imageLoopCount: Int {
        get { animatedCoder?.animatedImageLoopCount ?? super.imageLoopCount }
        set { if animatedCoder == nil { super.imageLoopCount = newValue } }
    }

    /// The memory cost in bytes: the encoded file plus the poster frame, or plus every frame once they are preloaded;
    /// unless set.
    open override var memoryCost: Int {
        get {
            if let cost = customCost.withLock({ $0 }) { return cost }
            let encoded = animatedCoder?.animatedImageData?.count ?? 0
            return encoded + pixels.byteCount * (isAllFramesLoaded ? imageFrameCount : 1)
        }
        set { customCost.withLock { $0 = newValue } }
    }

    private let customCost = Locked<Int?>(nil)

    /// The same poster and the same coder at another scale.
    open override func rescaled(to scale: CGFloat) -> Image { AnimatedImage(sharing: self, scale: scale) }

    // MARK: Frames

    /// The encoded file; nil for a still.
    open var animatedImageData: Data? { animatedCoder?.animatedImageData }

    /// The format of the frames' file; undefined for a still.
    public var animatedImageFormat: ImageFormat { animatedCoder == nil ? .undefined : imageFormat }

    /// The number of frames; 0 for a still.
    open var animatedImageFrameCount: Int { animatedCoder?.animatedImageFrameCount ?? 0 }

    /// The loop count; 0 means forever, and 0 for a still.
    open var animatedImageLoopCount: Int { animatedCoder?.animatedImageLoopCount ?? 0 }

    /// Returns a frame, decoded now unless it was preloaded; nil out of range and for a still.
    open func animatedImageFrame(at index: Int) -> Image? {
        guard index >= 0, index < animatedImageFrameCount else { return nil }
        if let frames = loaded.withLock({ $0 }), index < frames.count { return frames[index] }
        return animatedCoder?.animatedImageFrame(at: index)
    }

    /// Returns the seconds that a frame is shown; 0 out of range and for a still.
    open func animatedImageDuration(at index: Int) -> TimeInterval {
        guard index >= 0, index < animatedImageFrameCount else { return 0 }
        return animatedCoder?.animatedImageDuration(at: index) ?? 0
    }

    /// Decodes every frame now and holds them until ``unloadAllFrames()``.
    open func preloadAllFrames() {
        guard let animatedCoder, !isAllFramesLoaded else { return }
        let frames = (0..<animatedCoder.animatedImageFrameCount).map { animatedCoder.animatedImageFrame(at: $0) }
        loaded.withLock { $0 = frames }
    }

    /// Releases the preloaded frames.
    open func unloadAllFrames() {
        let dropped = loaded.withLock { frames in
            defer { frames = nil }
            return frames
        }
        _ = dropped
    }

    /// Whether every frame is in memory.
    open var isAllFramesLoaded: Bool { loaded.withLock { $0 != nil } }

    /// Returns the number between `@` and `x` before the extension; 1 without one.
    package static func scale(ofFile path: String) -> CGFloat {
        let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        guard name.hasSuffix("x"), let at = name.lastIndex(of: "@"),
            let scale = Double(name[name.index(after: at)...].dropLast()), scale.isFinite, scale > 0
        else { return 1 }
        return CGFloat(scale)
    }
}
