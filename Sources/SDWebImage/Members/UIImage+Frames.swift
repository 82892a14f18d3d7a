public import Foundation
public import WebImage
import WebImageCompatibility

/// An animation with all frames in memory. It replaces UIKit's animated image, which SDWebImage uses.
///
/// Safe on any thread, because locks protect the values that can change.
final class FramesImage: Image, AnimatedImageProvider, @unchecked Sendable {
    // Unchecked is correct because every stored property is a constant of a `Sendable` type.

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
    /// True even for one frame, like that of UIKit's animated images.
    override var isAnimated: Bool { true }
    override var imageLoopCount: Int {
        get { loops.withLock { $0 } }
        set { loops.withLock { $0 = newValue } }
    }
    override var memoryCost: Int {
        get { customCost.withLock { $0 } ?? distinctByteCount }
        set { customCost.withLock { $0 = newValue } }
    }
    private let customCost = Locked<Int?>(nil)

    /// The size of all frames' pixels in bytes. A pixel buffer that several frames share counts once.
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
    /// UIKit's name for the orientation type. Decoding a file applies the orientation that the file declares.
    public typealias Orientation = ImageOrientation

    /// The orientation for display. Always `.up`, because decoding applies the orientation that the file declares.
    public var imageOrientation: Orientation { .up }

    /// All frames of an animation. Nil for a still image. Each access decodes the frames that are not in memory, and
    /// blocks during decoding.
    public var images: [UIImage]? {
        guard isAnimated, let animation = self as? any AnimatedImageProvider else { return nil }
        return (0..<animation.ownFrames).compactMap { animation.animatedImageFrame(at: $0) }
    }

    /// The total duration of all frames in seconds. 0 for a still image.
    public var duration: TimeInterval {
        guard isAnimated, let animation = self as? any AnimatedImageProvider else { return 0 }
        return (0..<animation.ownFrames).reduce(0) { $0 + animation.animatedImageDuration(at: $1) }
    }

    /// Creates an animation that stores all images in memory. Each image is shown for an equal part of `duration`.
    /// `duration` is in seconds. The result of one image is an animation with one frame.
    ///
    /// Returns nil for an empty array. If `duration` is not positive, each image is shown for 1/30 of a second, as on
    /// Apple's systems.
    public static func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? {
        let each = duration > 0 && duration.isFinite ? duration / Double(max(images.count, 1)) : 1.0 / 30
        return FramesImage(images.map { SDImageFrame(image: $0, duration: each) })
    }

    /// Creates an image of one transparent pixel. Apple's initialiser creates an image without pixels, but an image of
    /// this package must have pixels.
    public convenience init() {
        guard let pixels = try? PixelBuffer(width: 1, height: 1, format: .bgra8Premultiplied) else {
            preconditionFailure("Out of memory for an image of one pixel.")
        }
        pixels.withUnsafeMutableBytes { bytes in _ = bytes.initializeMemory(as: UInt8.self, repeating: 0) }
        self.init(pixels: pixels)
    }

    /// Unavailable, because images cannot be archived.
    @available(
        *, unavailable, message: "Archive pngData() or sd_imageData() and restore the image with init(data:)"
    )
    public convenience init?(coder: NSCoder) { nil }

    /// Unavailable, because Linux has no Core Graphics.
    @available(*, unavailable, message: "Read the pixels with `pixels` or sd_color(at:)")
    public var cgImage: Never? { nil }

    /// Unavailable, because Linux has no Core Image.
    @available(*, unavailable, message: "Use sd_filteredImage(with:) and ColorFilter")
    public var ciImage: Never? { nil }
}

extension Image: Hashable {
    /// Whether both images are the same object. The pixels are not compared, as in SDWebImage.
    public static func == (left: Image, right: Image) -> Bool { left === right }
    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ImageCoderHelper {
    /// Creates an animation that stores all frames in memory. For a single frame, returns the image of the frame.
    /// Returns nil if `frames` is nil or empty.
    public static func animatedImage(with frames: [SDImageFrame]?) -> UIImage? {
        guard let frames, let first = frames.first else { return nil }
        return frames.count == 1 ? first.image : FramesImage(frames)
    }

    /// Returns all frames of an animation with their durations. Nil for a still image. Each call decodes the frames
    /// that are not in memory, and blocks during decoding.
    public static func frames(from animatedImage: UIImage?) -> [SDImageFrame]? {
        guard let animatedImage, animatedImage.isAnimated, let animation = animatedImage as? any AnimatedImageProvider
        else { return nil }
        return (0..<animation.ownFrames).compactMap { index in
            animation.animatedImageFrame(at: index).map {
                SDImageFrame(image: $0, duration: animation.animatedImageDuration(at: index))
            }
        }
    }

    /// The method by which SDWebImage prepares a decoded image for display. In this package, the setting has no effect,
    /// because the pixels of a decoded image can be displayed directly.
    public static var defaultDecodeSolution: SDImageCoderDecodeSolution {
        get { solution.withLock { $0 } }
        set { solution.withLock { $0 = newValue } }
    }
    private static let solution = Locked(SDImageCoderDecodeSolution.automatic)
}

/// The methods by which SDWebImage prepares a decoded image for display. In this package, the values have no effect,
/// because the pixels of a decoded image can be displayed directly.
public enum SDImageCoderDecodeSolution: UInt, Sendable {
    /// The best available method.
    case automatic = 0
    /// Draws the image into a bitmap.
    case coreGraphics
    /// Uses the operating system's decoder.
    case uiKit
}

/// The form in which an encoder stores the dynamic range of an image. These are the values of `.encodeToHDR`.
public enum SDImageHDRType: UInt, Sendable {
    /// Standard dynamic range.
    case SDR = 0
    /// High dynamic range with at least ten bits per sample.
    case ISOHDR
    /// High dynamic range as a gain map. A JPEG gets the gain map that the image has; in other formats this value has the
    /// same effect as ``ISOHDR``.
    case isoGainMap
}
