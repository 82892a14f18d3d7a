public import Foundation

/// Bytes received, bytes expected (0 when unknown, -1 before anything is known), and the URL asked for.
public typealias ImageLoaderProgressBlock =
    @Sendable (_ receivedSize: Int, _ expectedSize: Int, _ targetURL: URL?) -> Void

/// The image, its encoded data, the failure, and whether this is the last call.
public typealias ImageLoaderCompletedBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ error: WebImageError?, _ finished: Bool) -> Void

/// The next bytes of a body and the head they belong to; called on one serial queue of the loader's.
public typealias ImageLoaderDataBlock = @Sendable (_ bytes: Data, _ response: WebImageResponse) -> Void

/// Fetches images for the manager; the shape is the original's.
///
/// Called on any thread; must not block it. Loaders that deliver bytes and leave decoding to the manager adopt
/// ``ImageDataLoader``, so that one download serves requests for several sizes.
@preconcurrency public protocol ImageLoader: Sendable {
    /// Whether this loader is the one for such a URL.
    func canRequestImage(for url: URL?) -> Bool
    /// Starts a load; `completed` must be called exactly once with `finished`, unless the operation is cancelled.
    func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)?
    /// Whether a URL that failed so is remembered and not tried again.
    func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool
    /// Whether this loader is the one for such a load; the manager asks this. By the URL alone unless implemented.
    func canRequestImage(for url: URL?, options: WebImageOptions, context: WebImageContext?) -> Bool
    /// Whether a URL that failed so is remembered; the manager asks this. By URL and error alone unless implemented.
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
    /// Fetches the bytes of a URL once for all who ask at the same time.
    ///
    /// Cancelling the surrounding task leaves the shared load; it ends when the last one leaves.
    /// - Throws: `.cancelled` after a cancel, else what went wrong.
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult
    /// Which other loads may share the bytes of this one, and who may see them in a cache; by URL unless implemented.
    ///
    /// Asked before any lookup, so it must be quick; the same load must give an equal answer.
    func identity(of load: ImageDataLoad) -> LoadIdentity
    /// The scope of ``identity(of:)`` alone, where that is quicker to say; taken from there unless implemented.
    func cacheScope(of load: ImageDataLoad) -> CacheScope
}

/// What a data loader is asked for.
public struct ImageDataLoad: Sendable {
    /// What to fetch.
    public var url: URL
    /// How the load is to behave.
    public var options: WebImageOptions
    /// The load's context; its values are never changed after the load began.
    public var context: WebImageContext? { requestContext.forRoles }
    /// When to fetch it, relative to others.
    public var priority: LoadPriority

    /// Called with bytes as they arrive, in order and without gaps; who joins late gets what there was first.
    public var receivedData: ImageLoaderDataBlock?
    /// What a cache holds of this URL, for a load that asks whether it is still the newest (`.refreshCached`).
    ///
    /// A loader that can confirm it answers with ``ImageDataResult/isNotModified`` and the cached bytes.
    public var cached: CachedResource? {
        get { cachedBox?.value }
        set { cachedBox = newValue.map(CachedBox.init) }
    }
    /// Whether there is anything of it in a cache.
    package var hasCached: Bool { cachedBox != nil }

    /// Through which the priority can be raised while the load waits or runs; ``priority`` is where it begins.
    public var priorityHandle: LoadPriorityHandle?

    /// Gets the body of a load that was cancelled when it was nearly done (90 %), so that a cache can keep it.
    ///
    /// Without it a load ends with its last cancel.
    public var finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?

    package let requestContext: RequestContext
    /// The loader's own ``PreparedLoad/value`` of this very load; nil before.
    package var prepared: (any AnyObject & Sendable)?
    // Boxed: the compiler (6.3) destroys short data within an optional within this struct as if it were a reference.
    private var cachedBox: CachedBox?

    private final class CachedBox: Sendable {
        let value: CachedResource
        init(_ value: CachedResource) { self.value = value }
    }

    /// Describes a load.
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

/// What a data loader delivers.
public struct ImageDataResult: Sendable {
    /// The whole body; a large one may be a mapped file.
    public var data: Data
    /// The head of the answer.
    public var response: WebImageResponse
    /// Whether these are the cached bytes of ``ImageDataLoad/cached``, confirmed (304, still fresh, or byte for byte the
    /// same).
    public var isNotModified = false
    /// Opaque bytes of the loader's to be kept beside the body, also when it is not modified; nil removes those kept.
    public var metadata: Data? {
        get { made.isMade ? made.value : describeResource?() }
        set { made = (true, newValue) }
    }
    private var made: (isMade: Bool, value: Data?) = (false, nil)
    private var describeResource: (@Sendable () -> Data?)?

    /// Has the metadata made when it is asked for: most bodies are never asked.
    package mutating func describe(_ make: @escaping @Sendable () -> Data?) { describeResource = make }

    /// Whether a disk cache may keep the body (false under `Cache-Control: no-store`).
    public var mayBeStored = true
    /// Whether it is the smaller picture of `.lowDataSource`, which no cache may keep under the full picture's key.
    package var isStandIn = false

    /// Pairs a body with its head.
    public init(data: Data, response: WebImageResponse) {
        self.data = data
        self.response = response
    }
}
