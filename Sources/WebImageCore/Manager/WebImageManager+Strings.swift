import Foundation

/// Addresses as text, for callers that have no URL yet.
extension WebImageManager {
    /// Loads the image of an address; text that is no address ends with `.invalidURL`.
    @discardableResult
    public func loadImage(
        with string: String, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil, completed: @escaping WebImageInternalCompletionBlock
    ) -> WebImageCombinedOperation {
        loadImage(
            with: URL(string: string), options: options, context: context, progress: progress, completed: completed)
    }

    /// Loads the image of an address.
    ///
    /// - Throws: as the form that takes a URL; `.invalidURL` for text that is no address.
    public func image(
        for string: String, options: WebImageOptions = [], context: WebImageContext? = nil,
        progress: ImageLoaderProgressBlock? = nil
    ) async throws(WebImageError) -> Image {
        try await image(for: URL(string: string), options: options, context: context, progress: progress)
    }
}
