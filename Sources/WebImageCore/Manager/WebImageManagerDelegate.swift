public import Foundation

/// Decides about downloads, failed URLs and what is kept of a download; held weakly. Called on any thread.
@preconcurrency public protocol WebImageManagerDelegate: AnyObject, Sendable {
    /// Whether an image that no cache has may be fetched; a load that may not be ends as a miss. True unless
    /// implemented.
    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Whether a URL that failed so (a ``WebImageError``) is remembered and not tried again. The loader's word unless
    /// implemented.
    func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
    /// The image to keep and deliver instead of a downloaded one, under the same key; nil fails the load. The same image
    /// unless implemented.
    ///
    /// Called on the decode pool, before any transformer, for whole pictures alone: never for thumbnails, and for
    /// animated and vector images only with the options that let them be transformed. Another image is encoded anew for
    /// the disk.
    func imageManager(
        _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
    ) -> Image?
}

extension WebImageManagerDelegate {
    /// True.
    public func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { true }

    /// The loader's word.
    public func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        LoaderAnswer.blocks
    }

    /// The same image.
    public func imageManager(
        _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
    ) -> Image? { image }
}

/// What the loader says about the failure a delegate is being asked about.
enum LoaderAnswer {
    @TaskLocal static var blocks = false
}
