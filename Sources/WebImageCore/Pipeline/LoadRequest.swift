import Foundation

/// A load as far as the memory cache needs it: processed options, keys, and no more.
struct LoadRequest: @unchecked Sendable {
    // Unchecked is true because `context` is a value nobody changes after entry, and the roles in it are Sendable.
    let url: URL
    let options: WebImageOptions
    let context: WebImageContext?
    let settings: WebImageManager.Settings
    let transformer: (any ImageTransformer)?
    let thumbnail: LoadKeys.Thumbnail?
    let base: String?
    let scope: CacheScope
    let keys: LoadKeys

    init(
        _ url: URL, _ options: WebImageOptions, _ context: WebImageContext?, _ settings: WebImageManager.Settings,
        _ manager: WebImageManager
    ) {
        self.url = url
        self.options = options
        self.context = context
        self.settings = settings
        transformer = LoadKeys.transformer(
            context, default: settings.hasTransformer ? settings.values.transformer : nil)
        thumbnail = LoadKeys.Thumbnail(context)
        base = LoadKeys.base(
            url, context: context, filter: settings.hasKeyFilter ? settings.values.cacheKeyFilter : nil)
        scope = Self.scope(ImageDataLoad(url: url, options: options, context: context), manager)
        keys = LoadKeys(base: base, scope: scope, thumbnail: thumbnail, transformer: transformer)
    }

    private static func scope(_ load: ImageDataLoad, _ manager: WebImageManager) -> CacheScope {
        guard load.context?[.imageLoader] != nil, let named = load.loader else {
            return manager.dataLoader?.cacheScope(of: load) ?? load.declaredScope ?? .shared
        }
        return (named as? any ImageDataLoader)?.cacheScope(of: load) ?? load.declaredScope ?? .shared
    }
}

extension ImageDataLoad {
    /// The loader that the context names.
    var loader: (any ImageLoader)? { context?.read(.imageLoader, as: (any ImageLoader).self) }
}
