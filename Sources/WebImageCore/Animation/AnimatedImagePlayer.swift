import Foundation

/// Plays the frames of an animation in real time. Each frame is decoded shortly before it is shown.
///
/// A player runs on the main actor. All players of the same animation share the decoded frames. All players of the
/// process share one memory budget. A paused player decodes no frames ahead.
@MainActor public final class AnimatedImagePlayer {
    /// The frame that is shown now. It is nil before the first frame is shown, after ``stopPlaying()``, and after the
    /// end of playback.
    public private(set) var currentFrame: Image?
    /// The index of the frame at the current position. If this frame is not decoded yet, ``currentFrame`` is still an
    /// earlier frame.
    public var currentFrameIndex: Int { playback.index }
    /// The number of complete loops.
    public var currentLoopCount: Int { playback.loopCount }
    /// Whether playback is running. False while playback is paused, and after it has stopped or ended.
    public private(set) var isPlaying = false

    /// The player calls this closure when a frame must be shown. It does not call the closure for skipped frames.
    public var animationFrameHandler: (@MainActor (_ index: Int, _ frame: Image) -> Void)?
    /// The player calls this closure after each complete loop. `loopCount` is the number of complete loops so far.
    /// Usually it grows by 1 from call to call. It grows by more than 1 if the display link was blocked for the time of
    /// several loops.
    public var animationLoopHandler: (@MainActor (_ loopCount: Int) -> Void)?

    private var provider: any AnimatedImageProvider
    private var store: FrameStore
    private let registry: FrameStoreRegistry
    private let displayLink: any DisplayLink
    private var playback: Playback
    /// The number of frames that were shown, and of changes of the provider. See ``redrawFrame(at:)``.
    private var shownCount = 0

    /// Creates a player; nil if the provider has fewer than two frames.
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

    /// The number of frames, at most one million. While the animation is being downloaded, the code that uses the
    /// player must increase this number when frames arrive.
    public var totalFrameCount: Int {
        get { playback.frameCount }
        set { playback.frameCount = Playback.frames(newValue) }
    }

    /// The number of loops to play; 0 means forever.
    public var totalLoopCount: Int {
        get { playback.totalLoopCount }
        set { playback.totalLoopCount = newValue }
    }

    /// The speed of playback as a multiple of normal speed. Values above 1000 have the same effect as 1000. A rate
    /// that is zero, negative or not finite ends playback at the next tick.
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

    /// Whether late frames are skipped. If false, every frame is shown, and late frames delay the animation.
    /// SDWebImage always behaves as if this property were false.
    public var skipsLateFrames: Bool {
        get { playback.skipsLateFrames }
        set { playback.skipsLateFrames = newValue }
    }

    /// Whether more frames are being downloaded. If true, forward playback waits at the last available frame.
    public var awaitsMoreFrames: Bool {
        get { playback.awaitsMoreFrames }
        set { playback.awaitsMoreFrames = newValue }
    }

    /// The memory limit, in bytes, for the decoded frames of this animation. A positive value replaces the animation's
    /// share of the memory budget. If the value is 0, the share applies.
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

    /// Pauses playback. The shown frame and the position do not change.
    public func pausePlaying() {
        guard isPlaying else { return }
        isPlaying = false
        displayLink.stop()
    }

    /// Stops playback and returns to the beginning. Calls no handler. Decoded frames stay in memory.
    public func stopPlaying() {
        pausePlaying()
        currentFrame = nil
        playback.reset()
    }

    /// Shows a frame immediately, even while playback is paused. If the frame is not in memory, decodes it on the
    /// calling thread. Does nothing if the index is out of range.
    public func seekToFrame(at index: Int, loopCount: Int) {
        guard index >= 0, index < totalFrameCount else { return }
        playback.seek(to: index, loopCount: loopCount)
        guard let frame = store.decodeNow(index) else { return }
        shownCount += 1
        currentFrame = frame
        animationFrameHandler?(index, frame)
    }

    /// Releases the decoded frames of this animation.
    public func clearFrameBuffer() { store.removeAllFrames() }

