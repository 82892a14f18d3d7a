public import Foundation
import WebImage
public import WebImageHTTP

extension WebImageDownloader {
    /// Downloads and decodes an image. Failures are of type ``SDWebImageError``.
    ///
    /// `completed` is called exactly once with `finished` true. It is called on the context's callback queue. If the
    /// context has no callback queue, it is called on the main queue.
    @preconcurrency @discardableResult
    public func downloadImage(
        with url: URL?, options: SDWebImageDownloaderOptions = [], context: SDWebImageContext? = nil,
        progress progressBlock: SDWebImageDownloaderProgressBlock?,
        completed completedBlock: SDWebImageDownloaderCompletedBlock? = nil
    ) -> SDWebImageDownloadToken? {
        downloadImage(with: url, options: options, context: context, progress: progressBlock) {
            (image: Image?, data: Data?, error: WebImageError?, finished: Bool) in
            completedBlock?(image, data, error.map(SDWebImageError.init), finished)
        }
    }

    /// Downloads and decodes an image without reporting progress.
    @preconcurrency @discardableResult
    public func downloadImage(
        with url: URL?, completed completedBlock: SDWebImageDownloaderCompletedBlock? = nil
    ) -> SDWebImageDownloadToken? {
        downloadImage(with: url, options: [], progress: nil, completed: completedBlock)
    }
}
