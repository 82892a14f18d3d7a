public import Foundation
public import WebImage

/// Called when an operation has ended.
public typealias SDWebImageNoParamsBlock = @Sendable () -> Void
/// Receives the result of a view's load: the image or the failure, the origin of the image, and the URL. Called on the
/// main actor.
public typealias SDExternalCompletionBlock =
    @MainActor (_ image: UIImage?, _ error: (any Error)?, _ cacheType: SDImageCacheType, _ imageURL: URL?) -> Void
/// Receives the image, its bytes, the failure (an ``SDWebImageError``), the image's origin, whether this is the last call,
/// and the URL.
public typealias SDInternalCompletionBlock =
    @Sendable (
        _ image: UIImage?, _ data: Data?, _ error: (any Error)?, _ cacheType: SDImageCacheType, _ finished: Bool,
        _ imageURL: URL?
    ) -> Void
/// Receives the progress of a load: the bytes received, the bytes expected, and the requested URL. Called on any
/// thread.
public typealias SDImageLoaderProgressBlock = ImageLoaderProgressBlock
/// Receives the image, its bytes, the failure, and whether this is the last call.
public typealias SDImageLoaderCompletedBlock =
    @Sendable (_ image: UIImage?, _ data: Data?, _ error: (any Error)?, _ finished: Bool) -> Void
/// Receives the progress of a load: the bytes received, the bytes expected, and the requested URL. Called on any
/// thread.
public typealias SDWebImageDownloaderProgressBlock = SDImageLoaderProgressBlock
/// Receives the image, its bytes, the failure, and whether this is the last call.
public typealias SDWebImageDownloaderCompletedBlock = SDImageLoaderCompletedBlock
/// Receives the result of a cache query: the image, its encoded bytes if they were read, and the layer they came from.
public typealias SDImageCacheQueryCompletionBlock = ImageCacheQueryCompletionBlock
/// Receives whether a key is cached.
public typealias SDImageCacheCheckCompletionBlock = @Sendable (_ isInCache: Bool) -> Void
/// Receives the bytes on disk.
public typealias SDImageCacheQueryDataCompletionBlock = @Sendable (_ data: Data?) -> Void
/// Receives the number of entries on disk and their total size in bytes.
public typealias SDImageCacheCalculateSizeBlock = @Sendable (_ fileCount: UInt, _ totalSize: UInt) -> Void
/// Receives the layer in which a key is cached.
public typealias SDImageCacheContainsCompletionBlock = @Sendable (_ containsCacheType: SDImageCacheType) -> Void
/// Returns the path of an additional file in which the cache searches the bytes of a key.
public typealias SDImageCacheAdditionalCachePathBlock = @Sendable (_ key: String) -> String?
/// Receives the progress of a prefetched list: the number of URLs that have ended, and the number of all its URLs.
public typealias SDWebImagePrefetcherProgressBlock = @Sendable (_ finishedCount: UInt, _ totalCount: UInt) -> Void
/// Receives the result of a prefetched list: the number of URLs that have ended, and how many of them failed.
public typealias SDWebImagePrefetcherCompletionBlock =
    @Sendable (_ finishedCount: UInt, _ skippedCount: UInt) -> Void
/// Returns the cache key of a URL.
public typealias SDWebImageCacheKeyFilterBlock = @Sendable (_ url: URL) -> String?
/// Returns the bytes that a cache stores.
public typealias SDWebImageCacheSerializerBlock =
    @Sendable (_ image: UIImage?, _ originalData: Data?, _ imageURL: URL?) -> Data?
/// Returns the options and context that replace those of a load.
public typealias SDWebImageOptionsProcessorBlock =
    @Sendable (_ url: URL?, _ options: SDWebImageOptions, _ context: SDWebImageContext?) -> SDWebImageOptionsResult?
/// Returns the HTTP request that replaces the given request.
public typealias SDWebImageDownloaderRequestModifierBlock = @Sendable (_ request: WebImageRequest) -> WebImageRequest?
/// Returns the response that replaces the given response.
public typealias SDWebImageDownloaderResponseModifierBlock =
    @Sendable (_ response: WebImageResponse) -> WebImageResponse?
/// Returns the bytes of the image, converted from the received bytes.
public typealias SDWebImageDownloaderDecryptorBlock = @Sendable (_ data: Data, _ response: WebImageResponse?) -> Data?