    /// Replaces the partial animation of a download by the complete animation `whole`. Does nothing if `whole` has
    /// fewer than two frames.
    ///
    /// The position, the number of complete loops, the rate, the mode and the handlers do not change. The number of
    /// loops to play becomes the loop count of `whole`, unless the caller has set a different number. Decoded frames
    /// stay in memory if they fit into this animation's share of the budget. If playback waits for more frames, it
    /// resumes.
    public func continuePlaying(with whole: any AnimatedImageProvider) {
        continuePlaying(with: whole, keepsFrames: true)
    }

    /// Continues at the same position with another version of the animation. If `keepsFrames` is false, its frames have
    /// another size, so that decoded frames are released.
    package func continuePlaying(with whole: any AnimatedImageProvider, keepsFrames: Bool) {
        guard whole.animatedImageFrameCount > 1 else { return }
        let part = (provider: provider, store: store)
        provider = whole
        store = registry.acquire(whole)
        store.setLimit(maxBufferSize > 0 ? maxBufferSize : nil)
        if keepsFrames, store !== part.store { store.adoptFrames(of: part.store) }
        registry.release(part.store)
        if playback.totalLoopCount == part.provider.animatedImageLoopCount {
            playback.totalLoopCount = whole.animatedImageLoopCount
        }
        playback.frameCount = Playback.frames(whole.animatedImageFrameCount)
        playback.awaitsMoreFrames = false
        shownCount += 1
    }

    /// Decodes the shown frame in the background, and passes it to ``animationFrameHandler`` unless another frame was
    /// shown meanwhile. The position does not change. Call this function after the size of the frames has changed.
    package func redrawFrame(at index: Int) {
        let (provider, store, pool, count) = (provider, store, registry.decodePool, shownCount)
        Task { [weak self] in
            var frame = store.frame(at: index)
            if frame == nil {
                frame =
                    (try? await pool.run { () throws(WebImageError) in provider.animatedImageFrame(at: index) }) ?? nil
            }
            guard let self, let frame, shownCount == count else { return }
            if currentFrame != nil { currentFrame = frame }
            animationFrameHandler?(index, frame)
        }
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
            // A handler may have stopped the player. In this case, ignore the remaining events.
            guard isPlaying else { return }
        }
        store.prefetch(playback.upcoming(totalFrameCount, leading: leadingFrames))
    }

    /// The number of upcoming frames that the player does not prefetch. These frames become due within the time of one
    /// decode. The decode of such a frame would therefore end too late, and it would also delay the decodes of later
    /// frames.
    private var leadingFrames: Int {
        guard skipsLateFrames else { return 0 }
        let duration = NumberLimits.frameSeconds(provider.animatedImageDuration(at: playback.index))
        let frames = store.decodeSeconds / duration * playback.effectiveRate
        return Int(min(frames, Double(totalFrameCount / 2)))
    }

    private func show(_ index: Int) {
        // If a frame cannot be decoded, the previous frame stays visible.
        guard let frame = store.frame(at: index) else { return }
        shownCount += 1
        currentFrame = frame
        animationFrameHandler?(index, frame)
    }

    /// Ends playback and moves the position to the beginning for the next start. Calls no handler. Therefore the view
    /// still shows the last frame, although ``currentFrame`` is nil.
    private func end() {
        pausePlaying()
        playback.reset()
        currentFrame = nil
    }
}

/// The order in which the frames of an animation are shown.
public enum AnimatedImagePlaybackMode: UInt, Sendable, CaseIterable {
    /// Each loop shows the frames from the first to the last.
    case normal = 0
    /// Each loop shows the frames from the last to the first.
    case reverse
    /// Each loop shows the frames from the first to the last, and then back to the first.
    case bounce
    /// Each loop shows the frames from the last to the first, and then back to the last.
    case reversedBounce

    /// Whether playback begins at the last frame.
    var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
    /// Whether playback reverses its direction at the first and at the last frame.
    var turns: Bool { self == .bounce || self == .reversedBounce }
}
