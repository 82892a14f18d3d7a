import CWebImageGTK
import Foundation
import WebImageCore

/// Plays the animations of a widget.
@MainActor final class WidgetAnimation {
    var shouldCustomLoopCount = false { didSet { configure() } }
    var animationRepeatCount = 0 { didSet { configure() } }
    var playbackRate = 1.0 { didSet { configure() } }
    var playbackMode = AnimatedImagePlaybackMode.normal { didSet { configure() } }
    var maxBufferSize = 0 { didSet { configure() } }
    var shouldIncrementalLoad = true
    var skipsLateFrames = true { didSet { player?.skipsLateFrames = skipsLateFrames } }
    var clearBufferWhenStopped = false
    var resetFrameIndexWhenStopped = false
    var autoPlayAnimatedImage = true
    /// Transforms every frame. A change applies from the next image on.
    var animationTransformer: (any ImageTransformer)?

    private(set) var player: AnimatedImagePlayer?
    private(set) var currentFrame: Image?
    private(set) var currentFrameIndex = 0
    private(set) var currentLoopCount = 0
    private unowned let state: ImageWidgetState
    private let makeLink: @MainActor (OpaquePointer) -> any DisplayLink
    private var coder: (any AnimatedImageCoder)?
    private var ownLoopCount = 0
    /// The pixels that the widget draws.
    private var shownPixels: PixelBuffer?
    private var isShown = false
    /// Whether the program has started the animation, also if animations do not start by themselves.
    private var isStarted = false
    /// Whether the animation plays again as soon as the widget is visible, because the program has started it.
    private var resumesWhenVisible = false
    private var setting: (settings: OpaquePointer, connection: UInt)?

    init(_ state: ImageWidgetState, makeLink: @escaping @MainActor (OpaquePointer) -> any DisplayLink) {
        self.state = state
        self.makeLink = makeLink
        guard let settings = gtk_settings_get_default() else { return }
        let connection = Signal.connect(settings, "notify::gtk-enable-animations") { [weak self] _ in
            self?.settingChanged()
        }
        setting = (settings, connection)
    }

    isolated deinit { if let setting { Signal.disconnect(setting.settings, setting.connection) } }

    /// Starts to draw an animation. Returns false if the image is not an animation; the caller must then show it as a
    /// still image.
    ///
    /// - Parameter isRefined: Whether the image is another version of the shown image, so that the animation continues.
    func show(_ image: Image?, isRefined: Bool) -> Bool {
        let isPartial = shouldIncrementalLoad && image?.isIncremental == true
        let newCoder = (image as? AnimatedImage)?.animatedCoder
        if isPartial, let player, let newCoder, let coder, (newCoder as AnyObject) === (coder as AnyObject) {
            player.totalFrameCount = newCoder.animatedImageFrameCount
            return true
        }
        if !isPartial, let image, let animation = image as? any AnimatedImageProvider,
            goOn(with: animation, poster: image, isRefined: isRefined)
        {
            coder = newCoder
            return true
        }
        drop()
        guard let image, let animation = image as? any AnimatedImageProvider else { return false }
        // While the animation is loading, read the frames from its coder. The coder receives new frames. The image has
        // only the frames that were received before the image was created.
        var provider: any AnimatedImageProvider = isPartial ? newCoder ?? animation : animation
        if let animationTransformer { provider = TransformedFrames.of(provider, animationTransformer) }
        let link = VisibleDisplayLink(makeLink(state.widget)) { [weak self] in self?.isVisible ?? false }
        guard let player = AnimatedImagePlayer(provider: provider, displayLink: link) else { return false }
        let poster = animationTransformer?.transformedImage(with: image, forKey: "") ?? image
        guard let texture = poster.makeTexture() else { return false }
        link.hidden = { [weak self] in self?.checkPlay() }
        self.player = player
        player.skipsLateFrames = skipsLateFrames
        coder = newCoder
        player.awaitsMoreFrames = isPartial
        state.show(texture, size: animationTransformer == nil ? state.naturalSize(of: image) : poster.size)
        shownPixels = poster.pixels
        install(player)
        ownLoopCount = provider.animatedImageLoopCount
        configure()
        isShown = false
        checkPlay()
        return true
    }

    /// If `whole` is the complete version of the partial animation that is playing, or the same animation at another
    /// size, continues with `whole` at the same position. Otherwise returns false. The same animation under another URL
    /// starts from the beginning.
    private func goOn(with whole: any AnimatedImageProvider, poster: Image, isRefined: Bool) -> Bool {
        guard let player, let coder, whole.animatedImageFrameCount > 1 else { return false }
        let isResized: Bool
        if let part = coder as? ArrivingAnimation, part.isPart(of: whole.animatedImageData) {
            isResized = false
        } else if isRefined, whole.animatedImageFrameCount == coder.animatedImageFrameCount,
            let data = coder.animatedImageData, data == whole.animatedImageData
        {
            isResized = true
        } else {
            return false
        }
        player.continuePlaying(
            with: animationTransformer.map { TransformedFrames.of(whole, $0) } ?? whole, keepsFrames: !isResized)
        ownLoopCount = whole.animatedImageLoopCount
        configure()
        // The next frame can be far away, or never come: the animation may be paused or have ended.
        if isResized {
            if animationTransformer == nil { state.changeSize(state.naturalSize(of: poster)) }
            redraw(poster, of: player)
        }
        return true
    }

