import Foundation
import WebImage
import WebImageCompatibility

/// Forwards a manager's delegate calls to a delegate with SDWebImage's signatures. Failures are converted to
/// ``SDWebImageError``.
final class DelegateBridge: WebImageManagerDelegate {
    private struct WeakTarget { weak var delegate: (any SDWebImageManagerDelegate)? }
    private struct Installed {
        weak var manager: WebImageManager?
        var bridge: DelegateBridge
    }

    private let weakTarget: Locked<WeakTarget>
    /// The bridges of all managers. This dictionary references the bridges strongly, because managers reference their
    /// delegates weakly. Each call of ``install(_:on:)`` also removes the entries of released managers.
    private static let installed = Locked<[ObjectIdentifier: Installed]>([:])

    private init(_ target: any SDWebImageManagerDelegate) { weakTarget = Locked(WeakTarget(delegate: target)) }

    var target: (any SDWebImageManagerDelegate)? { weakTarget.withLock { $0.delegate } }

    static func of(_ manager: WebImageManager) -> DelegateBridge? {
        installed.withLock { $0[ObjectIdentifier(manager)] }.flatMap { $0.manager === manager ? $0.bridge : nil }
    }

    static func install(_ target: (any SDWebImageManagerDelegate)?, on manager: WebImageManager) {
        let bridge = target.map(DelegateBridge.init)
        let dropped = installed.withLock { entries in
            let old = entries
            entries = entries.filter { $0.value.manager != nil }
            entries[ObjectIdentifier(manager)] = bridge.map { Installed(manager: manager, bridge: $0) }
            return old
        }
        // Keep the removed bridges alive until here, so that they are released outside the lock.
        withExtendedLifetime(dropped) {}
        manager.ownDelegate = bridge
    }

    /// Whether the manager's loader blocks a failed URL.
    static func loaderBlocksFailedURL(_ manager: WebImageManager, _ url: URL, _ error: WebImageError) -> Bool {
        manager.ownImageLoader.shouldBlock(ImageDataLoad(url: url), after: error)
    }

    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool {
        target?.imageManager(imageManager, shouldDownloadImageFor: imageURL) ?? true
    }

    func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        let failure = WebImageError(original: error)
        guard let target else { return Self.loaderBlocksFailedURL(imageManager, imageURL, failure) }
        return target.imageManager(imageManager, shouldBlockFailedURL: imageURL, withError: SDWebImageError(failure))
    }

    func imageManager(
        _ imageManager: WebImageManager, transformDownloadedImage image: Image, with imageURL: URL
    ) -> Image? {
        guard let target else { return image }
        let (shown, url): (UIImage?, URL?) = (image, imageURL)
        return target.imageManager(imageManager, transformDownloadedImage: shown, with: url)
    }
}
