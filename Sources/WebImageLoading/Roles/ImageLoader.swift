public import Foundation
public import WebImageCore

/// Receives the progress of a load: the number of received bytes, the number of expected bytes, and the requested URL.
/// The number of expected bytes is -1 before the response, and 0 if the response does not contain the number.
public typealias ImageLoaderProgressBlock =
    @Sendable (_ receivedSize: Int, _ expectedSize: Int, _ targetURL: URL?) -> Void

/// A block that receives the image, its encoded data, the error, and whether this is the last call.
public typealias ImageLoaderCompletedBlock =
    @Sendable (_ image: Image?, _ data: Data?, _ error: WebImageError?, _ finished: Bool) -> Void

/// Receives the next bytes of a body and the response head. The loader calls the block on a serial queue.
public typealias ImageLoaderDataBlock = @Sendable (_ bytes: Data, _ response: WebImageResponse) -> Void

/// Fetches pictures for the manager.
///
/// A loader returns encoded bytes, which the manager decodes: one fetch serves requests with different sizes. A loader that
/// can return only decoded images declares ``LoaderCapabilities/returnsImages``. The functions can be called on any thread.
///
/// Only ``loadData(for:progress:)`` must be implemented. A loader for one scheme also declares it in ``capabilities``.
@preconcurrency public protocol ImageLoader: Sendable {
    /// What the loader can do. Read once: when it is registered, or when a load names it.
    var capabilities: LoaderCapabilities { get }
    /// Whether this loader accepts a load. The manager calls this function before it queries the caches, so it must be fast.
    /// By default, a loader accepts all URLs of its declared schemes, and every URL if it declares none.
    func canLoad(_ load: ImageDataLoad) -> Bool
    /// Fetches the bytes of a URL. Concurrent calls with the same ``identity(of:)`` should share one download.
    ///
    /// If the task of one caller is cancelled, only the call of this task ends. The shared download is cancelled when
    /// the tasks of all its callers are cancelled.
    /// - Throws: `.cancelled` after a cancel, otherwise the error of the download.
    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult
    /// Whether the manager must remember the URL of a load that failed with this error, and must not load this URL again. By
    /// default, whether the URL itself causes the failure: it is malformed, its content is not an image, or the HTTP status is
    /// 404, 410 or 451.
    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool
    /// Returns the identity of a load. It determines which loads share one download, and the scope of their cache
    /// entry. In the default implementation, loads share a download if their URLs and certain options are equal.
    ///
    /// The manager calls this function before it queries the caches. Therefore the function must be fast. Equal loads
    /// must have equal identities. Not called for a loader that returns images.
    func identity(of load: ImageDataLoad) -> LoadIdentity
    /// Returns only the scope of ``identity(of:)``. The default implementation computes the whole identity. Implement
    /// this function if the scope can be computed faster.
    func cacheScope(of load: ImageDataLoad) -> CacheScope
    /// Called when the bytes that the loader returned for a load could not be decoded. A loader that keeps bytes of its own
    /// removes these, so that a later load fetches them again; one that passes loads to another loader passes this on. A load
    /// with another coder may be able to decode them. Must return soon. The default implementation does nothing.
    func discard(_ body: Data, of load: ImageDataLoad, after error: WebImageError)
}

extension ImageLoader {
    /// A loader that is asked about every URL and returns bytes.
    public var capabilities: LoaderCapabilities { LoaderCapabilities() }

    /// Whether the URL has one of the declared schemes; true if none are declared.
    public func canLoad(_ load: ImageDataLoad) -> Bool {
        capabilities.schemes.map { load.url.absoluteString.hasScheme(in: $0) } ?? true
    }

    /// Whether the URL itself causes the failure.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { error.shouldBlockURL }

    /// Does nothing.
    public func discard(_ body: Data, of load: ImageDataLoad, after error: WebImageError) {}
}

/// What a loader can do. A loader declares it as a value, so that no code depends on the loader's type.
public struct LoaderCapabilities: Sendable {
    /// The only schemes that the loader accepts, in lower case; nil if it must be asked about every URL. Errors list them as
    /// the supported ones.
    public var schemes: [String]?
    /// Whether the loader returns decoded images (``ImageDataResult/image``). It then receives the load of each size and of
    /// each other decoding option, and only loads with equal decoding options share it.
    public var returnsImages: Bool

