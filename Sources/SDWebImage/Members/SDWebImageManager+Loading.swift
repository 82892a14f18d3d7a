public import Foundation
public import WebImage

extension WebImageManager {
    /// Loads a picture and calls back; failures are ``SDWebImageError``.
    ///
    /// `completed` is called exactly once with `finished`, on the context's callback queue or on main; a memory hit
    /// asked for there completes before this returns. `progress` comes on any thread.
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
