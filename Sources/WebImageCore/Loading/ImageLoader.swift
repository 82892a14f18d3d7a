public import Foundation

/// Reports progress: the bytes received, the bytes expected (0 if unknown, -1 before the response), and the requested
/// URL.
public typealias ImageLoaderProgressBlock =
    @Sendable (_ receivedSize: Int, _ expectedSize: Int, _ targetURL: URL?) -> Void

/// A block that receives the image, its encoded data, the error, and whether this is the last call.
public typealias ImageLoaderCompletedBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ error: WebImageError?, _ finished: Bool) -> Void

/// Receives the next bytes of a body and the response head. Called on a serial queue of the loader.
public typealias ImageLoaderDataBlock = @Sendable (_ bytes: Data, _ response: WebImageResponse) -> Void

/// Fetches images for the manager. The function signatures are those of SDWebImage.
///
/// The functions are called on any thread and must not block it. A loader that returns bytes and leaves decoding to the
/// manager adopts ``ImageDataLoader``. Then one download serves requests for several sizes.
@preconcurrency public protocol ImageLoader: Sendable {
    /// Whether this loader accepts the URL.
    func canRequestImage(for url: URL?) -> Bool
    /// Starts a load. The loader must call `completed` exactly once with `finished` = true, unless the operation is
    /// cancelled.
    func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)?
    /// Whether a URL that failed with this error is remembered and not tried again.
    func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool
    /// Whether this loader accepts the load. The manager calls this function. The default implementation considers only
    /// the URL.
    func canRequestImage(for url: URL?, options: WebImageOptions, context: WebImageContext?) -> Bool
    /// Whether a URL that failed with this error is remembered and not tried again. The manager calls this function.
    /// The default implementation considers only the URL and the error.
    func shouldBlockFailedURL(
        with url: URL, error: WebImageError, options: WebImageOptions, context: WebImageContext?
    ) -> Bool
}

extension ImageLoader {
    /// Returns the result of ``canRequestImage(for:)``.
    public func canRequestImage(for url: URL?, options: WebImageOptions, context: WebImageContext?) -> Bool {
        canRequestImage(for: url)
    }

    /// Returns the result of ``shouldBlockFailedURL(with:error:)``.
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
    /// If the surrounding task is cancelled, this caller leaves the shared load. The shared load is cancelled when
    /// its last subscriber leaves.
    /// - Throws: `.cancelled` after a cancel, otherwise the error of the download.
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult
    /// Returns which loads may share the bytes and which scope their cache entry has. The default implementation
    /// shares by URL.
    ///
    /// Called before any lookup, so it must be fast. Equal loads must give equal identities.
    func identity(of load: ImageDataLoad) -> LoadIdentity
    /// Returns only the scope of ``identity(of:)``. Implement it if the scope is faster to compute than the whole
    /// identity; the default implementation computes the identity.
    func cacheScope(of load: ImageDataLoad) -> CacheScope
}

/// The input of a data loader.
public struct ImageDataLoad: Sendable {
    /// The URL to fetch.
    public var url: URL
    /// The options of the load.
    public var options: WebImageOptions
    /// The context of the load. Its values do not change after the load has begun.
    public var context: WebImageContext? { requestContext.forRoles }
    /// The initial priority relative to other loads.
    public var priority: LoadPriority

    /// Receives the bytes as they arrive, in order and without gaps. A subscriber that joins late first receives the
    /// earlier bytes.
    public var receivedData: ImageLoaderDataBlock?
    /// The cached entry of this URL, for a load that revalidates it (`.refreshCached`).
    ///
    /// If the loader confirms that the entry is current, it returns the cached bytes and sets
    /// ``ImageDataResult/isNotModified``.
    public var cached: CachedResource? {
        get { cachedBox?.value }
        set { cachedBox = newValue.map(CachedBox.init) }
    }
    /// Whether there is a cached entry.
    package var hasCached: Bool { cachedBox != nil }

    /// Changes the priority while the load waits or runs. ``priority`` is the initial value.
    public var priorityHandle: LoadPriorityHandle?

    /// Receives the body of a load that was cancelled after at least 90 % of the body had arrived, so that a cache can
    /// store it.
    ///
    /// If nil, the load ends when its last subscriber cancels.
    public var finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?

    package let requestContext: RequestContext
    /// The ``PreparedLoad/value`` that the loader made for this load; nil without preparation.
    package var prepared: (any AnyObject & Sendable)?
    // Boxed to avoid a compiler bug (Swift 6.3): in an optional property of this struct, the compiler destroys a short
    // `Data` as if it were a reference.
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
    /// The whole body. A large body may be a file that is mapped into memory.
    public var data: Data
    /// The head of the response.
    public var response: WebImageResponse
    /// Whether the bytes are those of ``ImageDataLoad/cached``, confirmed as current: the response was 304, the entry
    /// was still fresh, or the downloaded bytes were identical.
    public var isNotModified = false
    /// Opaque metadata of the loader. It is stored with the body, even if the body is not modified. Nil removes stored
    /// metadata.
    public var metadata: Data? {
        get { made.isMade ? made.value : describeResource?() }
        set { made = (true, newValue) }
    }
    private var made: (isMade: Bool, value: Data?) = (false, nil)
    private var describeResource: (@Sendable () -> Data?)?

    /// Sets a closure that creates the metadata on first use, because most results are used without their metadata.
    package mutating func describe(_ make: @escaping @Sendable () -> Data?) { describeResource = make }

    /// Whether a disk cache may store the body (false with `Cache-Control: no-store`).
    public var mayBeStored = true
    /// Whether this is the smaller image of `.lowDataSource`. It must not be stored under the key of the full image.
    package var isLowDataImage = false

    /// Creates a result from a body and its response head.
    public init(data: Data, response: WebImageResponse) {
        self.data = data
        self.response = response
    }
}
