import Foundation
import WebImage

// snippet: guide-settings
/// Settings of the shared cache hold from this moment on.
func configureSharedCache() {
    ImageCache.shared.config.maxDiskAge = 30 * 24 * 60 * 60
    ImageCache.shared.config.maxDiskSize = 500_000_000
    ImageCache.shared.config.maxMemoryCost = 64 << 20
}
// end

// snippet: guide-refresh
/// A picture that changes behind its URL: first what is cached, then, if the server has another, that.
func watch(_ url: URL, show: @escaping @Sendable (Image) -> Void) {
    WebImageManager.shared.loadImage(with: url, options: .refreshCached) { image, _, _, _, _, _ in
        if let image { show(image) }
    }
}
// end

// snippet: guide-cache-only
/// Returns the cached image without a network request; nil if no cache has it.
func cached(_ url: URL) async -> Image? {
    try? await WebImageManager.shared.image(for: url, options: .fromCacheOnly)
}
// end

// snippet: guide-forget
/// Forgets one picture, in memory and on disk, under every key that is its own.
func forget(_ url: URL) {
    ImageCache.shared.removeImage(forKey: WebImageManager.shared.cacheKey(for: url), withCompletion: nil)
}
// end

// snippet: guide-memory
/// For a small machine: less memory for pictures, smaller pictures, nothing kept that is not in use.
func saveMemory() {
    ImageCache.shared.config.maxMemoryCost = 16 << 20
    WebImageManager.shared.optionsProcessor = WebImageOptionsProcessor { _, options, context in
        var context = context ?? [:]
        if context[.imageScaleDownLimitBytes] == nil { context[.imageScaleDownLimitBytes] = 8 << 20 }
        return WebImageOptionsResult(options: options.union(.scaleDownLargeImages), context: context)
    }
}
// end

// snippet: guide-prefetch
/// Loads what comes next into the cache, at low priority; cancel the token when it is not wanted any more.
func prepare(_ urls: [URL]) -> WebImagePrefetchToken? {
    WebImagePrefetcher.shared.prefetchURLs(
        urls, options: .lowPriority, context: [.imageThumbnailPixelSize: CGSize(width: 200, height: 200)],
        progress: nil
    ) { finished, skipped in print("\(finished - skipped) of \(finished)") }
}
// end
