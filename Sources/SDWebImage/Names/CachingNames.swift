public import WebImage
public import WebImageStore

/// A cache of a memory layer and a disk layer; ``WebImageCore/ImageCache``.
public typealias SDImageCache = ImageCache
/// A running cache query; ``WebImageCore/ImageCacheToken``.
public typealias SDImageCacheToken = ImageCacheToken
/// A layer of a cache; ``WebImageCore/ImageCacheType``.
public typealias SDImageCacheType = ImageCacheType
/// The options of a cache query. This is the type of a load's options; its caching flags have the same meaning as in
/// SDWebImage.
public typealias SDImageCacheOptions = WebImageOptions
/// The date from which an entry's age is counted; ``WebImageCore/ImageCacheConfig/ExpireType``.
public typealias SDImageCacheConfigExpireType = ImageCacheConfig.ExpireType
/// The built-in memory layer; ``WebImageCore/MemoryCache``.
public typealias SDMemoryCache = MemoryCache
/// The built-in disk layer; ``WebImageStore/DiskCache``.
public typealias SDDiskCache = DiskCache
/// Several caches used as one; ``WebImageCore/ImageCachesManager``.
public typealias SDImageCachesManager = ImageCachesManager
/// The rule that selects the caches for an operation; ``WebImageCore/ImageCachesManagerOperationPolicy``.
public typealias SDImageCachesManagerOperationPolicy = ImageCachesManagerOperationPolicy
