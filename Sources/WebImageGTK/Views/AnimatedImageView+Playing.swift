public import WebImageCore

// The playback of animations.
extension AnimatedImageView {
    /// The player of the shown animation; nil for a still image.
    public var player: AnimatedImagePlayer? { animation.player }
    /// The frame that the view shows; nil for a still image and before the first frame.
    public var currentFrame: Image? { animation.currentFrame }
    /// The index of the frame that the view shows.
    public var currentFrameIndex: Int { animation.currentFrameIndex }
    /// The number of completed loops.
    public var currentLoopCount: Int { animation.currentLoopCount }
    /// Whether an animation starts whenever it becomes visible; true by default. Animations start only on request while
    /// the desktop's setting `gtk-enable-animations` is off. An animation that was playing on request resumes in every case
    /// when it becomes visible again.
    public var autoPlayAnimatedImage: Bool {
        get { animation.autoPlayAnimatedImage }
        set { animation.autoPlayAnimatedImage = newValue }
    }
    /// Whether ``animationRepeatCount`` replaces the animation's own loop count; false by default.
    public var shouldCustomLoopCount: Bool {
        get { animation.shouldCustomLoopCount }
        set { animation.shouldCustomLoopCount = newValue }
    }
    /// The loop count that applies if ``shouldCustomLoopCount`` is true; 0 repeats the animation forever.
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
    /// The limit for decoded frames in bytes; 0 means that only the shared budget of all animations applies.
    public var maxBufferSize: Int {
        get { animation.maxBufferSize }
        set { animation.maxBufferSize = newValue }
    }
    /// Whether frames that could not be shown in time are skipped; true by default. If false, late frames delay the
    /// animation.
    public var skipsLateFrames: Bool {
        get { animation.skipsLateFrames }
        set { animation.skipsLateFrames = newValue }
    }
    /// Whether an animation plays while it is still loading; true by default.
    public var shouldIncrementalLoad: Bool {
        get { animation.shouldIncrementalLoad }
        set { animation.shouldIncrementalLoad = newValue }
    }
    /// Whether the decoded frames are released when the animation stops; false by default. An animation also stops when
    /// it is no longer visible.
    public var clearBufferWhenStopped: Bool {
        get { animation.clearBufferWhenStopped }
        set { animation.clearBufferWhenStopped = newValue }
    }
    /// Whether the animation returns to the first frame when it stops; false by default. An animation also stops when
    /// it is no longer visible.
    public var resetFrameIndexWhenStopped: Bool {
        get { animation.resetFrameIndexWhenStopped }
        set { animation.resetFrameIndexWhenStopped = newValue }
    }
    /// Transforms every frame before the frame is shown. A change applies from the next image on. The transformer is
    /// called on background threads. For the image that is shown before playback starts, it is called on the main
    /// thread.
    public var animationTransformer: (any ImageTransformer)? {
        get { animation.animationTransformer }
        set { animation.animationTransformer = newValue }
    }
}
