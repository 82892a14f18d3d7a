import Foundation
import WebImage

// snippet: guide-settings
/// Changes settings of the shared cache. They take effect immediately.
func configureSharedCache() {
    ImageCache.shared.config.maxDiskAge = 30 * 24 * 60 * 60
    ImageCache.shared.config.maxDiskSize = 500_000_000
    ImageCache.shared.config.maxMemoryCost = 64 << 20
}
// end

// snippet: guide-refresh
/// Shows a picture that may change under its URL: first the cached picture, then the server's if it is different.
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
/// Removes one picture with its thumbnails, transformed and encoded images, from memory and disk.
func forget(_ url: URL) async {
    await WebImageManager.shared.removeImage(for: url)
}
// end

// snippet: guide-memory
/// Settings for a small machine: a memory cache of 16 MB, and pictures of at most 8 MB.
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
/// Loads the next pictures into the cache at low priority. Cancel the token if they are not needed any more.
func prepare(_ urls: [URL]) -> WebImagePrefetchToken? {
    WebImagePrefetcher.shared.prefetchURLs(
        urls, options: .lowPriority, context: [.imageThumbnailPixelSize: CGSize(width: 200, height: 200)],
        progress: nil
    ) { finished, skipped in print("\(finished - skipped) of \(finished)") }
}
// end
