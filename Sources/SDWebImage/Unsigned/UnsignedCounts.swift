public import Foundation
public import WebImage

// SDWebImage's counts are `NSUInteger`, which Apple's importer makes `UInt`.

extension AnimatedImage: SDAnimatedImageProtocol {
    /// The number of frames; 0 for a still.
    public var animatedImageFrameCount: UInt { UInt(clamping: ownFrameCount) }
    /// The loop count; 0 is for ever, and the value of a still.
    public var animatedImageLoopCount: UInt { UInt(clamping: ownLoopCount) }
    /// A frame, decoded now unless it was preloaded; nil for an index out of range and for a still.
    public func animatedImageFrame(at index: UInt) -> UIImage? { animatedImageFrame(at: Int(clamping: index)) }
    /// The seconds that a frame is shown; 0 for an index out of range and for a still.
    public func animatedImageDuration(at index: UInt) -> TimeInterval {
        animatedImageDuration(at: Int(clamping: index))
    }

    /// The coder of the frames; nil for a still, and for a coder that does not adopt ``SDAnimatedImageCoder``.
    public var animatedCoder: (any SDAnimatedImageCoder)? {
        (self as any AnimatedImageProtocol).animatedCoder as? any SDAnimatedImageCoder
    }

    /// Finds an image by name in a bundle; traits are ignored.
    public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traitCollection: Any?) {
        self.init(named: name, in: bundle)
    }

    /// Unavailable: images are not archived.
    @available(*, unavailable, message: "Archive animatedImageData and restore the image with init(data:)")
    public convenience init?(coder: NSCoder) { nil }
}

extension AnimatedImagePlayer {
    /// The number of frames; grows while an animation arrives.
    public var totalFrameCount: UInt {
        get { UInt(clamping: ownTotalFrameCount) }
        set { ownTotalFrameCount = Int(clamping: newValue) }
    }
    /// The number of loops to play; 0 is for ever.
    public var totalLoopCount: UInt {
        get { UInt(clamping: ownTotalLoopCount) }
        set { ownTotalLoopCount = Int(clamping: newValue) }
    }
    /// The limit in bytes of the decoded frames of this animation; 0 means only the budget of all players.
    public var maxBufferSize: UInt {
        get { UInt(clamping: ownMaxBufferSize) }
        set { ownMaxBufferSize = Int(clamping: newValue) }
    }
    /// The index of the current frame.
    public var currentFrameIndex: UInt { UInt(clamping: ownCurrentFrameIndex) }
    /// The number of complete loops.
    public var currentLoopCount: UInt { UInt(clamping: ownCurrentLoopCount) }
    /// Called with every frame to show.
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
    /// Called after every complete loop with the number of loops so far.
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
    /// Shows a frame immediately, also while paused. Decodes it on the calling thread unless it is in
    /// memory. Does nothing if the index is out of range.
    public func seekToFrame(at index: UInt, loopCount: UInt) {
        seekToFrame(at: Int(clamping: index), loopCount: Int(clamping: loopCount))
    }
    /// Unavailable: there are no run loop modes.
    @available(*, unavailable, message: "Frames follow the display link given to init(provider:displayLink:)")
    public var runLoopMode: RunLoop.Mode {
        get { .common }
        set {}
    }
}

extension ImageCache {
    /// The bytes of all entries on disk; blocks.
    public func totalDiskSize() -> UInt {
        let size: Int = totalDiskSize()
        return UInt(clamping: size)
    }
    /// The number of entries on disk; blocks.
    public func totalDiskCount() -> UInt {
        let count: Int = totalDiskCount()
        return UInt(clamping: count)
    }
    /// Counts the entries on disk and their bytes on the cache's own queue.
    @preconcurrency public func calculateSize(completionBlock: SDImageCacheCalculateSizeBlock?) {
        guard let completionBlock else { return }
        let counted: @Sendable (Int, Int) -> Void = { count, size in
            completionBlock(UInt(clamping: count), UInt(clamping: size))
        }
        calculateSize(completionBlock: counted)
    }
}

extension SDImageCacheConfig {
    /// The limit of the disk layer in bytes; 0 is automatic, `.max` is no limit.
    public var maxDiskSize: UInt {
        get { UInt(clamping: value.maxDiskSize) }
        set { value.maxDiskSize = Int(clamping: newValue) }
    }
    /// The limit of the memory layer in bytes; 0 is automatic, `.max` is no limit.
    public var maxMemoryCost: UInt {
        get { UInt(clamping: value.maxMemoryCost) }
        set { value.maxMemoryCost = Int(clamping: newValue) }
    }
    /// The limit of the memory layer in images; 0 is no limit.
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
    /// The default limit in bytes of a scaled-down image; 60 MiB. A value below 4 bytes, which is one pixel, is ignored.
    public static var defaultScaleDownLimitBytes: UInt {
        get { UInt(clamping: ownScaleDownLimitBytes) }
        set { ownScaleDownLimitBytes = Int(clamping: newValue) }
    }
    /// The image, scaled down if its pixels take more than `limitBytes` (0 is the default limit); blocks while it scales.
    public static func decodedAndScaledDownImage(
        with image: UIImage?, limitBytes: UInt = 0, policy: SDImageForceDecodePolicy = .automatic
    ) -> UIImage? {
        decodedAndScaledDownImage(with: image, limitBytes: Int(clamping: limitBytes), policy: policy)
    }
}
