public import Foundation
public import WebImage
import WebImageCompatibility

// SDWebImage's counts have the type `NSUInteger`, which Swift imports as `UInt`.

extension AnimatedImage: SDAnimatedImageProtocol {
    /// The number of frames. 0 for a still image.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrameCount) }
    /// The loop count. 0 means that the animation repeats endlessly. The count of a still image is 0.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoopCount) }
    /// Returns a frame. Decodes the frame during the call unless it was preloaded. Nil if the index is out of range or
    /// the image is a still image.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The duration of a frame in seconds. 0 if the index is out of range or the image is a still image.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }

    /// The coder that decodes the frames. Nil for a still image. Nil if the coder does not conform to
    /// ``SDAnimatedImageCoder``.
    public var animatedCoder: (any SDAnimatedImageCoder)? {
        (self as any AnimatedImageProtocol).animatedCoder.map(SDImageIOAnimatedCoder.named)
            as? any SDAnimatedImageCoder
    }

    /// Finds an image by name in a bundle. The trait collection is ignored.
    public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traitCollection: Any?) {
        self.init(named: name, in: bundle)
    }

    /// Unavailable, because an image object cannot be archived. A program can archive `animatedImageData` instead.
    @available(*, unavailable, message: "Archive animatedImageData and restore the image with init(data:)")
    public convenience init?(coder: NSCoder) { nil }
}

extension AnimatedImagePlayer {
    /// Creates a player that shows every frame: as in SDWebImage, a late frame delays the animation. Set
    /// `skipsLateFrames` to keep the animation's speed. Nil if the provider has fewer than two frames.
    public convenience init?(provider: any SDAnimatedImageProvider) {
        self.init(provider: provider, displayLink: nil)
        skipsLateFrames = false
    }
    /// The number of frames. It grows while the animation is downloaded.
    public var totalFrameCount: UInt {
        get { UInt(clamping: ownTotalFrameCount) }
        set { ownTotalFrameCount = Int(clamping: newValue) }
    }
    /// The number of loops to play. 0 means that the animation repeats endlessly.
    public var totalLoopCount: UInt {
        get { UInt(clamping: ownTotalLoopCount) }
        set { ownTotalLoopCount = Int(clamping: newValue) }
    }
    /// The maximum number of bytes that this animation's decoded frames occupy. 0 means that only the shared budget of
    /// all players limits the frames.
    public var maxBufferSize: UInt {
        get { UInt(clamping: ownMaxBufferSize) }
        set { ownMaxBufferSize = Int(clamping: newValue) }
    }
    /// The index of the current frame.
    public var currentFrameIndex: UInt { UInt(clamping: ownCurrentFrameIndex) }
    /// The number of complete loops.
    public var currentLoopCount: UInt { UInt(clamping: ownCurrentLoopCount) }
    /// The closure that receives each frame when the frame must be shown.
    public var animationFrameHandler: (@MainActor (_ index: UInt, _ frame: UIImage) -> Void)? {
        get {
            guard let own = ownAnimationFrameHandler else { return nil }
            return { index, frame in own(Int(clamping: index), frame) }
        }
        set {
            guard let newValue else { return ownAnimationFrameHandler = nil }
            ownAnimationFrameHandler = { index, frame in newValue(UInt(clamping: index), frame) }
        }
    }
    /// The closure that is called at the end of each loop. Receives the number of loops played so far.
    public var animationLoopHandler: (@MainActor (_ loopCount: UInt) -> Void)? {
        get {
            guard let own = ownAnimationLoopHandler else { return nil }
            return { count in own(Int(clamping: count)) }
        }
        set {
            guard let newValue else { return ownAnimationLoopHandler = nil }
            ownAnimationLoopHandler = { count in newValue(UInt(clamping: count)) }
        }
    }
    /// Shows a frame immediately, even if playback is paused. If the frame is not in memory, decodes the frame on the
    /// calling thread. Does nothing if the index is out of range.
    public func seekToFrame(at index: UInt, loopCount: UInt) {
        seekToFrame(at: Int(clamping: index), loopCount: Int(clamping: loopCount))
    }
    /// Unavailable, because the player does not use a run loop.
    @available(*, unavailable, message: "Frames follow the display link given to init(provider:displayLink:)")
    public var runLoopMode: RunLoop.Mode {
        get { .common }
        set {}
    }
}

