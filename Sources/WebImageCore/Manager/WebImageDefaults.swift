import Foundation

/// The default mechanisms, registered by the composition root before `main`.
///
/// Core contains the roles only; linking the product `WebImage` registers their defaults. Without it, `shared` objects
/// have no coder, no loader and only memory caching, and their errors say so.
package struct WebImageDefaults: Sendable {
    /// Makes the built-in coders; the last one is asked first.
    package var makeCoders: @Sendable () -> [any ImageCoder] = { [] }
    /// Makes the shared loader.
    package var makeLoader: @Sendable () -> any ImageLoader = { MissingImageLoader() }
    /// Makes a disk cache at a path; nil when the folder cannot be used.
    package var makeDiskCache: @Sendable (_ path: String, _ config: ImageCacheConfig) -> (any DiskCaching)? = { _, _ in
        nil
    }
    /// Redraws pixels at another size in the display's layout; nil without a graphics library.
    package var redrawPixels: WebImageRedraw?

    package init() {}

    /// Called once by the composition root.
    package static func register(_ defaults: WebImageDefaults) {
        ImageCodersManager.makeDefaultCoders.withLock { $0 = defaults.makeCoders }
        ImageCoderHelper.redrawPixels.withLock { $0 = defaults.redrawPixels }
        ImageLoadersManager.makeDefaultLoader.withLock { $0 = defaults.makeLoader }
        ImageCache.makeDefaultDiskCache.withLock { $0 = defaults.makeDiskCache }
    }
}
