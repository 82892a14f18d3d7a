public import WebImageLoading

/// Options of one download. The bits have the same values as in SDWebImage.
public struct WebImageDownloaderOptions: OptionSet, Sendable, Hashable {
    /// The option bits.
    public let rawValue: UInt
    /// Creates a set from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Download after all downloads of normal priority.
    public static let lowPriority = WebImageDownloaderOptions(rawValue: 1 << 0)
    /// Deliver partial images while bytes arrive.
    public static let progressiveLoad = WebImageDownloaderOptions(rawValue: 1 << 1)
    /// Send stored cookies and store received cookies.
    public static let handleCookies = WebImageDownloaderOptions(rawValue: 1 << 5)
    /// Accept any server certificate.
    public static let allowInvalidSSLCertificates = WebImageDownloaderOptions(rawValue: 1 << 6)
    /// Download before all downloads of normal priority; takes precedence over ``lowPriority``.
    public static let highPriority = WebImageDownloaderOptions(rawValue: 1 << 7)
    /// Scale down an image whose decoded size exceeds the default memory limit.
    public static let scaleDownLargeImages = WebImageDownloaderOptions(rawValue: 1 << 8)
    /// Decode only the first frame.
    public static let decodeFirstFrameOnly = WebImageDownloaderOptions(rawValue: 1 << 10)
    /// Decode every frame of an animated image before delivering it.
    public static let preloadAllFrames = WebImageDownloaderOptions(rawValue: 1 << 11)
    /// Fail if the decoded image does not have the requested class.
    public static let matchAnimatedImageClass = WebImageDownloaderOptions(rawValue: 1 << 12)

    // The two pairs of numbers are bits without effect, which only the module `SDWebImage` names.
    private static let pairs: [(WebImageDownloaderOptions, WebImageOptions)] = [
        (.lowPriority, .lowPriority), (.progressiveLoad, .progressiveLoad),
        (Self(rawValue: 1 << 4), WebImageOptions(rawValue: 1 << 4)), (.handleCookies, .handleCookies),
        (.allowInvalidSSLCertificates, .allowInvalidSSLCertificates), (.highPriority, .highPriority),
        (.scaleDownLargeImages, .scaleDownLargeImages), (Self(rawValue: 1 << 9), WebImageOptions(rawValue: 1 << 18)),
        (.decodeFirstFrameOnly, .decodeFirstFrameOnly), (.preloadAllFrames, .preloadAllFrames),
        (.matchAnimatedImageClass, .matchAnimatedImageClass),
    ]

    /// Makes a set from the load options that affect a download.
    public init(_ options: WebImageOptions) {
        self = Self.pairs.reduce(into: []) { if options.contains($1.1) { $0.insert($1.0) } }
    }

    /// The load options with the same meaning.
    public var loadOptions: WebImageOptions {
        Self.pairs.reduce(into: []) { if contains($1.0) { $0.insert($1.1) } }
    }
}
