public import Foundation
public import WebImage

/// An animation with all frames in memory, like the system's animated image in SDWebImage.
///
/// Safe on any thread, because it is immutable.
final class FramesImage: Image, AnimatedImageProvider, @unchecked Sendable {
    // Unchecked is correct because every stored property is an immutable Sendable.

    let frames: [SDImageFrame]
    private let loops: Locked<Int>

    init?(_ frames: [SDImageFrame], loopCount: Int = 0) {
        guard let poster = frames.first?.image else { return nil }
        self.frames = frames
        loops = Locked(loopCount)
        super.init(
            pixels: poster.pixels, scale: poster.scale, colorProfile: poster.colorProfile, hasAlpha: poster.hasAlpha)
    }

    override var imageFrameCount: Int { frames.count }
    override var imageLoopCount: Int {
        get { loops.withLock { $0 } }
        set { loops.withLock { $0 = newValue } }
    }
    override var memoryCost: Int {
        get { customCost.withLock { $0 } ?? distinctByteCount }
        set { customCost.withLock { $0 = newValue } }
    }
    private let customCost = Locked<Int?>(nil)

    /// Bytes of the frames' pixels; a buffer that several frames share counts once.
    private var distinctByteCount: Int {
        var seen: Set<ObjectIdentifier> = []
        return frames.reduce(0) { sum, frame in
            sum + (seen.insert(ObjectIdentifier(frame.image.pixels)).inserted ? frame.image.pixels.byteCount : 0)
        }
    }

    override func rescaled(to scale: CGFloat) -> Image {
        let scaled = frames.map { SDImageFrame(image: $0.image.rescaled(to: scale), duration: $0.duration) }
        return FramesImage(scaled, loopCount: imageLoopCount) ?? super.rescaled(to: scale)
    }

    var animatedImageData: Data? { nil }
    var animatedImageFrameCount: Int { frames.count }
    var animatedImageLoopCount: Int { imageLoopCount }
    func animatedImageFrame(at index: Int) -> Image? { frames.indices.contains(index) ? frames[index].image : nil }
    func animatedImageDuration(at index: Int) -> TimeInterval {
        frames.indices.contains(index) ? FrameDuration.played(milliseconds: frames[index].duration * 1000) : 0
    }
}

extension Image {
    /// The orientation of an image; it is applied when a file is decoded.
    public typealias Orientation = ImageOrientation

    /// The orientation for display: always up, because orientation is applied when a file is decoded.
    public var imageOrientation: Orientation { .up }

    /// The frames of an animation, decoded now; nil for a still. Blocks while it decodes.
    public var images: [UIImage]? {
        guard isAnimated, let animation = self as? any AnimatedImageProvider else { return nil }
        return (0..<animation.ownFrames).compactMap { animation.animatedImageFrame(at: $0) }
    }

    /// The total duration of all frames in seconds; 0 for a still.
    public var duration: TimeInterval {
        guard isAnimated, let animation = self as? any AnimatedImageProvider else { return 0 }
        return (0..<animation.ownFrames).reduce(0) { $0 + animation.animatedImageDuration(at: $1) }
    }

    /// Makes an animation with all images in memory; each is shown for an equal part of `duration` seconds.
    ///
    /// Nil for no images. A duration that is not positive means 1/30 of a second for each, as on Apple's systems.
    public static func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? {
        let each = duration > 0 && duration.isFinite ? duration / Double(max(images.count, 1)) : 1.0 / 30
        return ImageCoderHelper.animatedImage(with: images.map { SDImageFrame(image: $0, duration: each) })
    }

    /// Makes an image of one transparent pixel. SDWebImage's image has none, but every image here has pixels.
    public convenience init() {
        guard let pixels = try? PixelBuffer(width: 1, height: 1, format: .bgra8Premultiplied) else {
            preconditionFailure("Out of memory for an image of one pixel.")
        }
        pixels.withUnsafeMutableBytes { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: 0) }
        self.init(pixels: pixels)
    }

    /// Unavailable: images are not archived.
    @available(
        *, unavailable, message: "Archive pngData() or sd_imageData() and restore the image with init(data:)"
    )
    public convenience init?(coder: NSCoder) { nil }

    /// Unavailable: there is no Core Graphics.
    @available(*, unavailable, message: "Read the pixels with `pixels` or sd_color(at:)")
    public var cgImage: Never? { nil }

    /// Unavailable: there is no Core Image.
    @available(*, unavailable, message: "Use sd_filteredImage(with:) and ColorFilter")
    public var ciImage: Never? { nil }
}

extension Image: Hashable {
    /// Whether both are the same object: images are compared by identity, as in SDWebImage.
    public static func == (left: Image, right: Image) -> Bool { left === right }
    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ImageCoderHelper {
    /// Makes an animation with all frames in memory; returns the image itself for a single frame, nil for none.
    public static func animatedImage(with frames: [SDImageFrame]?) -> UIImage? {
        guard let frames, let first = frames.first else { return nil }
        return frames.count == 1 ? first.image : FramesImage(frames)
    }

    /// The frames of an animation with their durations, decoded now; nil for a still. Blocks while it decodes.
    public static func frames(from animatedImage: UIImage?) -> [SDImageFrame]? {
        guard let animatedImage, animatedImage.isAnimated, let animation = animatedImage as? any AnimatedImageProvider
        else { return nil }
        return (0..<animation.ownFrames).compactMap { index in
            animation.animatedImageFrame(at: index).map {
                SDImageFrame(image: $0, duration: animation.animatedImageDuration(at: index))
            }
        }
    }

    /// The way images are made ready for display. It has no effect, because decoded images are already ready.
    public static var defaultDecodeSolution: SDImageCoderDecodeSolution {
        get { solution.withLock { $0 } }
        set { solution.withLock { $0 = newValue } }
    }
    private static let solution = Locked(SDImageCoderDecodeSolution.automatic)
}

/// The way SDWebImage makes an image ready for display; here decoded images are already ready.
public enum SDImageCoderDecodeSolution: UInt, Sendable {
    /// The best available way.
    case automatic = 0
    /// By drawing the image.
    case coreGraphics
    /// By the system's decoder.
    case uiKit
}

/// The way an encoder stores high dynamic range: the value of `.encodeToHDR`.
public enum SDImageHDRType: UInt, Sendable {
    /// Standard dynamic range.
    case sdr = 0
    /// In samples of ten bits or more.
    case isohdr
    /// As a gain map, which is read but not written: the same as ``isohdr`` here.
    case isoGainMap
}
