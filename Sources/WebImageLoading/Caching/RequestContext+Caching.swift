import WebImageCore

// Typed access to the caches in the context of a load.
extension RequestContext {
    var imageCache: (any ImageCaching)? { value(.imageCache) }
    var originalImageCache: (any ImageCaching)? { value(.originalImageCache) }
}