    /// Whether every plain load currently has the shared scope, so that the manager need not determine the scope of each. A
    /// load is plain if its context has no value for the loader, and its options enable neither cookies nor untrusted
    /// certificates. Asked at every memory hit, with the text of the URL. Nil for a loader that does not say.
    package var sharesPlainLoads: (@Sendable (_ url: String) -> Bool)?
    /// How the loader prepares loads; nil if it does not.
    package var preparation: LoadPreparation?

    /// Declares a loader.
    ///
    /// - Parameters:
    ///   - schemes: The only schemes that it accepts, in lower case; nil if it must be asked about every URL.
    ///   - returnsImages: Whether it returns decoded images instead of bytes.
    public init(schemes: [String]? = nil, returnsImages: Bool = false) {
        (self.schemes, self.returnsImages) = (schemes, returnsImages)
    }

    /// Declares a loader of this package that sends no credentials.
    package init(ownSchemes schemes: [String]) {
        self.init(schemes: schemes)
        sharesPlainLoads = { _ in true }
    }
}

/// How a loader computes the identity of a load from the HTTP request that it will send, so that it builds this request only
/// once, for the identity and for the download.
package struct LoadPreparation: Sendable {
    /// Prepares a load. The identity in the result is equal to the result of ``ImageLoader/identity(of:)``.
    package var prepare: @Sendable (ImageDataLoad) -> PreparedLoad
    /// Prepares a load to determine its scope. Returns nil if the loader does not have to prepare the load. In this
    /// case the context of the load determines the scope; if the context contains no scope, the scope is
    /// ``CacheScope/shared``.
    package var prepareForScope: @Sendable (ImageDataLoad) -> PreparedLoad?
    /// The reason why the policy of the loader forbids a local file; nil if it may be read. ``ImageLoadersManager`` asks
    /// every such loader before any of its loads of a `file:` URL, also if another loader reads the file.
    package var refusalOfFile: @Sendable (URL) -> WebImageError?

    package init(
        prepare: @escaping @Sendable (ImageDataLoad) -> PreparedLoad,
        prepareForScope: @escaping @Sendable (ImageDataLoad) -> PreparedLoad?,
        refusalOfFile: @escaping @Sendable (URL) -> WebImageError?
    ) {
        (self.prepare, self.prepareForScope, self.refusalOfFile) = (prepare, prepareForScope, refusalOfFile)
    }
}

/// The input of a loader.
public struct ImageDataLoad: Sendable {
    /// The request of the load. Its values do not change after the load has begun.
    package var request: ImageRequest
    /// The URL to fetch.
    public var url: URL {
        get { request.url }
        set { request.url = newValue }
    }
    /// The options of the load.
    public var options: WebImageOptions {
        get { request.options }
        set { request.options = newValue }
    }
    /// The context of the load. Its values do not change after the load has begun.
    public var context: WebImageContext? { request.context }
    /// The initial priority of the load.
    public var priority: LoadPriority

    /// Receives the bytes during the download, in order and without gaps. A subscriber that joins a running download
    /// first receives the bytes that arrived earlier.
    public var receivedData: ImageLoaderDataBlock?
    /// Receives the partial images of a loader that returns images; nil if nobody needs them. After the result, it does
    /// nothing.
    public var receivedImage: (@Sendable (Image) -> Void)?
    /// Whether the caller needs the progress of the download while it runs. If it does not, the loader may call the
    /// progress block only once, after the last byte.
    package var progressDemand = ProgressDemand.always
    /// Loads with different numbers share no download. After a purge, a download that began before it has the old bytes.
    package var epoch = 0
    /// Receives the body of the response when its head has arrived, for callers that read it while it grows. Only a
    /// downloader calls the function, once for each body: after a failed attempt, another one can follow. It is called on
    /// the thread that receives all bodies, so it must return quickly.
    package var receivedBody: (@Sendable (GrowingBody, WebImageResponse) -> Void)?
    /// The cached entry that this load revalidates (`.refreshCached`); nil if the load does not revalidate an entry.
    ///
    /// If the entry is current, the loader must return the cached bytes and set ``ImageDataResult/isNotModified``.
    public var cached: EncodedResource? {
        get { cachedBox?.value }
        set { cachedBox = newValue.map(CachedBox.init) }
    }
    /// Judges ``cached`` instead of the loader's own rules; nil for those of a private cache. Called at most twice: before the
    /// request, and after its failure.
    package var verdict: (@Sendable (EncodedResource) -> CachedVerdict)?
    /// Whether there is a cached entry.
    package var hasCached: Bool { cachedBox != nil }

