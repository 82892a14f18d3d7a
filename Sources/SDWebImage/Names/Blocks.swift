public import Foundation
public import WebImage

/// Called when an operation has ended.
public typealias SDWebImageNoParamsBlock = @Sendable () -> Void
/// Receives the result of a view's load: the image or the failure, the cache layer of the image, and the URL. Called on
/// the main actor.
public typealias SDExternalCompletionBlock =
    @MainActor (_ image: UIImage?, _ error: (any Error)?, _ cacheType: SDImageCacheType, _ imageURL: URL?) -> Void
/// Receives the result of a load: the image, the image's encoded bytes, the failure (an ``SDWebImageError``), the cache
/// layer of the image, and the URL. `finished` is true in the last call.
public typealias SDInternalCompletionBlock =
    @Sendable (
        _ image: UIImage?, _ data: Data?, _ error: (any Error)?, _ cacheType: SDImageCacheType, _ finished: Bool,
        _ imageURL: URL?
    ) -> Void
/// Receives the progress of a load: the number of received bytes, the number of expected bytes, and the requested URL.
/// Called on any thread.
public typealias SDImageLoaderProgressBlock = ImageLoaderProgressBlock
/// Receives the image, the image's encoded bytes, and the failure. `finished` is true in the last call.
public typealias SDImageLoaderCompletedBlock =
    @Sendable (_ image: UIImage?, _ data: Data?, _ error: (any Error)?, _ finished: Bool) -> Void
/// Receives the progress of a load: the number of received bytes, the number of expected bytes, and the requested URL.
/// Called on any thread.
public typealias SDWebImageDownloaderProgressBlock = SDImageLoaderProgressBlock
/// Receives the image, the image's encoded bytes, and the failure. `finished` is true in the last call.
public typealias SDWebImageDownloaderCompletedBlock = SDImageLoaderCompletedBlock
/// Receives the result of a cache query: the image, the encoded bytes if the query read them, and the layer that
/// contained the image.
public typealias SDImageCacheQueryCompletionBlock = ImageCacheQueryCompletionBlock
/// Receives true if the cache contains an entry for the key.
public typealias SDImageCacheCheckCompletionBlock = @Sendable (_ isInCache: Bool) -> Void
/// Receives the encoded bytes of an entry on disk. Nil if there is no entry.
public typealias SDImageCacheQueryDataCompletionBlock = @Sendable (_ data: Data?) -> Void
/// Receives the number of entries on disk and their total size in bytes.
public typealias SDImageCacheCalculateSizeBlock = @Sendable (_ fileCount: UInt, _ totalSize: UInt) -> Void
/// Receives the layer that contains an entry for the key; `.none` if no layer contains an entry.
public typealias SDImageCacheContainsCompletionBlock = @Sendable (_ containsCacheType: SDImageCacheType) -> Void
/// Returns the path of an additional file for a key. The cache reads this file if the cache's folder has no entry for
/// the key.
public typealias SDImageCacheAdditionalCachePathBlock = @Sendable (_ key: String) -> String?
/// Receives the progress of a prefetched list: the number of URLs whose loads have ended, and the number of all URLs in
/// the list.
public typealias SDWebImagePrefetcherProgressBlock = @Sendable (_ finishedCount: UInt, _ totalCount: UInt) -> Void
/// Receives the result of a prefetched list: the number of URLs whose loads have ended, and the number of failed URLs.
public typealias SDWebImagePrefetcherCompletionBlock =
    @Sendable (_ finishedCount: UInt, _ skippedCount: UInt) -> Void
/// Returns the cache key of a URL.
public typealias SDWebImageCacheKeyFilterBlock = @Sendable (_ url: URL) -> String?
/// Returns the bytes that the cache writes to disk for an image.
public typealias SDWebImageCacheSerializerBlock =
    @Sendable (_ image: UIImage, _ originalData: Data?, _ imageURL: URL?) -> Data?
/// Returns the options and context that replace the options and context of a load.
public typealias SDWebImageOptionsProcessorBlock =
    @Sendable (_ url: URL?, _ options: SDWebImageOptions, _ context: SDWebImageContext?) -> SDWebImageOptionsResult?
/// Returns the HTTP request that replaces the given request.
public typealias SDWebImageDownloaderRequestModifierBlock = @Sendable (_ request: WebImageRequest) -> WebImageRequest?
/// Returns the response that replaces the given response.
public typealias SDWebImageDownloaderResponseModifierBlock =
    @Sendable (_ response: WebImageResponse) -> WebImageResponse?
/// Converts the received bytes, for example encrypted bytes, to the bytes of an image file.
public typealias SDWebImageDownloaderDecryptorBlock = @Sendable (_ data: Data, _ response: WebImageResponse?) -> Data?
