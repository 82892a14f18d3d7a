public import Foundation
public import WebImage

extension WebImageManager {
    /// Loads an image and calls back; failures are ``SDWebImageError``.
    ///
    /// `completed` is called exactly once with `finished`, on the context's callback queue or on main. A memory hit
    /// requested on that queue completes before this returns. `progress` is called on any thread.
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
