public import WebImage
public import WebImageCompatibility
public import WebImageStore

/// A cache with a memory layer and a disk layer. SDWebImage's name for ``WebImageCore/ImageCache``.
public typealias SDImageCache = ImageCache
/// A running cache query. SDWebImage's name for ``WebImageCompatibility/ImageCacheToken``.
public typealias SDImageCacheToken = ImageCacheToken
/// A layer of a cache. SDWebImage's name for ``WebImageCore/ImageCacheType``.
public typealias SDImageCacheType = ImageCacheType
/// The options of a cache query. They have the same type as the options of a load. The flags for caching have the same
/// meaning as in SDWebImage.
public typealias SDImageCacheOptions = WebImageOptions
/// The date from which an entry's age is counted. SDWebImage's name for ``WebImageCore/ImageCacheConfig/ExpireType``.
public typealias SDImageCacheConfigExpireType = ImageCacheConfig.ExpireType
/// The built-in disk layer. SDWebImage's name for ``WebImageStore/DiskCache``.
public typealias SDDiskCache = DiskCache
/// Several caches that are used as one cache. SDWebImage's name for ``WebImageCore/ImageCachesManager``.
public typealias SDImageCachesManager = ImageCachesManager
/// The rule that selects the caches for an operation. SDWebImage's name for
/// ``WebImageCore/ImageCachesManagerOperationPolicy``.
public typealias SDImageCachesManagerOperationPolicy = ImageCachesManagerOperationPolicy
