public import WebImage
public import WebImageStore

/// Memory and disk behind one name; ``WebImageCore/ImageCache``.
public typealias SDImageCache = ImageCache
/// A query under way; ``WebImageCore/ImageCacheToken``.
public typealias SDImageCacheToken = ImageCacheToken
/// A layer of a cache; ``WebImageCore/ImageCacheType``.
public typealias SDImageCacheType = ImageCacheType
/// What a cache is asked with: the load's own options, whose caching bits have the original's meaning.
public typealias SDImageCacheOptions = WebImageOptions
/// Which date an entry's age is counted from; ``WebImageCore/ImageCacheConfig/ExpireType``.
public typealias SDImageCacheConfigExpireType = ImageCacheConfig.ExpireType
/// The built-in memory layer; ``WebImageCore/MemoryCache``.
public typealias SDMemoryCache = MemoryCache
/// The built-in disk layer; ``WebImageStore/DiskCache``.
public typealias SDDiskCache = DiskCache
/// Several caches in a row; ``WebImageCore/ImageCachesManager``.
public typealias SDImageCachesManager = ImageCachesManager
/// Which of several caches an operation is for; ``WebImageCore/ImageCachesManagerOperationPolicy``.
public typealias SDImageCachesManagerOperationPolicy = ImageCachesManagerOperationPolicy