extension ImageCache {
    /// Returns the total size in bytes of all entries on disk. Blocks the calling thread.
    public func totalDiskSize() -> UInt {
        let size: Int = totalDiskSize()
        return UInt(clamping: size)
    }
    /// Returns the number of entries on disk. Blocks the calling thread.
    public func totalDiskCount() -> UInt {
        let count: Int = totalDiskCount()
        return UInt(clamping: count)
    }
    /// Determines the number of entries on disk and their total size in bytes. Does not block the calling thread. Calls
    /// the completion on the main queue.
    @preconcurrency public func calculateSize(completionBlock: SDImageCacheCalculateSizeBlock?) {
        guard let completionBlock else { return }
        let counted: @Sendable (Int, Int) -> Void = { count, size in
            completionBlock(UInt(clamping: count), UInt(clamping: size))
        }
        calculateSize(completionBlock: counted)
    }
}

extension SDImageCacheConfig {
    /// The limit of the disk layer in bytes. 0 means an automatic limit. `.max` means no limit.
    public var maxDiskSize: UInt {
        get { UInt(clamping: value.maxDiskSize) }
        set { value.maxDiskSize = Int(clamping: newValue) }
    }
    /// The limit of the memory layer in bytes. 0 means an automatic limit. `.max` means no limit.
    public var maxMemoryCost: UInt {
        get { UInt(clamping: value.maxMemoryCost) }
        set { value.maxMemoryCost = Int(clamping: newValue) }
    }
    /// The limit of the memory layer as a number of images. 0 means no limit.
    public var maxMemoryCount: UInt {
        get { UInt(clamping: value.maxMemoryCount) }
        set { value.maxMemoryCount = Int(clamping: newValue) }
    }
}

extension WebImageDownloader {
    /// The number of waiting and running downloads.
    public var currentDownloadCount: UInt { UInt(clamping: ownCurrentDownloadCount) }
}

extension ImageCoderHelper {
    /// The default limit for the pixels of a scaled-down image. The limit is in bytes; its initial value is 60 MiB.
    /// Setting a value below 4 (the number of bytes of one pixel) has no effect.
    public static var defaultScaleDownLimitBytes: UInt {
        get { UInt(clamping: ownScaleDownLimitBytes) }
        set { ownScaleDownLimitBytes = Int(clamping: newValue) }
    }
    /// Returns a smaller image if the pixels of `image` use more than `limitBytes` bytes. Otherwise returns `image`. A
    /// limit of 0 means the default limit. Blocks during scaling.
    public static func decodedAndScaledDownImage(
        with image: UIImage?, limitBytes: UInt = 0, policy: SDImageForceDecodePolicy = .automatic
    ) -> UIImage? {
        let scaled = decodedAndScaledDownImage(with: image, limitBytes: Int(clamping: limitBytes), policy: policy)
        guard let image, scaled === image else { return scaled }
        return decodedImage(with: image, policy: policy)
    }

    /// Returns a decoded image. If the image is a still that does not count as decoded, and the policy is not `.never`,
    /// this is a new plain image with the same pixels, also for an `SDAnimatedImage`. Otherwise it is the same object.
    public static func decodedImage(with image: UIImage?, policy: SDImageForceDecodePolicy = .automatic) -> UIImage? {
        guard let image, policy != .never, !image.countsAsDecoded, !image.isAnimated, !image.isVector else {
            return image
        }
        let decoded = UIImage(
            pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
        decoded.copyMetadata(from: image)
        return decoded
    }
}
