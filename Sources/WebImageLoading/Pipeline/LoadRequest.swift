package import Foundation
import WebImageCore

/// The input of the memory lookup of one load: the keys, and the options that the options processor returned. A memory
/// hit needs no ``LoadPlan``.
package struct LoadRequest: Sendable {
    let url: URL
    let options: WebImageOptions
    let context: RequestContext
    let settings: LoadSettings
    let transformer: (any ImageTransformer)?
    let thumbnail: LoadKeys.Thumbnail?
    let base: String?
    let scope: CacheScope
    package let keys: LoadKeys
    /// The prepared load, if the loader prepared the load to determine the scope; otherwise nil.
    let prepared: PreparedLoad?

    package init(_ url: URL, _ options: WebImageOptions, _ context: RequestContext, _ settings: LoadSettings) {
        self.url = url
        self.options = options
        self.context = context
        self.settings = settings
        transformer = context.transformer(default: settings.hasTransformer ? settings.values.transformer : nil)
        thumbnail = context.thumbnail
        let filter = context.cacheKeyFilter ?? (settings.hasKeyFilter ? settings.values.cacheKeyFilter : nil)
        base = LoadKeys.base(url, filter: filter)
        let load = ImageDataLoad(url: url, options: options, requestContext: context)
        (scope, prepared) = Self.scope(load, settings)
        keys = LoadKeys(base: base, scope: scope, thumbnail: thumbnail, transformer: transformer)
    }

    private static func scope(_ load: ImageDataLoad, _ settings: LoadSettings) -> (CacheScope, PreparedLoad?) {
        if let named = load.requestContext.imageLoader {
            return ((named as? any ImageDataLoader)?.cacheScope(of: load) ?? load.declaredScope ?? .shared, nil)
        }
        let roles = settings.roles
        if let manager = roles.loadersManager { return manager.scope(of: load) }
        if let preparing = roles.preparingLoader {
            let prepared = preparing.prepareForScope(load)
            return (prepared?.identity.cacheScope ?? load.declaredScope ?? .shared, prepared)
        }
        return (roles.dataLoader?.cacheScope(of: load) ?? load.declaredScope ?? .shared, nil)
    }

    /// The image in memory; nil if memory has no image that fits the load.
    var memoryImage: Image? {
        guard !options.contains(.fromLoaderOnly), context.queryCacheType?.includesMemory ?? true else { return nil }
        let named = context.imageCache
        guard let cache = named == nil ? settings.roles.layeredCache : named as? any LayeredImageCaching else {
            return nil
        }
        return MemoryStage.image(
            of: keys.variant, in: cache, isTransformed: transformer != nil,
            ImageMatcher(options: options, context: context))
    }
}
