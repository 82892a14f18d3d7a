public import WebImageCore

/// Options of one load. The bits have the same values as in SDWebImage; the module
/// `SDWebImage` names the bits that have no effect.
public struct WebImageOptions: OptionSet, Sendable, Hashable {
    /// The option bits.
    public let rawValue: UInt
    /// Creates a set from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Try the URL even if it failed before.
    public static let retryFailed = WebImageOptions(rawValue: 1 << 0)
    /// Load after all loads of normal priority.
    public static let lowPriority = WebImageOptions(rawValue: 1 << 1)
    /// Deliver partial images during the download.
    public static let progressiveLoad = WebImageOptions(rawValue: 1 << 2)
    /// Deliver the cached image, then ask the server whether a newer image exists.
    public static let refreshCached = WebImageOptions(rawValue: 1 << 3)
    /// Send stored cookies and store received cookies.
    public static let handleCookies = WebImageOptions(rawValue: 1 << 5)
    /// Accept every server certificate, even an invalid one.
    public static let allowInvalidSSLCertificates = WebImageOptions(rawValue: 1 << 6)
    /// Load before all loads of normal priority. Overrides ``lowPriority``.
    public static let highPriority = WebImageOptions(rawValue: 1 << 7)
    /// Views only: do not show the placeholder during the load; show it only if the load ends without an image.
    public static let delayPlaceholder = WebImageOptions(rawValue: 1 << 8)
    /// Run transformers even on animated images. Without this option, animated images are not transformed.
    public static let transformAnimatedImage = WebImageOptions(rawValue: 1 << 9)
    /// Views only: pass the image to the completion and do not change the view.
    public static let avoidAutoSetImage = WebImageOptions(rawValue: 1 << 10)
    /// Reduce the decoded image so that its size in memory does not exceed the default limit.
    public static let scaleDownLargeImages = WebImageOptions(rawValue: 1 << 11)
    /// On a memory hit, also read the encoded data from disk.
    public static let queryMemoryData = WebImageOptions(rawValue: 1 << 12)
    /// Together with ``queryMemoryData``: read the data synchronously. The function that starts the load blocks its
    /// thread during the read.
    public static let queryMemoryDataSync = WebImageOptions(rawValue: 1 << 13)
    /// Read and decode the disk entry synchronously. The function that starts the load blocks its thread during this
    /// time.
    public static let queryDiskDataSync = WebImageOptions(rawValue: 1 << 14)
    /// Never call the loader. On a miss, the load completes without an image and without an error.
    public static let fromCacheOnly = WebImageOptions(rawValue: 1 << 15)
    /// Do not query the caches, but store the result in them.
    public static let fromLoaderOnly = WebImageOptions(rawValue: 1 << 16)
    /// Views only: run the transition for images from every origin, including memory.
    public static let forceTransition = WebImageOptions(rawValue: 1 << 17)
    /// Decode only the first frame.
    public static let decodeFirstFrameOnly = WebImageOptions(rawValue: 1 << 19)
    /// Decode every frame of an animated image before the image is delivered.
    public static let preloadAllFrames = WebImageOptions(rawValue: 1 << 20)
    /// Treat a cached image as a miss if it is not an instance of the requested class
    /// (``WebImageContextOption/animatedImageClass``).
    public static let matchAnimatedImageClass = WebImageOptions(rawValue: 1 << 21)
    /// Complete the load only after the caches have stored the result.
    public static let waitStoreCache = WebImageOptions(rawValue: 1 << 22)
    /// Run transformers even on vector images. Without this option, vector images are not transformed.
    public static let transformVectorImage = WebImageOptions(rawValue: 1 << 23)
    /// Views only: do not cancel the view's previous load.
    public static let avoidAutoCancelImage = WebImageOptions(rawValue: 1 << 24)
    /// Views only: complete the load only after the transition has ended.
    public static let waitTransition = WebImageOptions(rawValue: 1 << 25)
}

extension LoadPriority {
    /// Creates the priority of a load with these options. If both priority options are set, the priority is high.
    public init(_ options: WebImageOptions) {
        self = options.contains(.highPriority) ? .high : options.contains(.lowPriority) ? .low : .normal
    }
}