    /// No more frames of a partial image arrive. Its animation plays the frames that have arrived, as the animation of a
    /// truncated file does. If it waited at the last one, the window would draw frames for ever.
    func framesEnded(of image: Image) {
        guard let player, let coder, let part = (image as? AnimatedImage)?.animatedCoder,
            (part as AnyObject) === (coder as AnyObject)
        else { return }
        player.awaitsMoreFrames = false
    }

    /// Draws the shown frame at the present size of the animation.
    private func redraw(_ poster: Image, of player: AnimatedImagePlayer) {
        guard currentFrameIndex == 0, animationTransformer == nil else {
            return player.redrawFrame(at: currentFrameIndex)
        }
        draw(poster)
        if currentFrame != nil { currentFrame = poster }
    }

    var isAnimating: Bool { player?.isPlaying ?? false }

    /// Starts the animation on request of the program.
    func start() {
        guard let player else { return }
        isStarted = true
        resumesWhenVisible = !isVisible
        if !resumesWhenVisible { player.startPlaying() }
    }

    private func startByItself() {
        guard autoPlayAnimatedImage, ImageWidgetState.wantsAnimations, isVisible else { return }
        player?.startPlaying()
    }

    /// People who are disturbed by motion can disable animations while the program runs.
    private func settingChanged() {
        guard let player else { return }
        if ImageWidgetState.wantsAnimations { startByItself() } else if player.isPlaying, !isStarted { stop() }
    }

    func stop() {
        (isStarted, resumesWhenVisible) = (false, false)
        halt()
    }

    private func halt() {
        guard let player else { return }
        if resetFrameIndexWhenStopped { player.stopPlaying() } else { player.pausePlaying() }
        if clearBufferWhenStopped { player.clearFrameBuffer() }
    }

    /// Stops and releases the animation.
    func drop() {
        player?.pausePlaying()
        (player, coder, currentFrame, shownPixels) = (nil, nil, nil, nil)
        (currentFrameIndex, currentLoopCount) = (0, 0)
        (isStarted, resumesWhenVisible) = (false, false)
    }

    private var isVisible: Bool { state.visibility.isVisible }

    func checkPlay() {
        let wasVisible = isShown
        isShown = isVisible
        guard let player else { return }
        if !isShown, player.isPlaying {
            resumesWhenVisible = isStarted
            halt()
        }
        // Start an animation only when it becomes visible. Otherwise a finite animation that has ended would start
        // again while other widgets scroll.
        guard isShown, !wasVisible else { return }
        if resumesWhenVisible { start() } else { startByItself() }
    }

    private func install(_ player: AnimatedImagePlayer) {
        player.animationFrameHandler = { [weak self] index, frame in
            guard let self else { return }
            (currentFrameIndex, currentFrame) = (index, frame)
            draw(frame)
        }
        player.animationLoopHandler = { [weak self] count in self?.currentLoopCount = count }
    }

    private func draw(_ frame: Image) {
        // A new texture costs an upload and a redraw; with GTK's OpenGL renderer, of the whole window.
        guard shownPixels?.hasSamePixels(as: frame.pixels) != true, let texture = frame.makeTexture() else { return }
        state.show(frame: texture)
        shownPixels = frame.pixels
    }

    private func configure() {
        guard let player else { return }
        player.totalLoopCount = shouldCustomLoopCount ? animationRepeatCount : ownLoopCount
        player.playbackRate = playbackRate
        player.playbackMode = playbackMode
        player.maxBufferSize = maxBufferSize
    }
}

/// A display link that forwards ticks only while the widget is visible, and calls `hidden` otherwise.
@MainActor private final class VisibleDisplayLink: DisplayLink {
    var hidden: (@MainActor () -> Void)?
    private let link: any DisplayLink
    private let isVisible: @MainActor () -> Bool

    init(_ link: any DisplayLink, isVisible: @escaping @MainActor () -> Bool) {
        self.link = link
        self.isVisible = isVisible
    }

    func start(_ tick: @escaping @MainActor (Double) -> Void) {
        link.start { [weak self] elapsed in
            guard let self else { return }
            if isVisible() { tick(elapsed) } else { hidden?() }
        }
    }

    func stop() { link.stop() }
}

extension PixelBuffer {
    /// Returns whether two buffers look the same. Costs about 0.1 ms for 1 MB of equal pixels, and less for others.
    fileprivate func hasSamePixels(as other: PixelBuffer) -> Bool {
        guard self !== other else { return true }
        guard width == other.width, height == other.height, format == other.format else { return false }
        // The bytes between the rows are not part of the picture.
        let length = width * format.bytesPerPixel
        return (0..<height).allSatisfy { row in
            memcmp(baseAddress + row * bytesPerRow, other.baseAddress + row * other.bytesPerRow, length) == 0
        }
    }
}
