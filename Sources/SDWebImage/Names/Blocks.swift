public import Foundation
public import WebImage

/// Called when something is done.
public typealias SDWebImageNoParamsBlock = @Sendable () -> Void
/// The image or the failure of a view's load, where the image came from, and the URL. On the main actor.
public typealias SDExternalCompletionBlock =
    @MainActor (_ image: UIImage?, _ error: (any Error)?, _ cacheType: SDImageCacheType, _ imageURL: URL?) -> Void
/// The image, its bytes, the failure (an ``SDWebImageError``), the image's origin, whether this is the last call, the URL.
public typealias SDInternalCompletionBlock =
    @Sendable (
        _ image: UIImage?, _ data: Data?, _ error: (any Error)?, _ cacheType: SDImageCacheType, _ finished: Bool,
        _ imageURL: URL?
    ) -> Void
/// Bytes received, bytes expected, and the URL asked for; on any thread.
public typealias SDImageLoaderProgressBlock = ImageLoaderProgressBlock
/// The image, its bytes, the failure, and whether this is the last call.
public typealias SDImageLoaderCompletedBlock =
    @Sendable (_ image: UIImage?, _ data: Data?, _ error: (any Error)?, _ finished: Bool) -> Void
/// Bytes received, bytes expected, and the URL asked for; on any thread.
public typealias SDWebImageDownloaderProgressBlock = SDImageLoaderProgressBlock
/// The image, its bytes, the failure, and whether this is the last call.
public typealias SDWebImageDownloaderCompletedBlock = SDImageLoaderCompletedBlock
/// The image, its bytes when they were read, and where they came from.
public typealias SDImageCacheQueryCompletionBlock = ImageCacheQueryCompletionBlock
/// Whether something is cached.
public typealias SDImageCacheCheckCompletionBlock = @Sendable (_ isInCache: Bool) -> Void
/// The bytes on disk.
public typealias SDImageCacheQueryDataCompletionBlock = @Sendable (_ data: Data?) -> Void
/// Entries on disk and their bytes.
public typealias SDImageCacheCalculateSizeBlock = @Sendable (_ fileCount: UInt, _ totalSize: UInt) -> Void
/// In which layer something is cached.
public typealias SDImageCacheContainsCompletionBlock = @Sendable (_ containsCacheType: SDImageCacheType) -> Void
/// Where else the bytes of a key may be.
public typealias SDImageCacheAdditionalCachePathBlock = @Sendable (_ key: String) -> String?
/// URLs of a prefetched list that have ended, and all of them.
public typealias SDWebImagePrefetcherProgressBlock = @Sendable (_ finishedCount: UInt, _ totalCount: UInt) -> Void
/// URLs of a prefetched list that have ended, and those of them that failed.
public typealias SDWebImagePrefetcherCompletionBlock =
    @Sendable (_ finishedCount: UInt, _ skippedCount: UInt) -> Void
/// A cache key of a URL.
public typealias SDWebImageCacheKeyFilterBlock = @Sendable (_ url: URL) -> String?
/// The bytes a cache is to keep.
public typealias SDWebImageCacheSerializerBlock =
    @Sendable (_ image: UIImage?, _ originalData: Data?, _ imageURL: URL?) -> Data?
/// Returns the options and context that replace those of a load.
public typealias SDWebImageOptionsProcessorBlock =
    @Sendable (_ url: URL?, _ options: SDWebImageOptions, _ context: SDWebImageContext?) -> SDWebImageOptionsResult?
/// The request that is sent instead.
public typealias SDWebImageDownloaderRequestModifierBlock = @Sendable (_ request: WebImageRequest) -> WebImageRequest?
/// The response that counts instead.
public typealias SDWebImageDownloaderResponseModifierBlock =
    @Sendable (_ response: WebImageResponse) -> WebImageResponse?
/// The picture's bytes, made from the received ones.
public typealias SDWebImageDownloaderDecryptorBlock = @Sendable (_ data: Data, _ response: WebImageResponse?) -> Data?
