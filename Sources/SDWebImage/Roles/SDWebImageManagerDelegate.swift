public import Foundation
public import WebImage

/// A manager's delegate with SDWebImage's signatures. Decides about downloads and failed URLs. The manager references
/// the delegate weakly and calls its methods on any thread.
@preconcurrency public protocol SDWebImageManagerDelegate: AnyObject, Sendable {
    /// Whether to download an image that is in no cache. Default: true.
    func imageManager(_ imageManager: SDWebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Whether a failed URL is blocked. A blocked URL is not tried again. `error` is an ``SDWebImageError``. By
    /// default, the loader decides.
    func imageManager(
        _ imageManager: SDWebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
    /// Returns the image that the manager stores and delivers instead of the downloaded image. SDWebImage 4 has this
    /// method too. By default, returns the downloaded image.
    ///
    /// The manager calls this method on a background thread, and only for complete images. If the method returns nil,
    /// the load fails.
    func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage?
}

extension SDWebImageManagerDelegate {
    /// The default implementation. Always returns true.
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
    /// The delegate that decides about downloads and failed URLs. The manager references the delegate weakly.
    public var delegate: (any SDWebImageManagerDelegate)? {
        get { DelegateBridge.of(self)?.target }
        set { DelegateBridge.install(newValue, on: self) }
    }
}
