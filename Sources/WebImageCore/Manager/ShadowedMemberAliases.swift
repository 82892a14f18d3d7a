// Aliases for members of Core. The module `SDWebImage` declares members with the same names on the same types, which
// hide the members of Core inside that module. It therefore uses the names below.

extension ImageCache {
    /// ``config``.
    package var ownConfig: ImageCacheConfig {
        get { config }
        set { config = newValue }
    }
}

extension WebImageManager {
    /// ``delegate``.
    package var ownDelegate: (any WebImageManagerDelegate)? {
        get { delegate }
        set { delegate = newValue }
    }
}

extension ImageCodersManager {
    /// ``coders``.
    package var ownCoders: [any ImageCoder] {
        get { coders }
        set { coders = newValue }
    }
}

extension ImageLoadersManager {
    /// ``loaders``.
    package var ownLoaders: [any ImageLoader] {
        get { loaders }
        set { loaders = newValue }
    }
}

extension ImageColor {
    /// ``red``, which is hidden by the static colour of the same name.
    package var ownRed: Double {
        get { red }
        set { red = newValue }
    }
    /// ``green``.
    package var ownGreen: Double {
        get { green }
        set { green = newValue }
    }
    /// ``blue``.
    package var ownBlue: Double {
        get { blue }
        set { blue = newValue }
    }
}

extension AnimatedImagePlayer {
    /// ``totalFrameCount``.
    package var ownTotalFrameCount: Int {
        get { totalFrameCount }
        set { totalFrameCount = newValue }
    }
    /// ``totalLoopCount``.
    package var ownTotalLoopCount: Int {
        get { totalLoopCount }
        set { totalLoopCount = newValue }
    }
    /// ``maxBufferSize``.
    package var ownMaxBufferSize: Int {
        get { maxBufferSize }
        set { maxBufferSize = newValue }
    }
    /// ``currentFrameIndex``.
    package var ownCurrentFrameIndex: Int { currentFrameIndex }
    /// ``currentLoopCount``.
    package var ownCurrentLoopCount: Int { currentLoopCount }
    /// ``animationFrameHandler``.
    package var ownAnimationFrameHandler: (@MainActor (_ index: Int, _ frame: Image) -> Void)? {
        get { animationFrameHandler }
        set { animationFrameHandler = newValue }
    }
    /// ``animationLoopHandler``.
    package var ownAnimationLoopHandler: (@MainActor (_ loopCount: Int) -> Void)? {
        get { animationLoopHandler }
        set { animationLoopHandler = newValue }
    }
}

extension AnimatedImage {
    /// ``animatedImageFrameCount``.
    package var ownFrameCount: Int { animatedImageFrameCount }
    /// ``animatedImageLoopCount``.
    package var ownLoopCount: Int { animatedImageLoopCount }
}

extension AnimatedImageProvider {
    /// ``animatedImageFrameCount``.
    package var ownFrames: Int { animatedImageFrameCount }
    /// ``animatedImageLoopCount``.
    package var ownLoops: Int { animatedImageLoopCount }
}

extension WebImagePrefetcher {
    /// ``maxConcurrentPrefetchCount``.
    package var ownMaxConcurrentPrefetchCount: Int {
        get { maxConcurrentPrefetchCount }
        set { maxConcurrentPrefetchCount = newValue }
    }
    /// ``delegate``.
    package var ownDelegate: (any WebImagePrefetcherDelegate)? {
        get { delegate }
        set { delegate = newValue }
    }
}

extension ImageCoderHelper {
    /// ``defaultScaleDownLimitBytes``.
    package static var ownScaleDownLimitBytes: Int {
        get { defaultScaleDownLimitBytes }
        set { defaultScaleDownLimitBytes = newValue }
    }
}

extension WebImageResponse {
    /// ``allHeaderFields``.
    package var ownHeaderFields: [String: String] {
        get { allHeaderFields }
        set { allHeaderFields = newValue }
    }
}