    /// Changes the priority while the load waits or runs. ``priority`` is the initial value.
    public var priorityHandle: LoadPriorityHandle?

    /// Receives the complete body of a cancelled load, so that a cache can store the body. The download continues after
    /// the cancel of its last subscriber only if the body is nearly complete, for a short time, and until another
    /// download needs its slot.
    ///
    /// If this property is nil, the download ends when its last subscriber cancels.
    public var finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?

    /// Whether the part of the body that has arrived when the load is cancelled is kept, so that a later load continues it.
    package var keepsPart = true

    /// What a loader that stands on a downloader needs otherwise than a plain load; nil for a plain load.
    package var terms: FetchTerms?

    /// The ``PreparedLoad/value`` that the loader created for this load; nil if the load was not prepared.
    package var prepared: (any AnyObject & Sendable)?
    // The box avoids a compiler bug (Swift 6.3). Without the box, the compiler destroys a short `Data` in an optional
    // property of this struct as if the `Data` were a reference.
    private var cachedBox: CachedBox?

    private final class CachedBox: Sendable {
        let value: EncodedResource
        init(_ value: EncodedResource) { self.value = value }
    }

    /// Creates a load.
    public init(
        url: URL, options: WebImageOptions = [], context: WebImageContext? = nil, priority: LoadPriority = .normal
    ) {
        self.init(ImageRequest(url: url, options: options, context: context), priority: priority)
    }

    package init(_ request: ImageRequest, priority: LoadPriority = .normal) {
        self.request = request
        self.priority = priority
    }
}

/// What a loader that stands on a downloader needs otherwise than a plain load.
package final class FetchTerms: Sendable {
    /// The value of `Accept` in place of the default; nil for the default.
    package let acceptField: String?
    /// The media types that are accepted besides those of the configuration.
    package let contentTypes: Set<String>
    /// The page that names the URL; nil if the caller names it. The URL is then treated like the target of a redirect.
    package let page: URL?
    /// Header fields of this request only. A request modifier can change them.
    package let fields: [String: String]
    /// Whether a part of a body (206) is accepted, whatever the status codes of the configuration are.
    package let acceptsParts: Bool

    package init(
        acceptField: String? = nil, contentTypes: Set<String> = [], page: URL? = nil, fields: [String: String] = [:],
        acceptsParts: Bool = false
    ) {
        (self.acceptField, self.contentTypes, self.page) = (acceptField, contentTypes, page)
        (self.fields, self.acceptsParts) = (fields, acceptsParts)
    }
}

/// What may be done with a cached entry.
package enum CachedVerdict: Sendable {
    /// It may be used without a request.
    case fresh
    /// It may be used if a request for it fails.
    case usableAfterError
    /// It must be revalidated.
    case unusable
}

/// A body while it is being received. Bytes are only appended. Any thread may read it.
package struct GrowingBody: Sendable {
    /// Identifies the body.
    package let id: ObjectIdentifier
    /// Returns the number of bytes that have arrived.
    package let count: @Sendable () -> Int
    /// Returns bytes behind the first bytes of this number; empty if none have arrived. One call need not return all of them.
    package let piece: @Sendable (_ offset: Int) -> Data
    /// Calls a function each time bytes have arrived, on the thread that receives them. It must return quickly, and must not
    /// retain this value.
    package let whenGrown: @Sendable (_ listener: @escaping @Sendable () -> Void) -> Void
    /// Returns the head of the response as a cache stores it, with the servers that led to it; nil if it is not described.
    package var metadata: @Sendable () -> Data? = { nil }

    package init(
        id: ObjectIdentifier, count: @escaping @Sendable () -> Int, piece: @escaping @Sendable (Int) -> Data,
        whenGrown: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.id, self.count, self.piece, self.whenGrown) = (id, count, piece, whenGrown)
    }
}

