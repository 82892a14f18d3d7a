import Foundation
import WebImageCore

extension WebImageManager {
    /// The default manager. It uses ``ImageCache/shared`` and the registered loaders, unless ``defaultImageCache`` or
    /// ``defaultImageLoader`` was set before the first use of this property.
    public static let shared = WebImageManager()

    private static let defaults = Locked<(cache: (any ImageCaching)?, loader: (any ImageLoader)?)>((nil, nil))

    /// The cache of managers that are created without a cache; nil means ``ImageCache/shared``.
    public static var defaultImageCache: (any ImageCaching)? {
        get { defaults.withLock { $0.cache } }
        set { defaults.withLock { $0.cache = newValue } }
    }

    /// The loader of managers that are created without a loader; nil means ``ImageLoadersManager/shared``.
    public static var defaultImageLoader: (any ImageLoader)? {
        get { defaults.withLock { $0.loader } }
        set { defaults.withLock { $0.loader = newValue } }
    }

    /// Creates a manager with the default cache and loader.
    public convenience init() {
        self.init(
            cache: Self.defaultImageCache ?? ImageCache.shared,
            loader: Self.defaultImageLoader ?? ImageLoadersManager.shared)
    }
}
