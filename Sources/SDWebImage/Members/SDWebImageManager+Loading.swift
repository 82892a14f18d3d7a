public import Foundation
public import WebImage

extension WebImageManager {
    /// Loads an image and calls `completed` with the result. Failures are of type ``SDWebImageError``.
    ///
    /// `completed` is called exactly once with `finished` true. It is called on the context's callback queue. If the
    /// context has no callback queue, it is called on the main queue. If the caller runs on that queue and the image is
    /// in memory, `completed` is called before this method returns.
    ///
    /// `progress` is called on any thread.
    @preconcurrency @discardableResult
    public func loadImage(
        with url: URL?, options: SDWebImageOptions = [], context: SDWebImageContext? = nil,
        progress progressBlock: SDImageLoaderProgressBlock? = nil,
        completed completedBlock: @escaping SDInternalCompletionBlock
    ) -> SDWebImageCombinedOperation? {
        loadImage(with: url, options: options, context: context, progress: progressBlock) {
            (
                image: Image?, data: Data?, error: WebImageError?, cacheType: ImageCacheType, finished: Bool,
                imageURL: URL?
            ) in
            completedBlock(image, data, error.map(SDWebImageError.init), cacheType, finished, imageURL)
        }
    }
}
