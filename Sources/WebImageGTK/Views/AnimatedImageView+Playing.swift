public import WebImageCore

// Playing.
extension AnimatedImageView {
    /// The player of the shown animation; nil for a still image.
    public var player: AnimatedImagePlayer? { animation.player }
    /// The frame shown; nil for a still image and before the first frame.
    public var currentFrame: Image? { animation.currentFrame }
    /// The index of the frame shown.
    public var currentFrameIndex: Int { animation.currentFrameIndex }
    /// The number of completed loops.
    public var currentLoopCount: Int { animation.currentLoopCount }
    /// Whether an animation starts whenever it comes into view; true by default.
    public var autoPlayAnimatedImage: Bool {
        get { animation.autoPlayAnimatedImage }
        set { animation.autoPlayAnimatedImage = newValue }
    }
    /// Whether ``animationRepeatCount`` replaces the animation's own loop count; false by default.
    public var shouldCustomLoopCount: Bool {
        get { animation.shouldCustomLoopCount }
        set { animation.shouldCustomLoopCount = newValue }
    }
    /// The loop count used with ``shouldCustomLoopCount``; 0 plays forever.
    public var animationRepeatCount: Int {
        get { animation.animationRepeatCount }
        set { animation.animationRepeatCount = newValue }
    }
    /// The speed of playback; 1 by default.
    public var playbackRate: Double {
        get { animation.playbackRate }
        set { animation.playbackRate = newValue }
    }
    /// The order in which frames are shown.
    public var playbackMode: AnimatedImagePlaybackMode {
        get { animation.playbackMode }
        set { animation.playbackMode = newValue }
    }
    /// The limit for decoded frames in bytes; 0 means only the budget of all animations applies.
    public var maxBufferSize: Int {
        get { animation.maxBufferSize }
        set { animation.maxBufferSize = newValue }
    }
    /// Whether an animation plays while it is still loading; true by default.
    public var shouldIncrementalLoad: Bool {
        get { animation.shouldIncrementalLoad }
        set { animation.shouldIncrementalLoad = newValue }
    }
    /// Whether a stop, also by leaving the view, releases the decoded frames; false by default.
    public var clearBufferWhenStopped: Bool {
        get { animation.clearBufferWhenStopped }
        set { animation.clearBufferWhenStopped = newValue }
    }
    /// Whether a stop, also by leaving the view, returns to the first frame; false by default.
    public var resetFrameIndexWhenStopped: Bool {
        get { animation.resetFrameIndexWhenStopped }
        set { animation.resetFrameIndexWhenStopped = newValue }
    }
    /// Transforms every frame before it is shown, off the main thread; applies from the next image on.
    public var animationTransformer: (any ImageTransformer)? {
        get { animation.animationTransformer }
        set { animation.animationTransformer = newValue }
    }
}
