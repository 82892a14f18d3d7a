public import WebImage

/// Loads images from caches and loaders. SDWebImage's name for ``WebImageCore/WebImageManager``.
public typealias SDWebImageManager = WebImageManager
/// One load of a manager. SDWebImage's name for ``WebImageCore/WebImageCombinedOperation``.
public typealias SDWebImageCombinedOperation = WebImageCombinedOperation
/// Loads images before they are needed. SDWebImage's name for ``WebImageCore/WebImagePrefetcher``.
public typealias SDWebImagePrefetcher = WebImagePrefetcher
/// One prefetched list. SDWebImage's name for ``WebImageCore/WebImagePrefetchToken``.
public typealias SDWebImagePrefetchToken = WebImagePrefetchToken
