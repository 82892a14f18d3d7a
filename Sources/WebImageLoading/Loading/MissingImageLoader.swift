import Foundation
import WebImageCore

/// The default loader of a program that links no product with loaders. Every load fails with an error that explains
/// the missing product.
struct MissingImageLoader: ImageLoader {
    func canRequestImage(for url: URL?) -> Bool { true }

    func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        completed?(
            nil, nil,
            WebImageError(
                .invalidDownloadOperation, stage: .download, url: url, underlying: .message("no loader is registered"),
                hint: "Link the product WebImage, or give the manager a loader."), true)
        return nil
    }

    func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool { false }
}
