import Foundation

/// A load as far as the memory cache needs it: processed options, keys, and no more.
struct LoadRequest: @unchecked Sendable {
    // Unchecked is true because `context` is a value nobody changes after entry, and the roles in it are Sendable.
    let url: URL
    let options: WebImageOptions
    let context: WebImageContext?
    let settings: WebImageManager.Settings
    let loader: any ImageLoader
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
        transformer = LoadKeys.transformer(context, default: settings.values.transformer)
        thumbnail = LoadKeys.Thumbnail(context)
        base = LoadKeys.base(url, context: context, filter: settings.values.cacheKeyFilter)
        let named = context?.read(.imageLoader, as: (any ImageLoader).self)
        loader = named ?? manager.imageLoader
        let dataLoader = named == nil ? manager.dataLoader : named as? any ImageDataLoader
        if let dataLoader {
            scope = dataLoader.cacheScope(of: ImageDataLoad(url: url, options: options, context: context))
        } else {
            scope = context?.read(.cacheScope, as: String.self).map { .scoped($0) } ?? .shared
        }
        keys = LoadKeys(base: base, scope: scope, thumbnail: thumbnail, transformer: transformer)
    }
}
