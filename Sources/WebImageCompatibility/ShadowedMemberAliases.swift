package import Foundation
package import WebImageCore
package import WebImageLoading

// Aliases for members of Core and Loading. The module `SDWebImage` declares members with the same names on the same types. Inside
// `SDWebImage`, these members hide the original members. `SDWebImage` therefore uses the aliases below.

extension ImageCache {
    /// An alias of ``config``.
    package var ownConfig: ImageCacheConfig {
        get { config }
        set { config = newValue }
    }
}

extension WebImageManager {
    /// An alias of ``delegate``.
    package var ownDelegate: (any WebImageManagerDelegate)? {
        get { delegate }
        set { delegate = newValue }
    }
}

extension ImageCodersManager {
    /// An alias of ``coders``.
    package var ownCoders: [any ImageCoder] {
        get { coders }
        set { coders = newValue }
    }
}

extension ImageLoadersManager {
    /// An alias of ``loaders``.
    package var ownLoaders: [any ImageLoader] {
        get { loaders }
        set { loaders = newValue }
    }
}

extension WebImagePrefetchToken {
    /// An alias of ``urls``.
    package var ownURLs: [URL] { urls }
}

extension ImageColor {
    /// An alias of ``red``, which is hidden by the static colour with the same name.
    package var ownRed: Double {
        get { red }
        set { red = newValue }
    }
    /// An alias of ``green``.
    package var ownGreen: Double {
        get { green }
        set { green = newValue }
    }
    /// An alias of ``blue``.
    package var ownBlue: Double {
        get { blue }
        set { blue = newValue }
    }
}

extension AnimatedImagePlayer {
    /// An alias of ``totalFrameCount``.
    package var ownTotalFrameCount: Int {
        get { totalFrameCount }
        set { totalFrameCount = newValue }
    }
    /// An alias of ``totalLoopCount``.
    package var ownTotalLoopCount: Int {
        get { totalLoopCount }
        set { totalLoopCount = newValue }
    }
    /// An alias of ``maxBufferSize``.
    package var ownMaxBufferSize: Int {
        get { maxBufferSize }
        set { maxBufferSize = newValue }
    }
    /// An alias of ``currentFrameIndex``.
    package var ownCurrentFrameIndex: Int { currentFrameIndex }
    /// An alias of ``currentLoopCount``.
    package var ownCurrentLoopCount: Int { currentLoopCount }
    /// An alias of ``animationFrameHandler``.
    package var ownAnimationFrameHandler: (@MainActor (_ index: Int, _ frame: Image) -> Void)? {
        get { animationFrameHandler }
        set { animationFrameHandler = newValue }
    }
    /// An alias of ``animationLoopHandler``.
    package var ownAnimationLoopHandler: (@MainActor (_ loopCount: Int) -> Void)? {
        get { animationLoopHandler }
        set { animationLoopHandler = newValue }
    }
}

extension AnimatedImage {
    /// An alias of ``animatedImageFrameCount``.
    package var ownFrameCount: Int { animatedImageFrameCount }
    /// An alias of ``animatedImageLoopCount``.
    package var ownLoopCount: Int { animatedImageLoopCount }
}

extension AnimatedImageProvider {
    /// An alias of ``animatedImageFrameCount``.
    package var ownFrames: Int { animatedImageFrameCount }
    /// An alias of ``animatedImageLoopCount``.
    package var ownLoops: Int { animatedImageLoopCount }
}

extension WebImagePrefetcher {
    /// An alias of ``maxConcurrentPrefetchCount``.
    package var ownMaxConcurrentPrefetchCount: Int {
        get { maxConcurrentPrefetchCount }
        set { maxConcurrentPrefetchCount = newValue }
    }
    /// An alias of ``delegate``.
    package var ownDelegate: (any WebImagePrefetcherDelegate)? {
        get { delegate }
        set { delegate = newValue }
    }
}

extension ImageCoderHelper {
    /// An alias of ``defaultScaleDownLimitBytes``.
    package static var ownScaleDownLimitBytes: Int {
        get { defaultScaleDownLimitBytes }
        set { defaultScaleDownLimitBytes = newValue }
    }
}

extension WebImageResponse {
    /// An alias of ``allHeaderFields``.
    package var ownHeaderFields: [String: String] {
        get { allHeaderFields }
        set { allHeaderFields = newValue }
    }
}

extension WebImageManager {
    package var ownCacheSerializer: (any WebImageCacheSerializerProtocol)? {
        get { cacheSerializer }
        set { cacheSerializer = newValue }
    }
    package var ownImageCache: any ImageCaching { imageCache }
    package var ownImageLoader: any ImageLoader { imageLoader }
    package static var ownDefaultImageCache: (any ImageCaching)? {
        get { defaultImageCache }
        set { defaultImageCache = newValue }
    }
    package static var ownDefaultImageLoader: (any ImageLoader)? {
        get { defaultImageLoader }
        set { defaultImageLoader = newValue }
    }
}

extension ImageCachesManager {
    package var ownCaches: [any ImageCaching] {
        get { caches ?? [] }
        set { caches = newValue }
    }
}

extension ImageCodersManager {
    package func addOwnCoder(_ coder: any ImageCoder) { addCoder(coder) }
    package func removeOwnCoder(_ coder: any ImageCoder) { removeCoder(coder) }
}

extension ImageCache {
    package var ownMemoryCache: any MemoryCaching { memoryCache }
    package var ownDiskCache: (any DiskCaching)? { diskCache }
}

extension RawRepresentable where RawValue == Int {
    package var ownNumber: Int { rawValue }
    package init?(ownNumber: Int) { self.init(rawValue: ownNumber) }
}
