public import Foundation
public import WebImage

/// Decides about downloads and failed URLs, in the original's shape; held weakly. Called on any thread.
@preconcurrency public protocol SDWebImageManagerDelegate: AnyObject, Sendable {
    /// Whether a picture that no cache has may be fetched; true unless implemented.
    func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Whether a URL that failed so (an ``SDWebImageError``) is remembered; the loader's word unless implemented.
    func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
    /// The picture to keep and deliver instead of a downloaded one, as in version 4; the same unless implemented.
    ///
    /// Called off the main thread, for whole pictures alone; nil fails the load.
    func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage?
}

extension SDWebImageManagerDelegate {
    /// True.
    public func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { true }

    /// The loader's word.
    public func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        DelegateBridge.loadersWord(imageManager, imageURL, WebImageError(original: error))
    }

    /// The same picture.
    public func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage? { image }
}

extension WebImageManager {
    /// Who decides about downloads and failed URLs; held weakly.
    public var delegate: (any SDWebImageManagerDelegate)? {
        get { DelegateBridge.of(self)?.target }
        set { DelegateBridge.install(newValue, on: self) }
    }
}
