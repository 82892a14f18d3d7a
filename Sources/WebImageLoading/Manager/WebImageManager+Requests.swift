import Foundation
public import WebImageCore

/// Loads whose parameters are typed requests.
extension WebImageManager {
    /// Loads an image and calls back, as ``loadImage(with:options:context:progress:completed:)`` does.
    @discardableResult
    public func loadImage(
        with request: ImageRequest, progress: ImageLoaderProgressBlock? = nil,
        completed: @escaping WebImageInternalCompletionBlock
    ) -> WebImageCombinedOperation {
        loadImage(synchronousResult(for: request), of: request.url, progress: progress, completed: completed)
    }

    /// Loads an image.
    ///
    /// - Throws: The same errors as ``image(for:options:context:progress:)``.
    public func image(
        for request: ImageRequest, progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> Image {
        try await result(for: request, progress: progress).image
    }

    /// Loads an image and returns it with its origin and its encoded data.
    ///
    /// - Throws: The same errors as ``image(for:options:context:progress:)``.
    public func result(
        for request: ImageRequest, progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> WebImageResult {
        try await result(of: synchronousResult(for: request), request.url, progress: progress)
    }

    /// Returns the events of a load, for callers that show the progress of the load.
    public func events(for request: ImageRequest) -> WebImageEvents {
        events(for: request.url) { self.synchronousResult(for: request) }
    }

    /// Returns the cache key of the image that a request describes; nil if nothing would be stored.
    public func cacheKey(for request: ImageRequest) -> String? {
        LoadKeys(request, settings).variant?.string
    }
}

/// Loads whose URL is a string, for callers that have no `URL` value.
extension WebImageManager {
    /// Loads the image at the URL in `string`. If `string` is not a URL, the load ends with `.invalidURL`.
    @discardableResult
    public func loadImage(
        with string: String, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil, completed: @escaping WebImageInternalCompletionBlock
    ) -> WebImageCombinedOperation {
        loadImage(
            with: URL(webAddress: string), options: options, context: context, progress: progress, completed: completed)
    }

    /// Loads the image at the URL in `string`.
    ///
    /// - Throws: The same errors as the function with a `URL` parameter; `.invalidURL` if `string` is not a URL.
    public func image(
        for string: String, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> Image {
        try await image(for: URL(webAddress: string), options: options, context: context, progress: progress)
    }
}
