import Foundation

/// Plays the frames of an animation in real time; frames are decoded just in time.
///
/// Main actor only. Players of the same animation share its decoded frames; all players of the process share one memory
/// budget. Nothing is decoded while the player is paused.
@MainActor public final class AnimatedImagePlayer {
    /// The frame shown now; nil before the first.
    public private(set) var currentFrame: Image?
    /// The index of the frame that is due.
    public var currentFrameIndex: Int { playback.index }
    /// The number of complete loops.
    public var currentLoopCount: Int { playback.loopCount }
    /// Whether the player is playing.
    public private(set) var isPlaying = false

    /// Called with every frame that is to be shown.
    public var animationFrameHandler: (@MainActor (_ index: Int, _ frame: Image) -> Void)?
    /// Called after every complete loop with the number of complete loops.
    public var animationLoopHandler: (@MainActor (_ loopCount: Int) -> Void)?

    private var provider: any AnimatedImageProvider
    private var store: FrameStore
    private let registry: FrameStoreRegistry
    private let displayLink: any DisplayLink
    private var playback: Playback

    /// Makes a player for more than one frame; nil for a still.
    public convenience init?(provider: any AnimatedImageProvider, displayLink: (any DisplayLink)? = nil) {
        self.init(provider: provider, displayLink: displayLink ?? TimerDisplayLink(), registry: .shared)
    }

    package init?(
        provider: any AnimatedImageProvider, displayLink: any DisplayLink, registry: FrameStoreRegistry
    ) {
        guard provider.animatedImageFrameCount > 1 else { return nil }
        self.provider = provider
        self.registry = registry
        self.displayLink = displayLink
        store = registry.acquire(provider)
        playback = Playback(frameCount: Playback.frames(provider.animatedImageFrameCount))
        playback.totalLoopCount = provider.animatedImageLoopCount
    }

    isolated deinit {
        displayLink.stop()
        registry.release(store)
    }

    /// The number of frames, at most one million; it grows while an animation arrives.
    public var totalFrameCount: Int {
        get { playback.frameCount }
        set { playback.frameCount = Playback.frames(newValue) }
    }

    /// The number of loops to play; 0 means forever.
    public var totalLoopCount: Int {
        get { playback.totalLoopCount }
        set { playback.totalLoopCount = newValue }
    }

    /// The speed of playback, at most 1000. A rate that is not positive or not finite stops the player at the next tick.
    public var playbackRate: Double {
        get { playback.rate }
        set { playback.rate = newValue }
    }

    /// The order in which frames are shown.
    public var playbackMode: AnimatedImagePlaybackMode {
        get { playback.mode }
        set {
            playback.mode = newValue
            if currentFrame == nil { playback.reset() }
        }
    }

    /// Whether late frames are skipped (true) or slow the animation down, as in SDWebImage.
    public var skipsLateFrames: Bool {
        get { playback.skipsLateFrames }
        set { playback.skipsLateFrames = newValue }
    }

    /// Whether playback waits at the last frame because more frames are arriving.
    public var awaitsMoreFrames: Bool {
        get { playback.awaitsMoreFrames }
        set { playback.awaitsMoreFrames = newValue }
    }

    /// The maximum memory for the decoded frames of this animation in bytes; 0 means that only the budget of all players
    /// applies.
    public var maxBufferSize: Int = 0 {
        didSet { store.setLimit(maxBufferSize > 0 ? maxBufferSize : nil) }
    }

    /// The number of decoded frames in memory.
    package var bufferedFrameCount: Int { store.currentFrameCount }

    /// Starts or resumes playback.
    public func startPlaying() {
        guard !isPlaying else { return }
        isPlaying = true
        if currentFrame == nil { playback.reset() }
        store.prefetch(playback.upcoming(totalFrameCount))
        displayLink.start { [weak self] elapsed in self?.tick(elapsed) }
    }

    /// Pauses playback; the shown frame and the position stay.
    public func pausePlaying() {
        guard isPlaying else { return }
        isPlaying = false
        displayLink.stop()
    }

    /// Stops playback and returns to the beginning without calling a handler; decoded frames stay.
    public func stopPlaying() {
        pausePlaying()
        currentFrame = nil
        playback.reset()
    }

    /// Shows a frame now, also while paused; decodes it on this thread unless it is in memory. Ignored out of range.
    public func seekToFrame(at index: Int, loopCount: Int) {
        guard index >= 0, index < totalFrameCount else { return }
        playback.seek(to: index, loopCount: loopCount)
        guard let frame = store.decodeNow(index) else { return }
        currentFrame = frame
        animationFrameHandler?(index, frame)
    }

    /// Releases the decoded frames of this animation.
    public func clearFrameBuffer() { store.removeAllFrames() }

    /// Continues with the whole animation after a part of it was played: position, loops, rate, mode and handlers stay.
    ///
    /// The frames already decoded are kept. Playback that waited for more frames resumes.
    public func continuePlaying(with whole: any AnimatedImageProvider) {
        guard whole.animatedImageFrameCount > 1 else { return }
        let part = (provider: provider, store: store)
        provider = whole
        store = registry.acquire(whole)
        store.setLimit(maxBufferSize > 0 ? maxBufferSize : nil)
        if store !== part.store { store.adoptFrames(of: part.store) }
        registry.release(part.store)
        if playback.totalLoopCount == part.provider.animatedImageLoopCount {
            playback.totalLoopCount = whole.animatedImageLoopCount
        }
        playback.frameCount = Playback.frames(whole.animatedImageFrameCount)
        playback.awaitsMoreFrames = false
    }

    private func tick(_ elapsed: TimeInterval) {
        guard isPlaying else { return }
        let events = playback.advance(
            by: elapsed, duration: { [provider] in NumberLimits.frameSeconds(provider.animatedImageDuration(at: $0)) },
            isReady: { [store] in store.isReady($0) })
        for event in events {
            switch event {
            case .show(let index): show(index)
            case .loop(let count): animationLoopHandler?(count)
            case .end: end()
            }
            // A handler may have stopped the player.
            guard isPlaying else { return }
        }
        store.prefetch(playback.upcoming(totalFrameCount, leading: leadingFrames))
    }

    /// The number of frames to skip when a decode takes longer than a frame is shown: decode the frame that will be due
    /// when it is done.
    private var leadingFrames: Int {
        guard skipsLateFrames else { return 0 }
        let duration = NumberLimits.frameSeconds(provider.animatedImageDuration(at: playback.index))
        let frames = store.decodeSeconds / duration * playback.effectiveRate
        return Int(min(frames, Double(totalFrameCount / 2)))
    }

    private func show(_ index: Int) {
        // If a frame cannot be decoded, the previous one stays.
        guard let frame = store.frame(at: index) else { return }
        currentFrame = frame
        animationFrameHandler?(index, frame)
    }

    /// Ends playback: the last frame stays visible, and the position returns to the beginning for the next start.
    private func end() {
        pausePlaying()
        playback.reset()
        currentFrame = nil
    }
}
