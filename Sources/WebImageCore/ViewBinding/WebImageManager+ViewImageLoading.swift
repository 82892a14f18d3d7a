public import Foundation

extension WebImageManager: ViewImageLoading {
    /// The same load, for callers that use only the role.
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
    /// Returns the image in memory under the key of a context; nil when there is none. Costs a lock and a dictionary
    /// lookup.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? {
        guard let key = LoadRequest(url, [], RequestContext(context), settings).keys.variant,
            let image = settings.roles.layeredCache?.imageFromMemoryCache(forKey: key.string), image.isEntry(of: key)
        else { return nil }
        return image
    }
}
