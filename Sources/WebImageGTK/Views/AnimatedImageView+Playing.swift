public import WebImageCore

// Playing.
extension AnimatedImageView {
    /// Plays the animation shown; nil for a still.
    public var player: AnimatedImagePlayer? { animation.player }
    /// The frame shown; nil for a still and before the first.
    public var currentFrame: Image? { animation.currentFrame }
    /// The number of the frame shown.
    public var currentFrameIndex: Int { animation.currentFrameIndex }
    /// Complete loops.
    public var currentLoopCount: Int { animation.currentLoopCount }
    /// Whether an animation plays by itself whenever it comes into view; true at first.
    public var autoPlayAnimatedImage: Bool {
        get { animation.autoPlayAnimatedImage }
        set { animation.autoPlayAnimatedImage = newValue }
    }
    /// Whether ``animationRepeatCount`` counts instead of the animation's own; false at first.
    public var shouldCustomLoopCount: Bool {
        get { animation.shouldCustomLoopCount }
        set { animation.shouldCustomLoopCount = newValue }
    }
    /// Loops to play if ``shouldCustomLoopCount``; 0 is for ever.
    public var animationRepeatCount: Int {
        get { animation.animationRepeatCount }
        set { animation.animationRepeatCount = newValue }
    }
    /// How fast time passes; 1 at first.
    public var playbackRate: Double {
        get { animation.playbackRate }
        set { animation.playbackRate = newValue }
    }
    /// In which order frames are shown.
    public var playbackMode: AnimatedImagePlaybackMode {
        get { animation.playbackMode }
        set { animation.playbackMode = newValue }
    }
    /// Bytes the decoded frames may take; 0 leaves it to the budget of all animations.
    public var maxBufferSize: Int {
        get { animation.maxBufferSize }
        set { animation.maxBufferSize = newValue }
    }
    /// Whether an animation plays while it arrives; true at first.
    public var shouldIncrementalLoad: Bool {
        get { animation.shouldIncrementalLoad }
        set { animation.shouldIncrementalLoad = newValue }
    }
    /// Whether a stop, also by going out of view, forgets the decoded frames; false at first.
    public var clearBufferWhenStopped: Bool {
        get { animation.clearBufferWhenStopped }
        set { animation.clearBufferWhenStopped = newValue }
    }
    /// Whether a stop, also by going out of view, goes back to the beginning; false at first.
    public var resetFrameIndexWhenStopped: Bool {
        get { animation.resetFrameIndexWhenStopped }
        set { animation.resetFrameIndexWhenStopped = newValue }
    }
    /// Changes every frame before it is shown, off the main thread; holds from the next picture on.
    public var animationTransformer: (any ImageTransformer)? {
        get { animation.animationTransformer }
        set { animation.animationTransformer = newValue }
    }
}
