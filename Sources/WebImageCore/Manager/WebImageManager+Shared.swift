import Foundation

extension WebImageManager {
    /// The manager used wherever no other is named: ``ImageCache/shared`` and the registered loaders, unless
    /// ``defaultImageCache`` or ``defaultImageLoader`` was set before its first use.
    public static let shared = WebImageManager()

    private static let defaults = Locked<(cache: (any ImageCaching)?, loader: (any ImageLoader)?)>((nil, nil))

    /// The cache managers made without one use; nil is ``ImageCache/shared``.
    public static var defaultImageCache: (any ImageCaching)? {
        get { defaults.withLock { $0.cache } }
        set { defaults.withLock { $0.cache = newValue } }
    }

    /// The loader managers made without one use; nil is ``ImageLoadersManager/shared``.
    public static var defaultImageLoader: (any ImageLoader)? {
        get { defaults.withLock { $0.loader } }
        set { defaults.withLock { $0.loader = newValue } }
    }

    /// A manager of its own over the default cache and loader.
    public convenience init() {
        self.init(
            cache: Self.defaultImageCache ?? ImageCache.shared,
            loader: Self.defaultImageLoader ?? ImageLoadersManager.shared)
    }
}
