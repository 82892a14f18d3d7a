import Foundation

/// The roles and settings that a manager's loads begin with.
///
/// A reference: copying seven roles was a tenth of the time of a memory hit. Roles of caches and loaders are resolved
/// once, because asking a value for its roles costs more than a lookup in memory.
final class LoadSettings: Sendable {
    struct Values {
        var transformer: (any ImageTransformer)?
        var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)?
        var cacheSerializer: (any WebImageCacheSerializerProtocol)?
        var optionsProcessor: (any WebImageOptionsProcessorProtocol)?
        var failedURLLifetime: Duration?
        var isShutDown = false
    }

    /// The cache and the loader used unless a context names others.
    final class Roles: Sendable {
        let cache: any ImageCaching
        let loader: any ImageLoader
        let layeredCache: (any LayeredImageCaching)?
        let dataLoader: (any ImageDataLoader)?
        let preparingLoader: (any PreparingDataLoader)?
        let loadersManager: ImageLoadersManager?

        init(cache: any ImageCaching, loader: any ImageLoader) {
            self.cache = cache
            self.loader = loader
            layeredCache = cache as? any LayeredImageCaching
            dataLoader = loader as? any ImageDataLoader
            preparingLoader = loader as? any PreparingDataLoader
            loadersManager = loader as? ImageLoadersManager
        }
    }

    let values: Values
    let roles: Roles
    // Looking whether a role is there copies it; most managers have none.
    let hasTransformer: Bool
    let hasKeyFilter: Bool
    let hasOptionsProcessor: Bool
    let hasListener: Bool

    init(_ values: Values, _ roles: Roles, hasListener: Bool) {
        self.values = values
        self.roles = roles
        hasTransformer = values.transformer != nil
        hasKeyFilter = values.cacheKeyFilter != nil
        hasOptionsProcessor = values.optionsProcessor != nil
        self.hasListener = hasListener
    }
}
