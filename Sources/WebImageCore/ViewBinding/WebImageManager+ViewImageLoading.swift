public import Foundation

extension WebImageManager: ViewImageLoading {
    /// The same load, for callers that know the role alone.
    @_disfavoredOverload
    public func loadImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?, progress: ImageLoaderProgressBlock?,
        completed: @escaping ViewImageLoadingCompletedBlock
    ) -> any WebImageOperation {
        let operation: WebImageCombinedOperation = loadImage(
            with: url, options: options, context: context, progress: progress, completed: completed)
        return operation
    }
}

extension WebImageManager {
    /// The image in memory under the key a context makes; nil when there is none. A lock and a dictionary.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? {
        guard let key = LoadRequest(url, [], RequestContext(context), settings).keys.variant,
            let image = settings.roles.layeredCache?.imageFromMemoryCache(forKey: key.string), image.isEntry(of: key)
        else { return nil }
        return image
    }
}
