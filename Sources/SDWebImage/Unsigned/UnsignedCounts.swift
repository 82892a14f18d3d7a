public import Foundation
public import WebImage

// The original's counts are `NSUInteger`, which Apple's importer makes `UInt`.

extension AnimatedImage: SDAnimatedImageProtocol {
    /// Frames; 0 for a still.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrameCount) }
    /// Loops, 0 for ever; 0 for a still.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoopCount) }
    /// A frame, decoded now unless it was preloaded; nil out of range and for a still.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// Seconds a frame is shown; 0 out of range and for a still.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }

    /// The coder the frames come from; nil for a still, and for a coder that is not of the original's shape.
    public var animatedCoder: (any SDAnimatedImageCoder)? {
        (self as any AnimatedImageProtocol).animatedCoder as? any SDAnimatedImageCoder
    }

    /// The picture of a name in a bundle; traits are not looked at.
    public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traitCollection: Any?) {
        self.init(named: name, in: bundle)
    }

    /// Pictures are not archived.
    @available(*, unavailable, message: "Archive animatedImageData, and make the image of it with init(data:)")
    public convenience init?(coder: NSCoder) { nil }
}

extension AnimatedImagePlayer {
    /// Frames there are; grows while an animation arrives.
    public var totalFrameCount: UInt {
        get { UInt(clamping: ownTotalFrameCount) }
        set { ownTotalFrameCount = Int(clamping: newValue) }
    }
    /// Loops to play; 0 is for ever.
    public var totalLoopCount: UInt {
        get { UInt(clamping: ownTotalLoopCount) }
        set { ownTotalLoopCount = Int(clamping: newValue) }
    }
    /// Bytes the decoded frames of this animation may take; 0 leaves it to the budget of all players.
    public var maxBufferSize: UInt {
        get { UInt(clamping: ownMaxBufferSize) }
        set { ownMaxBufferSize = Int(clamping: newValue) }
    }
    /// The number of the frame whose time it is.
    public var currentFrameIndex: UInt { UInt(clamping: ownCurrentFrameIndex) }
    /// Complete loops.
    public var currentLoopCount: UInt { UInt(clamping: ownCurrentLoopCount) }
    /// Called with every frame to be shown.
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
    /// Called after every complete loop with their number.
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
    /// Shows a frame now, also while paused; decodes it on this thread unless it is in memory. Ignored out of range.
    public func seekToFrame(at index: UInt, loopCount: UInt) {
        seekToFrame(at: Int(clamping: index), loopCount: Int(clamping: loopCount))
    }
    /// There are no run loop modes here.
    @available(*, unavailable, message: "Frames follow the display link given to init(provider:displayLink:)")
    public var runLoopMode: RunLoop.Mode {
        get { .common }
        set {}
    }
}

extension ImageCache {
    /// Bytes of all entries on disk; blocks.
    public func totalDiskSize() -> UInt {
        let size: Int = totalDiskSize()
        return UInt(clamping: size)
    }
    /// Entries on disk; blocks.
    public func totalDiskCount() -> UInt {
        let count: Int = totalDiskCount()
        return UInt(clamping: count)
    }
    /// Entries on disk and their bytes, counted on the cache's own queue.
    @preconcurrency public func calculateSize(completionBlock: SDImageCacheCalculateSizeBlock?) {
        guard let completionBlock else { return }
        let counted: @Sendable (Int, Int) -> Void = { count, size in
            completionBlock(UInt(clamping: count), UInt(clamping: size))
        }
        calculateSize(completionBlock: counted)
    }
}

extension SDImageCacheConfig {
    /// Bytes the disk layer may take; 0 is automatic, `.max` is no limit.
    public var maxDiskSize: UInt {
        get { UInt(clamping: value.maxDiskSize) }
        set { value.maxDiskSize = Int(clamping: newValue) }
    }
    /// Bytes the memory layer may take; 0 is automatic, `.max` is no limit.
    public var maxMemoryCost: UInt {
        get { UInt(clamping: value.maxMemoryCost) }
        set { value.maxMemoryCost = Int(clamping: newValue) }
    }
    /// Pictures the memory layer may hold; 0 is no limit.
    public var maxMemoryCount: UInt {
        get { UInt(clamping: value.maxMemoryCount) }
        set { value.maxMemoryCount = Int(clamping: newValue) }
    }
}

extension WebImageDownloader {
    /// Downloads that wait or run.
    public var currentDownloadCount: UInt { UInt(clamping: ownCurrentDownloadCount) }
}

extension ImageCoderHelper {
    /// Bytes a scaled-down picture may take when none are named: 60 MiB. Less than a pixel's 4 bytes is ignored.
    public static var defaultScaleDownLimitBytes: UInt {
        get { UInt(clamping: ownScaleDownLimitBytes) }
        set { ownScaleDownLimitBytes = Int(clamping: newValue) }
    }
    /// The image, made smaller where its pixels take more than `limitBytes` (0 is the default); blocks while it scales.
    public static func decodedAndScaledDownImage(
        with image: UIImage?, limitBytes: UInt = 0, policy: SDImageForceDecodePolicy = .automatic
    ) -> UIImage? {
        decodedAndScaledDownImage(with: image, limitBytes: Int(clamping: limitBytes), policy: policy)
    }
}
