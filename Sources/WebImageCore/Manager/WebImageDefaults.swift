import Foundation

/// The mechanisms that policy uses when nobody names others, registered by the composition root before `main`.
///
/// Core knows roles alone; linking the product `WebImage` fills this in. Without it `shared` objects work with what
/// there is: no coder, no loader, memory caching only, and errors that say so.
package struct WebImageDefaults: Sendable {
    /// The built-in coders, the one asked first at the end.
    package var makeCoders: @Sendable () -> [any ImageCoder] = { [] }
    /// The shared loader.
    package var makeLoader: @Sendable () -> any ImageLoader = { MissingImageLoader() }
    /// A disk cache at a path, nil when the folder cannot be used.
    package var makeDiskCache: @Sendable (_ path: String, _ config: ImageCacheConfig) -> (any DiskCaching)? = { _, _ in
        nil
    }
    /// Pixels at another size in the display's layout; nil without a graphics library.
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
