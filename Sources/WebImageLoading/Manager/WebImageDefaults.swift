import Foundation
package import WebImageCore

/// The default implementations of coders, loader and disk cache. The product `WebImage` registers them before `main`
/// runs.
///
/// Core declares only the protocols. In a program that does not link `WebImage`, the `shared` objects have no coder, no
/// loader and no disk cache. Their errors name the missing part.
package struct WebImageDefaults: Sendable {
    /// Makes the built-in coders; the last coder is checked first.
    package var makeCoders: @Sendable () -> [any ImageCoder] = { [] }
    /// Makes the shared loader.
    package var makeLoader: @Sendable () -> any ImageLoader = { MissingImageLoader() }
    /// Creates a disk cache at a path; nil if the path can never be used.
    package var makeDiskCache: @Sendable (_ path: String, _ config: ImageCacheConfig) -> (any DiskCaching)? = { _, _ in
        nil
    }
    /// Redraws pixels at another size, in the pixel layout of the display; nil without a graphics library.
    package var redrawPixels: WebImageRedraw?

    package init() {}

    /// Registers the default implementations. The product `WebImage` calls this once.
    package static func register(_ defaults: WebImageDefaults) {
        ImageCodersManager.makeDefaultCoders.withLock { $0 = defaults.makeCoders }
        ImageCoderHelper.redrawPixels.withLock { $0 = defaults.redrawPixels }
        ImageLoadersManager.makeDefaultLoader.withLock { $0 = defaults.makeLoader }
        ImageCache.makeDefaultDiskCache.withLock { $0 = defaults.makeDiskCache }
    }
}
