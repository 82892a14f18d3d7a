import Foundation
import WebImageCore

/// What can be known of a picture's size before it is loaded.
@MainActor struct KnownPixelSize {
    /// The size remembered; nil for a picture never seen.
    let remembered: PixelSize?
    /// Whether the size that the file's header says has the proportions that will be shown: a transformer may change
    /// them.
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
            // The full picture's first: a thumbnail's sides are rounded.
            context[.imageThumbnailPixelSize] = nil
            let full = context.count == request.context?.count ? key : manager.cacheKey(for: url, context: context)
            size = cache?.pixelSize(forKey: full)
            if size == nil, full != key { size = cache?.pixelSize(forKey: key) }
        }
        remembered = size
    }
}
