package import Foundation
import WebImageCore

/// The input of the memory lookup of one load: the keys, and the options that the options processor returned. A memory
/// hit needs no ``LoadPlan``.
package struct LoadRequest: Sendable {
    let request: ImageRequest
    let settings: LoadSettings
    let cache: ResolvedCache
    let loader: ResolvedLoader
    let transformer: (any ImageTransformer)?
    let thumbnail: LoadKeys.Thumbnail?
    let base: String?
    let scope: CacheScope
    package let keys: LoadKeys
    /// The prepared load, if the loader prepared the load to determine the scope; otherwise nil.
    let prepared: PreparedLoad?

    package init(_ request: ImageRequest, _ settings: LoadSettings) {
        let context = request.values
        self.request = request
        self.settings = settings
        cache = context.cache.map(ResolvedCache.init) ?? settings.roles.cache
        let named = context.loader.map(ResolvedLoader.init)
        loader = named ?? settings.roles.loader
        transformer = context.transformer(default: settings.hasTransformer ? settings.values.transformer : nil)
        thumbnail = context.thumbnail
        let filter = context.cacheKeyFilter ?? (settings.hasKeyFilter ? settings.values.cacheKeyFilter : nil)
        base = LoadKeys.base(request.url, filter: filter)
        let load = ImageDataLoad(request)
        if let named {
            scope = named.data?.cacheScope(of: load) ?? load.declaredScope ?? .shared
            prepared = nil
        } else {
            (scope, prepared) = loader.scope(of: load)
        }
        keys = LoadKeys(base: base, scope: scope, thumbnail: thumbnail, transformer: transformer)
    }

    /// The image in memory; nil if memory has no image that fits the load.
    var memoryImage: Image? {
        guard !request.options.contains(.fromLoaderOnly), request.queryCache?.includesMemory ?? true else { return nil }
        guard let layered = cache.layered else { return nil }
        return MemoryStage.image(
            of: keys.variant, in: layered, isTransformed: transformer != nil,
            ImageMatcher(options: request.options, context: request.values))
    }
}
