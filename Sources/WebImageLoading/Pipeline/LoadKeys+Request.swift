import Foundation
import WebImageCore

extension LoadKeys {
    /// Creates the keys of a request for a manager with the given settings. Reads only the values that the keys need,
    /// so that a memory hit costs little.
    package init(_ request: ImageRequest, _ settings: LoadSettings) {
        self.init(request, settings, loader: settings.loader(for: request))
    }

    /// - Parameter loader: The loader of the request, which determines the scope.
    init(_ request: ImageRequest, _ settings: LoadSettings, loader: ResolvedLoader) {
        let values = request.values
        let load = ImageDataLoad(request)
        let (scope, prepared) =
            if loader === settings.roles.loader {
                loader.scope(of: load)
            } else {
                (loader.data?.cacheScope(of: load) ?? load.declaredScope ?? .shared, PreparedLoad?.none)
            }
        let filter = request.cacheKeyFilter ?? (settings.hasKeyFilter ? settings.values.cacheKeyFilter : nil)
        self.init(
            base: Self.base(request.url, filter: filter), scope: scope, thumbnail: values.thumbnail,
            transformer: values.transformer(default: settings.hasTransformer ? settings.values.transformer : nil),
            prepared: prepared)
    }
}

extension LoadSettings {
    /// The cache that a request names, or the manager's cache.
    func cache(for request: ImageRequest) -> ResolvedCache { request.cache.map(ResolvedCache.init) ?? roles.cache }

    /// The loader that a request names, or the manager's loader.
    func loader(for request: ImageRequest) -> ResolvedLoader {
        request.loader.map(ResolvedLoader.init) ?? roles.loader
    }
}
