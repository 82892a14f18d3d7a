import Foundation
import WebImageCore
import WebImageLoading

/// The size of a request's image, if this size is known before the load.
@MainActor struct KnownPixelSize {
    /// The remembered size; nil for an image that was never loaded.
    let remembered: PixelSize?
    /// Whether the size in the file's header has the proportions of the shown image; false with a transformer, because
    /// a transformer can change the proportions.
    let usesHeaderSize: Bool

    init(_ request: ImageListRequest) {
        guard let url = request.url, let manager = request.loader as? WebImageManager else {
            remembered = nil
            usesHeaderSize = false
            return
        }
        var context = request.context ?? [:]
        usesHeaderSize = !(context[.imageTransformer] is any ImageTransformer) && manager.transformer == nil
        let cache = (context[.imageCache] as? any ImageCaching ?? manager.imageCache) as? ImageCache
        let key = manager.cacheKey(for: url, context: context)
        var size = usesHeaderSize ? nil : cache?.pixelSize(forKey: key)
        if usesHeaderSize {
            // Look up the size of the full image first, because the sides of a thumbnail are rounded.
            context[.imageThumbnailPixelSize] = nil
            let full = context.count == request.context?.count ? key : manager.cacheKey(for: url, context: context)
            size = cache?.pixelSize(forKey: full)
            if size == nil, full != key { size = cache?.pixelSize(forKey: key) }
        }
        remembered = size
    }
}
