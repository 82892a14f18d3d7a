public import Foundation
public import WebImageCore

/// Decides about downloads and failed URLs, and can replace a downloaded image. The manager holds a weak reference. The
/// methods can be called on any thread.
@preconcurrency public protocol WebImageManagerDelegate: AnyObject, Sendable {
    /// Returns whether the load may fetch the image. If false, the load ends as if the image were in no cache. Default:
    /// true.
    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Returns whether a URL that failed with this error (a ``WebImageError``) is remembered and not tried again.
    /// Default: the decision of the loader.
    func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
    /// Returns the image to store and deliver instead of `image`. The cache key stays the same. If the result is nil,
    /// the load fails. Default: `image`.
    ///
    /// Called on the decode pool, before any transformer, for full-size images only. Not called for thumbnails. Not
    /// called for images that a loader returns decoded. Called for animated images only with
    /// `.transformAnimatedImage`, and for vector images only with `.transformVectorImage`. If the delegate returns
    /// another image, that image is encoded for the disk.
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

/// The decision of the loader about a failed URL. The value is set while the delegate is called for this failure.
/// The default implementation of the delegate method returns this value.
enum LoaderDecision {
    @TaskLocal static var blocks = false
}
