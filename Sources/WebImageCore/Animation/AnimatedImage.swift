public import Foundation

/// An image whose frames are decoded when they are needed. The pixels of the image itself are the pixels of the first
/// frame.
///
/// For a file with one frame, ``animatedCoder`` is nil and ``animatedImageFrameCount`` is 0. All methods
/// are safe on any thread. Methods that return frames decode them on the calling thread.
open class AnimatedImage: Image, AnimatedImageProtocol, @unchecked Sendable {
    // `@unchecked Sendable` is correct: the coder is Sendable, the `animatedCoder` property is immutable, and a
    // `Locked` box protects the frames.

    /// The coder that decodes the frames; nil for a still.
    public let animatedCoder: (any AnimatedImageCoder)?
    private let loaded = Locked<[Image?]?>(nil)

    /// Creates an image from the data of an image file. If the file is an animation and a registered coder can decode
    /// its frames, the image has all frames. Otherwise it is a still image.
    ///
    /// - Returns: nil for empty data, for data that is not an image, and for vector files.
    public required convenience init?(data: Data, scale: CGFloat, options: ImageCoderOptions? = nil) {
        self.init(data: data, scale: scale, options: options, coders: .shared)
    }

    /// Like the initializer without `coders`, but uses the given coders instead of the shared ones.
    package convenience init?(data: Data, scale: CGFloat, options: ImageCoderOptions?, coders: ImageCodersManager) {
        guard !data.isEmpty else { return nil }
        var options = DecodingOptions(options)
        options.scaleFactor = NumberLimits.scale(Double(scale))
        if let coder = coders.animatedCoder(for: data),
            let instance = try? type(of: coder).init(animation: data, options: options)
        {
            self.init(animatedCoder: instance, scale: scale)
            return
        }
        guard let still = coders.image(from: data, options: options), !still.isVector else {
            return nil
        }
        self.init(sharing: still)
        countsAsDecoded = still.countsAsDecoded
    }

    /// Creates an image at scale 1 from the data of an image file.
    public convenience init?(data: Data) { self.init(data: data, scale: 1, options: nil) }

    /// Reads an image file from disk. A suffix such as `@2x` or `@3x` in the file name sets the scale.
    ///
    /// Blocks the calling thread while it reads the file.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data, scale: Self.scale(ofFile: path), options: nil)
    }

    /// Creates an image with the frames of a coder; nil when the first frame cannot be decoded. If the coder has only
    /// one frame, or pages instead of frames, the image is a still image.
    public required init?(animatedCoder: any AnimatedImageCoder, scale: CGFloat) {
        guard let poster = animatedCoder.animatedImageFrame(at: 0) else { return nil }
        let isAnimation = animatedCoder.animatedImageFrameCount > 1 && !poster.imageFormat.framesArePages
        self.animatedCoder = isAnimation ? animatedCoder : nil
        super.init(
            pixels: poster.pixels, scale: scale, colorProfile: poster.colorProfile, hasAlpha: poster.hasAlpha,
            format: poster.imageFormat)
        copyMetadata(from: poster)
    }

    /// Creates an animated image that shares the pixels of an existing image.
    ///
    /// - Parameters:
    ///   - image: the existing image. Its pixels are the poster frame.
    ///   - animatedCoder: decodes the frames. If it is nil or has a single frame, the coder of `image` is used.
    ///   - scale: pixels per point; nil means the image's own scale.
    public init(sharing image: Image, animatedCoder: (any AnimatedImageCoder)? = nil, scale: CGFloat? = nil) {
        let hasFrames =
            !image.imageFormat.framesArePages && animatedCoder.map { $0.animatedImageFrameCount > 1 } ?? false
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

    /// The number of loops to play. An animation returns the coder's loop count and ignores a new value.
    /// A still image stores the value.
    open override var imageLoopCount: Int {
        get { animatedCoder?.animatedImageLoopCount ?? super.imageLoopCount }
        set { if animatedCoder == nil { super.imageLoopCount = newValue } }
    }

    /// The memory cost in bytes. If a value was set, this value is the cost. Otherwise the cost is the sum of two
    /// sizes: the encoded file of the animation (0 for a still image) and the pixels of the poster frame. While all
    /// frames are preloaded, the pixels of all frames count.
    open override var memoryCost: Int {
        get {
            if let cost = customCost.withLock({ $0 }) { return cost }
            let encoded = animatedCoder?.animatedImageData?.count ?? 0
            return encoded + pixels.byteCount * (isAllFramesLoaded ? imageFrameCount : 1)
        }
        set { customCost.withLock { $0 = newValue } }
    }

    private let customCost = Locked<Int?>(nil)

    /// Returns an image with the same poster frame and the same coder, but another scale.
    open override func rescaled(to scale: CGFloat) -> Image { AnimatedImage(sharing: self, scale: scale) }

    // MARK: Frames

    /// The encoded file; nil for a still.
    open var animatedImageData: Data? { animatedCoder?.animatedImageData }

    /// The format of the encoded animation; ``ImageFormat/undefined`` for a still image.
    public var animatedImageFormat: ImageFormat { animatedCoder == nil ? .undefined : imageFormat }

    /// The number of frames; 0 for a still.
    open var animatedImageFrameCount: Int { animatedCoder?.animatedImageFrameCount ?? 0 }

    /// The number of loops to play; 0 means forever. A still image returns 0.
    open var animatedImageLoopCount: Int { animatedCoder?.animatedImageLoopCount ?? 0 }

    /// The number of times that the animation plays by the rules of its format; 0 means forever.
    open var animatedImagePlayCount: Int { animatedCoder?.animatedImagePlayCount ?? animatedImageLoopCount }

    /// Returns a frame. If the frame is not preloaded, decodes it on the calling thread. Returns nil for an index out
    /// of range and for a still image.
    open func animatedImageFrame(at index: Int) -> Image? {
        guard index >= 0, index < animatedImageFrameCount else { return nil }
        if let frames = loaded.withLock({ $0 }), index < frames.count { return frames[index] }
        return animatedCoder?.animatedImageFrame(at: index)
    }

    /// Returns the duration of a frame in seconds; 0 for an index out of range and for a still image.
    open func animatedImageDuration(at index: Int) -> TimeInterval {
        guard index >= 0, index < animatedImageFrameCount else { return 0 }
        return animatedCoder?.animatedImageDuration(at: index) ?? 0
    }

    /// Decodes every frame on the calling thread and keeps the frames in memory until ``unloadAllFrames()``.
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

    /// Returns the scale in a file name, such as 2 for `photo@2x.png`; 1 if the name contains no scale.
    package static func scale(ofFile path: String) -> CGFloat {
        let name = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        guard name.hasSuffix("x"), let at = name.lastIndex(of: "@"),
            let scale = Double(name[name.index(after: at)...].dropLast()), scale.isFinite, scale > 0
        else { return 1 }
        return CGFloat(scale)
    }
}

/// One frame of an animation and its duration.
public struct ImageFrame: Sendable {
    /// The complete image of the frame, not only the area that differs from the previous frame.
    public let image: Image
    /// The duration in seconds.
    public let duration: TimeInterval

    /// Creates a frame from its image and its duration in seconds.
    public init(image: Image, duration: TimeInterval) {
        self.image = image
        self.duration = duration
    }
}
