public import Foundation

/// Decides about downloads, failed URLs and the image that is stored for a download; held weakly. Called on any thread.
@preconcurrency public protocol WebImageManagerDelegate: AnyObject, Sendable {
    /// Returns whether an image that is in no cache may be fetched. If false, the load ends as a cache miss. Default:
    /// true.
    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Returns whether a URL that failed with this error (a ``WebImageError``) is remembered and not tried again.
    /// Default: the decision of the loader.
    func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
    /// Returns the image to store and deliver instead of a downloaded one, under the same key; nil fails the load.
    /// Default: the same image.
    ///
    /// Called on the decode pool, before any transformer, for full-size images only. Not called for thumbnails.
    /// Called for animated and vector images only with the options that allow transforming them. If the returned
    /// image is another one, it is encoded for the disk.
    func imageManager(
        _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
    ) -> Image?
}

extension WebImageManagerDelegate {
    /// Returns true.
    public func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { true }

    /// Returns the decision of the loader.
    public func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        LoaderDecision.blocks
    }

    /// Returns the same image.
    public func imageManager(
        _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
    ) -> Image? { image }
}

/// The loader's decision about a failed URL while the delegate decides about the same failure. The delegate's default
/// implementation returns it.
enum LoaderDecision {
    @TaskLocal static var blocks = false
}
