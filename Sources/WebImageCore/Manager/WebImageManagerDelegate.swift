public import Foundation

/// Decides about downloads and failed URLs; held weakly. Called on any thread.
@preconcurrency public protocol WebImageManagerDelegate: AnyObject, Sendable {
    /// Whether an image that no cache has may be fetched; a load that may not be ends as a miss. True unless
    /// implemented.
    func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool
    /// Whether a URL that failed so (a ``WebImageError``) is remembered and not tried again. The loader's word unless
    /// implemented.
    func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool
}

extension WebImageManagerDelegate {
    /// True.
    public func imageManager(_ imageManager: WebImageManager, shouldDownloadImageFor imageURL: URL) -> Bool { true }

    /// The loader's word.
    public func imageManager(
        _ imageManager: WebImageManager, shouldBlockFailedURL imageURL: URL, withError error: any Error
    ) -> Bool {
        LoaderWord.blocks
    }
}

/// What the loader says about the failure a delegate is being asked about.
enum LoaderWord {
    @TaskLocal static var blocks = false
}
