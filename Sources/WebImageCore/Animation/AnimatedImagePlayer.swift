import Foundation

/// Plays the frames of an animation: what is shown follows the clock, frames are decoded just in time.
///
/// Main actor only. Players of the same animation share its decoded frames; all players of the process share one
/// budget of memory. Nothing is decoded while the player is paused.
@MainActor public final class AnimatedImagePlayer {
    /// The frame shown now; nil before the first.
    public private(set) var currentFrame: Image?
    /// The number of the frame whose time it is.
    public var currentFrameIndex: Int { playback.index }
    /// Complete loops.
    public var currentLoopCount: Int { playback.loopCount }
    /// Whether time passes.
    public private(set) var isPlaying = false

    /// Called with every frame to be shown.
    public var animationFrameHandler: (@MainActor (_ index: Int, _ frame: Image) -> Void)?
    /// Called after every complete loop with their number.
    public var animationLoopHandler: (@MainActor (_ loopCount: Int) -> Void)?

    private var provider: any AnimatedImageProvider
    private var store: FrameStore
    private let registry: FrameStoreRegistry
    private let displayLink: any DisplayLink
    private var playback: Playback

    /// A player of more than one frame; nil for a still.
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

    /// Frames there are; grows while an animation arrives. More than a million are a million.
    public var totalFrameCount: Int {
        get { playback.frameCount }
        set { playback.frameCount = Playback.frames(newValue) }
    }

    /// Loops to play; 0 is for ever.
    public var totalLoopCount: Int {
        get { playback.totalLoopCount }
        set { playback.totalLoopCount = newValue }
    }

    /// How fast time passes; 0 and less, and what is no finite number, stop the player at the next tick. More than 1000 is
    /// 1000.
    public var playbackRate: Double {
        get { playback.rate }
        set { playback.rate = newValue }
    }

    /// In which order frames are shown.
    public var playbackMode: AnimatedImagePlaybackMode {
        get { playback.mode }
        set {
            playback.mode = newValue
            if currentFrame == nil { playback.reset() }
        }
    }

    /// Whether late frames are skipped (true) or slow the animation down, as in the original.
    public var skipsLateFrames: Bool {
        get { playback.skipsLateFrames }
        set { playback.skipsLateFrames = newValue }
    }

    /// Whether play waits at the last frame because more are on their way.
    public var awaitsMoreFrames: Bool {
        get { playback.awaitsMoreFrames }
        set { playback.awaitsMoreFrames = newValue }
    }

    /// Bytes the decoded frames of this animation may take; 0 leaves it to the budget of all players.
    public var maxBufferSize: Int = 0 {
        didSet { store.setLimit(maxBufferSize > 0 ? maxBufferSize : nil) }
    }

    /// Frames decoded and in memory.
    package var bufferedFrameCount: Int { store.currentFrameCount }

    /// Starts, or goes on.
    public func startPlaying() {
        guard !isPlaying else { return }
        isPlaying = true
        if currentFrame == nil { playback.reset() }
        store.prefetch(playback.upcoming(totalFrameCount))
        displayLink.start { [weak self] elapsed in self?.tick(elapsed) }
    }

    /// Stops time; what is shown and the position stay.
    public func pausePlaying() {
        guard isPlaying else { return }
        isPlaying = false
        displayLink.stop()
    }

    /// Stops time and goes back to the beginning, telling nobody; decoded frames stay.
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

    /// Forgets the decoded frames of this animation.
    public func clearFrameBuffer() { store.removeAllFrames() }

    /// Goes on with the whole of an animation of which a part was played: position, loops, rate, mode and handlers stay.
    ///
    /// The frames already decoded are kept. Play that waited for more frames goes on by itself.
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
            by: elapsed, duration: { [provider] in Number.frameSeconds(provider.animatedImageDuration(at: $0)) },
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

    /// A decoder that needs longer than a frame is shown is sent ahead, to what will be due when it is done.
    private var leadingFrames: Int {
        guard skipsLateFrames else { return 0 }
        let duration = Number.frameSeconds(provider.animatedImageDuration(at: playback.index))
        let frames = store.decodeSeconds / duration * playback.effectiveRate
        return Int(min(frames, Double(totalFrameCount / 2)))
    }

    private func show(_ index: Int) {
        // A frame that cannot be decoded leaves the one before it.
        guard let frame = store.frame(at: index) else { return }
        currentFrame = frame
        animationFrameHandler?(index, frame)
    }

    /// The last frame stays on show; the position goes back to the beginning for the next start.
    private func end() {
        pausePlaying()
        playback.reset()
        currentFrame = nil
    }
}
