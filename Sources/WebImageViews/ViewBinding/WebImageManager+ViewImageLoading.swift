public import Foundation
public import WebImageCore
public import WebImageLoading

extension WebImageManager: ViewImageLoading {
    /// Starts a load for callers that use the manager as a ``ViewImageLoading``.
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
    /// Returns the image in memory that a URL and a context describe; nil for a miss. Costs one lock and one dictionary
    /// lookup.
    public func imageInMemory(for url: URL, context: WebImageContext?) -> Image? {
        imageInMemory(for: ImageRequest(url: url, context: context))
    }

    func imageInMemory(for request: ImageRequest) -> Image? {
        MemoryStage.entry(of: LoadKeys(request, settings).variant, in: settings.roles.cache.layered)
    }
}
