public import WebImageHTTP
public import WebImageLoading

// Options of SDWebImage that have no effect in this library.

extension WebImageOptions {
    /// Finish the download in the background. Has no effect on Linux, where programs are not suspended.
    public static let continueInBackground = WebImageOptions(rawValue: 1 << 4)
    /// Has no effect, because images are always fully decoded before delivery.
    public static let avoidDecodeImage = WebImageOptions(rawValue: 1 << 18)
}

extension WebImageDownloaderOptions {
    /// Finish the download in the background. Has no effect on Linux, where programs are not suspended.
    public static let continueInBackground = WebImageDownloaderOptions(rawValue: 1 << 4)
    /// Has no effect, because images are always fully decoded before delivery.
    public static let avoidDecodeImage = WebImageDownloaderOptions(rawValue: 1 << 9)
}

extension WebImageContextOption {
    /// ``WebImageCore/ImageForceDecodePolicy``: has no effect, because images are always fully decoded before delivery.
    public static let imageForceDecodePolicy = WebImageContextOption(rawValue: "imageForceDecodePolicy")
}
