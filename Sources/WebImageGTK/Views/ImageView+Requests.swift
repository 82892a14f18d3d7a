public import WebImageCore
public import WebImageLoading
public import WebImageViews

extension ImageView {
    /// Shows the placeholder (nil shows nothing), then the image that a request describes.
    ///
    /// ```swift
    /// imageView.setImage(with: ImageRequest(url: url, size: CGSize(width: 200, height: 200)))
    /// ```
    ///
    /// Behaves like ``setImage(with:placeholderImage:options:context:progress:completed:)``.
    @discardableResult
    public func setImage(
        with request: ImageRequest, placeholderImage: Image? = nil, progress: ViewImageProgressBlock?,
        completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(
            with: request.url, placeholderImage: placeholderImage, options: request.options, context: request.context,
            progress: progress, completed: completed)
    }

    /// Shows the placeholder (nil shows nothing), then the image that a request describes, without reporting progress.
    @discardableResult
    public func setImage(
        with request: ImageRequest, placeholderImage: Image? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        setImage(with: request, placeholderImage: placeholderImage, progress: nil, completed: completed)
    }

    /// Shows the placeholder (nil shows nothing), then the image that a request describes.
    ///
    /// - Parameter completion: Called on the main actor exactly once, with the image after it was set, or with the error: an
    ///   image that is in no cache and may not be fetched is `.notCached`. With `.refreshCached`, it is called a second time
    ///   if the image changed or the refresh failed.
    @discardableResult
    public func setImage(
        with request: ImageRequest, placeholderImage: Image? = nil,
        completion: @escaping @MainActor (Result<Image, WebImageError>) -> Void
    ) -> (any WebImageOperation)? {
        setImage(with: request, placeholderImage: placeholderImage, progress: nil) { image, error, _, url in
            if let error { return completion(.failure(error)) }
            completion(image.map { .success($0) } ?? .failure(.notCached(url)))
        }
    }
}
