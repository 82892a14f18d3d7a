// Readings of caches.
extension RequestContext {
    var imageCache: (any ImageCaching)? { value(.imageCache) }
    var originalImageCache: (any ImageCaching)? { value(.originalImageCache) }
}
