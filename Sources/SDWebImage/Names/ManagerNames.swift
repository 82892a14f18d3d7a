public import WebImage

/// Loads through caches and loaders; ``WebImageCore/WebImageManager``.
public typealias SDWebImageManager = WebImageManager
/// One load of a manager; ``WebImageCore/WebImageCombinedOperation``.
public typealias SDWebImageCombinedOperation = WebImageCombinedOperation
/// Loads images before they are needed; ``WebImageCore/WebImagePrefetcher``.
public typealias SDWebImagePrefetcher = WebImagePrefetcher
/// One prefetched list; ``WebImageCore/WebImagePrefetchToken``.
public typealias SDWebImagePrefetchToken = WebImagePrefetchToken
