import Foundation
import WebImageCore

/// The settings of a manager that its loads use, such as the cache, the loader and the transformer.
///
/// This type is a class, because copying a struct with the settings took 10 % of the time of a memory hit.
package final class LoadSettings: Sendable {
    struct Values {
        var transformer: (any ImageTransformer)?
        var cacheKeyFilter: (any WebImageCacheKeyFilterProtocol)?
        var cacheSerializer: (any WebImageCacheSerializerProtocol)?
        var optionsProcessor: (any WebImageOptionsProcessorProtocol)?
        var coder: (any ImageCoder)?
        var limits: DecodingLimits?
        var failedURLLifetime: Duration? = .seconds(300)
        var isShutDown = false
    }

    /// The cache and the loader of the manager. The context of a load can name another cache or loader.
    package final class Roles: Sendable {
        package let cache: RegisteredCache
        let loader: RegisteredLoader
        // Copies of properties of the cache and the loader. A ``PlainHit`` reads them with one step less.
        let imageCache: ImageCache?
        let sharesPlainLoads: (@Sendable (_ url: String) -> Bool)?

        init(cache: any ImageCaching, loader: any ImageLoader) {
            self.cache = RegisteredCache(cache)
            self.loader = RegisteredLoader(loader)
            imageCache = self.cache.imageCache
            sharesPlainLoads = self.loader.capabilities.sharesPlainLoads
        }
    }

    let values: Values
    package let roles: Roles
    // A memory hit reads these flags and does not compare the optional objects with nil, because such a comparison
    // copies the object. For most managers, these four flags are false.
    let hasTransformer: Bool
    let hasKeyFilter: Bool
    let hasOptionsProcessor: Bool
    let hasListener: Bool
    private let hasDecodingValues: Bool
    /// Whether a ``PlainHit`` is possible: the manager has no transformer, key filter, options processor or listener,
    /// and is not shut down.
    let allowsPlainHits: Bool

    init(_ values: Values, _ roles: Roles, hasListener: Bool) {
        self.values = values
        self.roles = roles
        hasTransformer = values.transformer != nil
        hasKeyFilter = values.cacheKeyFilter != nil
        hasOptionsProcessor = values.optionsProcessor != nil
        self.hasListener = hasListener
        hasDecodingValues = values.coder != nil || values.limits != nil
        allowsPlainHits =
            !hasTransformer && !hasKeyFilter && !hasOptionsProcessor && !hasListener && !values.isShutDown
    }

    /// Returns the context with the manager's coder and limits, unless the context has its own.
    func completed(_ context: RequestContext) -> RequestContext {
        guard hasDecodingValues else { return context }
        var context = context
        if let coder = values.coder, !context.has(.imageCoder) { context.set(.imageCoder, coder) }
        if let limits = values.limits, !context.has(.decodingLimits) { context.set(.decodingLimits, limits) }
        return context
    }
}

extension LoadKeys {
    /// Creates the keys of a request for a manager with the given settings. Reads only the values that the keys need,
    /// so that a memory hit costs little.
    package init(_ request: ImageRequest, _ settings: LoadSettings) {
        self.init(request, settings, loader: settings.loader(for: request))
    }

    /// - Parameter loader: The loader of the request, which determines the scope.
    init(_ request: ImageRequest, _ settings: LoadSettings, loader: RegisteredLoader) {
        let values = request.values
        let load = ImageDataLoad(request)
        let (scope, prepared) =
            if loader === settings.roles.loader {
                loader.scope(of: load)
            } else {
                (loader.cacheScope(of: load), PreparedLoad?.none)
            }
        let filter = request.cacheKeyFilter ?? (settings.hasKeyFilter ? settings.values.cacheKeyFilter : nil)
        self.init(
            base: Self.base(request.url, filter: filter), scope: scope, thumbnail: values.thumbnail,
            transformer: values.transformer(default: settings.hasTransformer ? settings.values.transformer : nil),
            prepared: prepared, file: request.url.isFileURL ? FileState(request.url) : nil)
    }
}

extension LoadSettings {
    /// The cache that a request names, or the manager's cache.
    func cache(for request: ImageRequest) -> RegisteredCache { request.cache.map(RegisteredCache.init) ?? roles.cache }

    /// The loader that a request names, or the manager's loader.
    func loader(for request: ImageRequest) -> RegisteredLoader {
        request.loader.map(RegisteredLoader.init) ?? roles.loader
    }
}
