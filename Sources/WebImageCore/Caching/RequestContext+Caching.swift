// Typed access to the caches in a request's context.
extension RequestContext {
    var imageCache: (any ImageCaching)? { value(.imageCache) }
    var originalImageCache: (any ImageCaching)? { value(.originalImageCache) }
}
