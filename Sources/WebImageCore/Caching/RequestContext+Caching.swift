// Typed access to caches in the context.
extension RequestContext {
    var imageCache: (any ImageCaching)? { value(.imageCache) }
    var originalImageCache: (any ImageCaching)? { value(.originalImageCache) }
}
