public import Foundation
public import WebImage

/// A manager's delegate with SDWebImage's signatures. Decides about downloads and failed URLs. The manager references
/// it weakly and calls it on any thread.
@preconcurrency public protocol SDWebImageManagerDelegate: AnyObject, Sendable {
    /// Whether to download an image that is in no cache. Default: true.
    func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Whether a URL that failed with this ``SDWebImageError`` is not tried again. By default, the loader decides.
    func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
    /// Returns the image to store and deliver instead of a downloaded image, as in version 4. By default, returns
    /// the downloaded image.
    ///
    /// Called on a background thread, only for complete images. If it returns nil, the load fails.
    func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage?
}

extension SDWebImageManagerDelegate {
    /// Always true.
    public func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { true }

    /// The default implementation. Returns the loader's decision.
    public func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        DelegateBridge.loaderBlocksFailedURL(imageManager, imageURL, WebImageError(original: error))
    }

    /// The default implementation. Returns the same image.
    public func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage? { image }
}

extension WebImageManager {
    /// The delegate that decides about downloads and failed URLs. The manager references it weakly.
    public var delegate: (any SDWebImageManagerDelegate)? {
        get { DelegateBridge.of(self)?.target }
        set { DelegateBridge.install(newValue, on: self) }
    }
}
