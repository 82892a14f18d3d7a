public import Foundation

/// Bytes received, bytes expected (0 when unknown, -1 before the response), and the requested URL.
public typealias ImageLoaderProgressBlock =
    @Sendable (_ receivedSize: Int, _ expectedSize: Int, _ targetURL: URL?) -> Void

/// The image, its encoded data, the error, and whether this is the last call.
public typealias ImageLoaderCompletedBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ error: WebImageError?, _ finished: Bool) -> Void

/// The next bytes of a body and its response head; called on a serial queue of the loader.
public typealias ImageLoaderDataBlock = @Sendable (_ bytes: Data, _ response: WebImageResponse) -> Void

/// Fetches images for the manager; the signatures are SDWebImage's.
///
/// Called on any thread; must not block it. Loaders that return bytes and leave decoding to the manager adopt
/// ``ImageDataLoader``; then one download serves requests for several sizes.
@preconcurrency public protocol ImageLoader: Sendable {
    /// Whether this loader accepts the URL.
    func canRequestImage(for url: URL?) -> Bool
    /// Starts a load. `completed` must be called exactly once with `finished`, unless the operation is cancelled.
    func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)?
    /// Whether a URL that failed with this error is remembered and not tried again.
    func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool
    /// Whether this loader accepts the load; the manager calls this. Depends only on the URL unless implemented.
    func canRequestImage(for url: URL?, options: WebImageOptions, context: WebImageContext?) -> Bool
    /// Whether a URL that failed with this error is remembered; the manager calls this. Depends only on URL and error
    /// unless implemented.
    func shouldBlockFailedURL(
        with url: URL, error: WebImageError, options: WebImageOptions, context: WebImageContext?
    ) -> Bool
}

extension ImageLoader {
    /// The answer for the URL.
    public func canRequestImage(for url: URL?, options: WebImageOptions, context: WebImageContext?) -> Bool {
        canRequestImage(for: url)
    }

    /// The answer for the URL and the error.
    public func shouldBlockFailedURL(
        with url: URL, error: WebImageError, options: WebImageOptions, context: WebImageContext?
    ) -> Bool {
        shouldBlockFailedURL(with: url, error: error)
    }
}

/// A loader that fetches bytes; the manager decodes them.
@preconcurrency public protocol ImageDataLoader: ImageLoader {
    /// Fetches the bytes of a URL once for all concurrent callers.
    ///
    /// Cancelling the surrounding task leaves the shared load, which is cancelled when its last subscriber leaves.
    /// - Throws: `.cancelled` after a cancel, else the error of the download.
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult
    /// Returns which loads may share the bytes and which scope a cache entry has; by URL unless implemented.
    ///
    /// Called before any lookup, so it must be fast. Equal loads must give equal identities.
    func identity(of load: ImageDataLoad) -> LoadIdentity
    /// The scope of ``identity(of:)``, where it is faster to compute alone; taken from the identity unless implemented.
    func cacheScope(of load: ImageDataLoad) -> CacheScope
}

/// The input of a data loader.
public struct ImageDataLoad: Sendable {
    /// The URL to fetch.
    public var url: URL
    /// The options of the load.
    public var options: WebImageOptions
    /// The context of the load; its values do not change after the load began.
    public var context: WebImageContext? { requestContext.forRoles }
    /// The initial priority relative to other loads.
    public var priority: LoadPriority

    /// Called with bytes as they arrive, in order and without gaps; a late subscriber first receives the earlier bytes.
    public var receivedData: ImageLoaderDataBlock?
    /// The cached entry of this URL, for a load that revalidates it (`.refreshCached`).
    ///
    /// A loader that can confirm it returns the cached bytes with ``ImageDataResult/isNotModified``.
    public var cached: CachedResource? {
        get { cachedBox?.value }
        set { cachedBox = newValue.map(CachedBox.init) }
    }
    /// Whether there is a cached entry.
    package var hasCached: Bool { cachedBox != nil }

    /// Changes the priority while the load waits or runs; ``priority`` is its initial value.
    public var priorityHandle: LoadPriorityHandle?

    /// Receives the body of a load that was cancelled when at least 90 % had arrived, so that a cache can keep it.
    ///
    /// Without it, the last cancel ends the load.
    public var finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?

    package let requestContext: RequestContext
    /// The ``PreparedLoad/value`` that the loader made for this load; nil without preparation.
    package var prepared: (any AnyObject & Sendable)?
    // Boxed: the compiler (6.3) destroys short data within an optional within this struct as if it were a reference.
    private var cachedBox: CachedBox?

    private final class CachedBox: Sendable {
        let value: CachedResource
        init(_ value: CachedResource) { self.value = value }
    }

    /// Creates a load.
    public init(
        url: URL, options: WebImageOptions = [], context: WebImageContext? = nil, priority: LoadPriority = .normal
    ) {
        self.init(url: url, options: options, requestContext: RequestContext(context), priority: priority)
    }

    package init(
        url: URL, options: WebImageOptions, requestContext: RequestContext, priority: LoadPriority = .normal
    ) {
        self.url = url
        self.options = options
        self.priority = priority
        self.requestContext = requestContext
    }
}

/// The result of a data loader.
public struct ImageDataResult: Sendable {
    /// The whole body; a large one may be a mapped file.
    public var data: Data
    /// The head of the response.
    public var response: WebImageResponse
    /// Whether these are the bytes of ``ImageDataLoad/cached``, confirmed as current (304, still fresh, or identical
    /// bytes).
    public var isNotModified = false
    /// Opaque metadata of the loader to be stored with the body, also when it is not modified; nil removes stored
    /// metadata.
    public var metadata: Data? {
        get { made.isMade ? made.value : describeResource?() }
        set { made = (true, newValue) }
    }
    private var made: (isMade: Bool, value: Data?) = (false, nil)
    private var describeResource: (@Sendable () -> Data?)?

    /// Sets a closure that makes the metadata on first use: most results are used without it.
    package mutating func describe(_ make: @escaping @Sendable () -> Data?) { describeResource = make }

    /// Whether a disk cache may keep the body (false under `Cache-Control: no-store`).
    public var mayBeStored = true
    /// Whether this is the smaller image of `.lowDataSource`, which must not be stored under the key of the full image.
    package var isLowDataImage = false

    /// Pairs a body with its response head.
    public init(data: Data, response: WebImageResponse) {
        self.data = data
        self.response = response
    }
}
