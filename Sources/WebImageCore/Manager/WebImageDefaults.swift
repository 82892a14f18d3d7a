import Foundation

/// The mechanisms that policy uses when nobody names others, registered by the composition root before `main`.
///
/// Core knows roles alone; linking the product `WebImage` fills this in. Without it `shared` objects work with what
/// there is: no coder, no loader, memory caching only, and errors that say so.
package struct WebImageDefaults: Sendable {
    /// The built-in coders, the one asked first at the end.
    package var makeCoders: @Sendable () -> [any ImageCoder] = { [] }
    /// The shared loader.
    package var makeLoader: @Sendable () -> any ImageLoader = { MissingLoader() }
    /// A disk cache at a path, nil when the folder cannot be used.
    package var makeDiskCache: @Sendable (_ path: String, _ config: ImageCacheConfig) -> (any DiskCaching)? = { _, _ in
        nil
    }
    /// Pixels at another size in the display's layout; nil without a graphics library.
    package var redrawPixels:
        (@Sendable (_ pixels: PixelBuffer, _ size: PixelSize, _ isOpaque: Bool) throws(WebImageError) -> PixelBuffer)?

    package init() {}

    private static let registered = Locked(WebImageDefaults())

    package static var current: WebImageDefaults { registered.withLock { $0 } }

    /// Called once by the composition root.
    package static func register(_ defaults: WebImageDefaults) {
        registered.withLock { $0 = defaults }
    }
}

private struct MissingLoader: ImageLoader {
    func canRequestImage(for url: URL?) -> Bool { true }

    func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        completed?(
            nil, nil,
            WebImageError(
                .invalidDownloadOperation, stage: .download, url: url, underlying: .message("no loader is registered"),
                hint: "Link the product WebImage, or give the manager a loader."), true)
        return nil
    }

    func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool { false }
}
