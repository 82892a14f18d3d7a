import Foundation

/// The roles and settings with which a manager's loads start.
///
/// A class, because copying seven roles took 10 % of the time of a memory hit. The roles of caches and loaders are
/// resolved once, because a dynamic cast costs more than a lookup in memory.
final class LoadSettings: Sendable {
    struct Values {
        var transformer: (any ImageTransformer)?
        var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)?
        var cacheSerializer: (any WebImageCacheSerializerProtocol)?
        var optionsProcessor: (any WebImageOptionsProcessorProtocol)?
        var failedURLLifetime: Duration?
        var isShutDown = false
    }

    /// The cache and the loader used unless a context replaces them.
    final class Roles: Sendable {
        let cache: any ImageCaching
        let loader: any ImageLoader
        let layeredCache: (any LayeredImageCaching)?
        /// The cache if it is the default one, for the shortest path of a memory hit.
        let imageCache: ImageCache?
        let dataLoader: (any ImageDataLoader)?
        let preparingLoader: (any PreparingDataLoader)?
        let loadersManager: ImageLoadersManager?
        let sharedScopeLoader: (any SharedScopeLoader)?

        init(cache: any ImageCaching, loader: any ImageLoader) {
            self.cache = cache
            self.loader = loader
            layeredCache = cache as? any LayeredImageCaching
            imageCache = cache as? ImageCache
            dataLoader = loader as? any ImageDataLoader
            preparingLoader = loader as? any PreparingDataLoader
            loadersManager = loader as? ImageLoadersManager
            sharedScopeLoader = loader as? any SharedScopeLoader
        }
    }

    let values: Values
    let roles: Roles
    // Stored separately: checking an optional role copies it, and most managers have none.
    let hasTransformer: Bool
    let hasKeyFilter: Bool
    let hasOptionsProcessor: Bool
    let hasListener: Bool
    /// Whether nothing but the URL, the context and the loader decides about a memory hit.
    let allowsPlainHits: Bool

    init(_ values: Values, _ roles: Roles, hasListener: Bool) {
        self.values = values
        self.roles = roles
        hasTransformer = values.transformer != nil
        hasKeyFilter = values.cacheKeyFilter != nil
        hasOptionsProcessor = values.optionsProcessor != nil
        self.hasListener = hasListener
        allowsPlainHits =
            !hasTransformer && !hasKeyFilter && !hasOptionsProcessor && !hasListener && !values.isShutDown
    }
}