/// The result of a loader.
public struct ImageDataResult: Sendable {
    /// The whole body. The bytes of a large body can be in a file that is mapped into memory.
    public var data: Data
    /// The decoded image, of a loader that returns images; nil for a loader that returns bytes. ``data`` may then be empty.
    public var image: Image?
    /// The head of the response.
    public var response: WebImageResponse
    /// Whether the bytes are the bytes of ``ImageDataLoad/cached``, and the loader has confirmed that they are current.
    /// This is the case if the response status was 304, if the entry was still fresh, or if the downloaded bytes were
    /// identical.
    public var isNotModified = false
    /// The loader's metadata, which the cache does not interpret. The cache stores the metadata with the body, even
    /// if the body is not modified. Nil removes metadata that is already stored.
    public var metadata: Data? {
        get { made.isMade ? made.value : describeResource?() }
        set { made = (true, newValue) }
    }
    private var made: (isMade: Bool, value: Data?) = (false, nil)
    private var describeResource: (@Sendable () -> Data?)?

    /// Sets a closure that creates the metadata when ``metadata`` is read. For most results, ``metadata`` is never
    /// read. In this case the closure never runs.
    package mutating func describe(_ make: @escaping @Sendable () -> Data?) { describeResource = make }

    /// Data that becomes the ``Image/extendedObject`` of the image, and that the cache stores with the body. Nil leaves the
    /// image and the entry without.
    public var extended: Data?

    /// Whether a disk cache is allowed to store the body. False for a response with `Cache-Control: no-store`.
    public var mayBeStored = true
    /// Whether the body is the smaller image of `.lowDataSource`. This image must not be stored under the key of the
    /// full image.
    package var isLowDataImage = false

    /// Creates a result from a body and its response head.
    public init(data: Data, response: WebImageResponse) {
        self.data = data
        self.response = response
    }

    /// Creates a result from the start of a body that was not fetched to its end, as a server would have sent it for a range.
    ///
    /// - Parameter total: The number of bytes of the whole body.
    package init(start: Data, of head: WebImageResponse, total: Int) {
        var fields = head.allHeaderFields.filter { !["content-length", "content-range"].contains($0.key.lowercased()) }
        fields["content-range"] = "bytes 0-\(start.count - 1)/\(total)"
        var part = head
        (part.statusCode, part.allHeaderFields, part.expectedContentLength) = (206, fields, start.count)
        self.init(data: start, response: part)
        mayBeStored = false
    }

    /// Creates the result of a loader that returns images.
    ///
    /// - Parameter data: The encoded bytes of the image, if the loader has them; empty otherwise.
    public init(image: Image, data: Data = Data(), url: URL) {
        self.init(data: data, response: WebImageResponse(url: url))
        self.image = image
    }
}

/// A loader that can fetch a part of a body.
package protocol PartLoader: ImageLoader {
    /// Fetches a range. The result has the status 206 and its `Content-Range`; or 200 and the whole body, if the server knows no
    /// ranges or the body no longer has the validator.
    func loadPart(
        _ range: Range<Int>, of load: ImageDataLoad, if validator: String?
    ) async throws(WebImageError) -> ImageDataResult

    /// Fetches the body as `loadData(for:progress:)` does, with the same requests, but ends it early if it is read in parts.
    /// Then the result has the status 206 and the bytes that have arrived, at least `startBytes`.
    ///
    /// - Parameter isReadInParts: Decides by the first bytes and the number of all bytes, at most once for each body. It must
    ///   return quickly.
    func loadStart(
        of load: ImageDataLoad, startBytes: Int, progress: ImageLoaderProgressBlock?,
        isReadInParts: @escaping @Sendable (_ start: Data, _ total: Int) -> Bool
    ) async throws(WebImageError) -> ImageDataResult
}
