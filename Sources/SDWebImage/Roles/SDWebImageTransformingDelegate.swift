public import Foundation
public import WebImage

/// A delegate that changes pictures after they were loaded, as in version 4; held weakly.
///
/// What it makes is cached under a key of its own, and asked for only when no cache has that. Give it to a manager as
/// its delegate before the first load.
@preconcurrency public protocol SDWebImageTransformingDelegate: SDWebImageManagerDelegate {
    /// The picture to use instead; nil keeps it. Called off the main thread.
    func imageManager(
        _ imageManager: SDWebImageManager, transformDownloadedImage image: UIImage?, with imageURL: URL?
    ) -> UIImage?
}

/// Asks the delegate; the key it is asked with is the URL of the picture unless a key filter changed it.
final class DelegateTransformer: ImageTransformer {
    private struct Parties {
        weak var delegate: (any SDWebImageTransformingDelegate)?
        weak var manager: WebImageManager?
    }

    private let parties: Locked<Parties>

    init(_ delegate: any SDWebImageTransformingDelegate, of manager: WebImageManager) {
        parties = Locked(Parties(delegate: delegate, manager: manager))
    }

    var transformerKey: String { "SDWebImageManagerDelegate" }

    func transformedImage(with image: Image, forKey key: String) -> Image? {
        let (delegate, manager) = parties.withLock { ($0.delegate, $0.manager) }
        guard let delegate, let manager else { return nil }
        let suffix = "-" + transformerKey
        let base = key.replacingOccurrences(of: suffix, with: "")
        return delegate.imageManager(manager, transformDownloadedImage: image, with: URL(string: base))
    }
}
