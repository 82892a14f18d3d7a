public import Foundation
public import WebImage

/// Decides about downloads and failed URLs, with SDWebImage's signatures; referenced weakly. Called on any thread.
@preconcurrency public protocol SDWebImageManagerDelegate: AnyObject, Sendable {
    /// Whether an image that is in no cache may be downloaded; true unless implemented.
    func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Whether a URL that failed with this ``SDWebImageError`` is not tried again; the loader decides unless implemented.
    func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
    /// Returns the image to store and deliver instead of a downloaded one, as in version 4; the same unless implemented.
    ///
    /// Called off the main thread, and not for partial images; nil fails the load.
    func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage?
}

extension SDWebImageManagerDelegate {
    /// Always true.
    public func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { true }

    /// The loader's decision.
    public func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        DelegateBridge.loaderBlocksFailedURL(imageManager, imageURL, WebImageError(original: error))
    }

    /// The same image.
    public func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage? { image }
}

extension WebImageManager {
    /// The delegate that decides about downloads and failed URLs; referenced weakly.
    public var delegate: (any SDWebImageManagerDelegate)? {
        get { DelegateBridge.of(self)?.target }
        set { DelegateBridge.install(newValue, on: self) }
    }
}
