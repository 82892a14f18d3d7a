public import Foundation
public import WebImageCore

extension RequestFields {
    /// The values that say how a load fetches its bytes and where it delivers its result.
    package struct Loading: Equatable {
        @Compared package var loader: (any ImageLoader)?
        @Compared package var requestModifier: (any WebImageDownloaderRequestModifierProtocol)?
        @Compared package var responseModifier: (any WebImageDownloaderResponseModifierProtocol)?
        @Compared package var decryptor: (any WebImageDownloaderDecryptorProtocol)?
        package var alternativeURLs: [URL]?
        package var lowDataURL: URL?
        @Compared package var cachedImage: Image?
        @Compared package var callbackQueue: CallbackQueue?
        package var operationKey: String?
        @Uncompared package var pixelSizeReceiver: PixelSizeReceiver?

        /// The context keys of these values.
        static let keys: [WebImageContextOption: RequestField] = [
            .imageLoader: .value(\.loading._loader.wrappedValue),
            .downloadRequestModifier: .value(\.loading._requestModifier.wrappedValue),
            .downloadResponseModifier: .value(\.loading._responseModifier.wrappedValue),
            .downloadDecryptor: .value(\.loading._decryptor.wrappedValue),
            .alternativeSources: .value(\.loading.alternativeURLs),
            .lowDataSource: .value(\.loading.lowDataURL),
            .loaderCachedImage: .value(\.loading._cachedImage.wrappedValue),
            .callbackQueue: .value(\.loading._callbackQueue.wrappedValue),
            .setImageOperationKey: .value(\.loading.operationKey),
            .pixelSizeReceiver: .value(\.loading._pixelSizeReceiver.wrappedValue),
        ]
    }
}

extension WebImageContextOption {
    /// ``ImageLoader``: the loader to use instead of the manager's loader.
    public static let imageLoader = WebImageContextOption(rawValue: "imageLoader")
    /// ``WebImageDownloaderRequestModifierProtocol``: replaces the downloader's request modifier.
    public static let downloadRequestModifier = WebImageContextOption(rawValue: "downloadRequestModifier")
    /// ``WebImageDownloaderResponseModifierProtocol``: replaces the downloader's response modifier.
    public static let downloadResponseModifier = WebImageContextOption(rawValue: "downloadResponseModifier")
    /// ``WebImageDownloaderDecryptorProtocol``: replaces the downloader's decryptor.
    public static let downloadDecryptor = WebImageContextOption(rawValue: "downloadDecryptor")
    /// `[URL]`: further URLs of the image. If the URL of the load fails, the loader tries these URLs in their order.
    /// Requires an ``ImageLoadersManager`` as the loader.
    public static let alternativeSources = WebImageContextOption(rawValue: "alternativeSources")
    /// `URL`: the URL of a smaller version of the image. The loader tries this URL first if
    /// ``ImageLoadersManager/prefersLowData`` is true.
    public static let lowDataSource = WebImageContextOption(rawValue: "lowDataSource")
    /// ``Image``: the cached image that the load refreshes (`.refreshCached`). The manager sets this value for the
    /// loader. If the image on the server has not changed, the loader can fail with `.cacheNotModified`.
    public static let loaderCachedImage = WebImageContextOption(rawValue: "loaderCachedImage")
    /// ``CallbackQueue``: the queue on which completions run. The default is the main queue.
    public static let callbackQueue = WebImageContextOption(rawValue: "callbackQueue")
    /// `String`: identifies one of several concurrent loads of one view. Used only by views.
    public static let setImageOperationKey = WebImageContextOption(rawValue: "setImageOperationKey")
}

extension ImageRequest {
    /// The loader for this load. Nil, the default, uses the manager's loader.
    public var loader: (any ImageLoader)? {
        get { values.loader }
        set { values.loader = newValue }
    }

    /// The modifier that changes the HTTP request. Nil, the default, uses the downloader's modifier.
    public var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? {
        get { values.requestModifier }
        set { values.requestModifier = newValue }
    }

    /// The modifier that changes the head of the response. Nil, the default, uses the downloader's modifier.
    public var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        get { values.responseModifier }
        set { values.responseModifier = newValue }
    }

    /// The decryptor that converts the fetched bytes into the bytes of the image. Nil, the default, uses the
    /// downloader's decryptor.
    public var decryptor: (any WebImageDownloaderDecryptorProtocol)? {
        get { values.decryptor }
        set { values.decryptor = newValue }
    }

    /// Further URLs of the image. If ``url`` fails, the load tries these URLs in order.
    public var alternativeURLs: [URL]? {
        get { values.alternativeURLs }
        set { values.alternativeURLs = newValue }
    }

    /// The URL of a smaller image. The load tries this URL before ``url`` while ``ImageLoadersManager/prefersLowData``
    /// is true.
    public var lowDataURL: URL? {
        get { values.lowDataURL }
        set { values.lowDataURL = newValue }
    }

    /// For a refresh, the cached image that the load has already delivered. The manager sets this property before it
    /// calls the loader.
    public var cachedImage: Image? {
        get { values.cachedImage }
        set { values.cachedImage = newValue }
    }

    /// The queue on which completions run. Default the main queue.
    public var callbackQueue: CallbackQueue? {
        get { values.callbackQueue }
        set { values.callbackQueue = newValue }
    }

    /// Identifies one of several concurrent loads of one view. Used only by views.
    public var operationKey: String? {
        get { values.operationKey }
        set { values.operationKey = newValue }
    }
}
