import Foundation
public import WebImageCore
public import WebImageLoading

/// The parameters of one transfer. This is a class, so that all users of the parameters share one copy. The few
/// functions that change a parameter create a new object.
public final class WebImageDownloaderJob: Sendable {
    /// The request to send.
    public let request: WebImageRequest
    /// The options of the load.
    public let options: WebImageOptions
    /// The context of the load.
    public var context: WebImageContext? { values.dictionary }

    /// The cookies of a chain of redirects; nil if the engine's cookies are used, or none.
    let cookies: CookieChain?
    let route: CurlRoute
    let priority: LoadPriority
    /// Whether the operation follows redirects itself and uses the connections of ``WebImageDownloader/shared``, because
    /// it is used without a downloader.
    let isAlone: Bool
    private let values: RequestContext
    // Weak, because an engine retains the orders of its transfers.
    private weak let ownEngine: CurlEngine?

    /// The engine that performs the transfer; nil if its downloader no longer exists.
    var engine: CurlEngine? { isAlone ? WebImageDownloader.shared.engine : ownEngine }
    /// The rules for URLs and addresses; nil allows all URLs and addresses.
    var policy: DownloadPolicy? { route.members.policy }

    init(
        _ request: WebImageRequest, route: CurlRoute = CurlRoute(), priority: LoadPriority = .normal,
        of load: ImageRequest? = nil, engine: CurlEngine? = nil, isAlone: Bool = false
    ) {
        self.request = request
        self.route = route
        self.priority = priority
        self.isAlone = isAlone
        let isServer = route.members.policy?.publicAddressesOnly ?? false
        cookies = isServer && !request.httpShouldHandleCookies ? CookieChain() : nil
        ownEngine = engine
        options = load?.options ?? []
        values = load?.values ?? RequestContext(nil)
    }

    /// Makes an order for an operation that is used without a downloader. The operation uses the connections of
    /// ``WebImageDownloader/shared`` and follows redirects itself.
    public convenience init(request: WebImageRequest, options: WebImageOptions = [], context: WebImageContext? = nil) {
        self.init(request, of: ImageRequest(url: request.url, options: options, context: context), isAlone: true)
    }

    /// Copies an order with another request, route or priority.
    private init(
        _ job: WebImageDownloaderJob, request: WebImageRequest? = nil, route: CurlRoute? = nil,
        priority: LoadPriority? = nil
    ) {
        self.request = request ?? job.request
        self.route = route ?? job.route
        self.priority = priority ?? job.priority
        (options, values) = (job.options, job.values)
        cookies = job.cookies
        ownEngine = job.ownEngine
        isAlone = job.isAlone
    }

    func with(_ request: WebImageRequest) -> WebImageDownloaderJob {
        WebImageDownloaderJob(self, request: request)
    }

    /// Returns the order for a request to another origin, without credentials.
    func withoutCredentials(_ request: WebImageRequest) -> WebImageDownloaderJob {
        WebImageDownloaderJob(self, request: request, route: route.anonymous)
    }

    func with(_ priority: LoadPriority) -> WebImageDownloaderJob {
        WebImageDownloaderJob(self, priority: priority)
    }
}

/// One transfer of a download: the first attempt, a redirect, or a retry.
///
/// ``WebImageDownloader`` creates an instance of ``WebImageDownloaderConfig/operationClass`` for each transfer. The
/// downloader itself performs sharing, progress, retries and decoding. It never calls the functions of an operation
/// while it holds a lock.
@preconcurrency public protocol WebImageDownloaderOperationProtocol: AnyObject, WebImageOperation, Sendable {
    /// Prepares a transfer without sending anything.
    init(_ job: WebImageDownloaderJob)
    /// The request to send.
    var request: WebImageRequest { get }
    /// Sends the request; called at most once. The operation must call ``WebImageDownloaderSink/transferDidEnd(_:)``
    /// exactly once, also after ``cancel()``.
    func start(_ sink: any WebImageDownloaderSink)
    /// Receives the new priority when the subscribers' highest priority changes. The default implementation does
    /// nothing.
    func priorityDidChange(_ priority: LoadPriority)
}

extension WebImageDownloaderOperationProtocol {
    /// Does nothing.
    public func priorityDidChange(_ priority: LoadPriority) {}
}

/// The default operation class, which uses libcurl for the transfer. Other operation classes may inherit from it.
open class WebImageDownloaderOperation: WebImageDownloaderOperationProtocol, @unchecked Sendable {
    // Unchecked is correct because the stored properties are immutable or locked. A subclass must protect the
    // properties that it adds.
    private struct State {
        var transfer: CurlTransfer?
        var isCancelled = false
    }

    /// The parameters of the transfer.
    public let job: WebImageDownloaderJob
    private let state = Locked(State())

    /// Prepares a transfer.
    public required init(_ job: WebImageDownloaderJob) { self.job = job }

    /// The request to send.
    public var request: WebImageRequest { job.request }

    /// Sends the request.
    open func start(_ sink: any WebImageDownloaderSink) {
        guard job.isAlone else { return start(job, sink) }
        start(job, RedirectingSink(job, sink) { self.start($0, $1) })
    }

    private func start(_ job: WebImageDownloaderJob, _ sink: any WebImageDownloaderSink) {
        guard let engine = job.engine else { return sink.transferDidEnd(.failure(.cancelled)) }
        let transfer = CurlTransfer(job, sink: sink)
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        // Start the transfer before cancelling it. An engine that has not started any transfer has no thread and
        // ignores a cancel. In the other order, the transfer could therefore run although it was cancelled.
        engine.start(transfer)
        if isCancelled { engine.cancel(transfer) }
    }

    /// Ends the transfer with `.cancelled`. Further calls do nothing.
    open func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        if let transfer { job.engine?.cancel(transfer) }
    }

    /// Whether ``cancel()`` was called.
    open var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Changes the transfer's share of the bandwidth of an HTTP/2 connection.
    open func priorityDidChange(_ priority: LoadPriority) {
        if let transfer = state.withLock({ $0.transfer }) { job.engine?.setPriority(transfer, priority) }
    }
}

/// Receives the head, the bytes and the end of one transfer.
///
/// The functions are called on any thread, one at a time, and must return quickly.
public protocol WebImageDownloaderSink: AnyObject, Sendable {
    /// Receives the head of the final response. Called at most once, before the body. A returned error ends the
    /// transfer.
    func transferDidReceive(head: WebImageResponse) -> WebImageError?
    /// Receives the next bytes of the body, after content decoding. A returned error ends the transfer.
    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError?
    /// Receives the result of the transfer. Called exactly once, also after an error or a cancel.
    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>)
}

/// The result of a transfer that succeeded.
public struct WebImageDownloadEnd: Sendable {
    /// The head of the response.
    public var response: WebImageResponse
    /// The durations of the transfer's phases.
    public var metrics: DownloadMetrics

    /// Makes a result.
    public init(response: WebImageResponse, metrics: DownloadMetrics = DownloadMetrics()) {
        self.response = response
        self.metrics = metrics
    }
}

/// Follows redirects for an operation without a downloader. The inner sink receives only the final response.
final class RedirectingSink: WebImageDownloaderSink {
    private struct State {
        var request: WebImageDownloaderJob
        var redirect: Redirect?
        var count = 0
    }

    private let sink: any WebImageDownloaderSink
    private let first: URL
    private let start: @Sendable (WebImageDownloaderJob, any WebImageDownloaderSink) -> Void
    private let state: Locked<State>

    /// - Parameter start: Starts the transfer for the target of a redirect.
    init(
        _ request: WebImageDownloaderJob, _ sink: any WebImageDownloaderSink,
        start: @escaping @Sendable (WebImageDownloaderJob, any WebImageDownloaderSink) -> Void
    ) {
        self.sink = sink
        self.start = start
        first = request.request.url
        state = Locked(State(request: request))
    }

    func transferDidReceive(head: WebImageResponse) -> WebImageError? {
        let isRedirect = state.withLock { state in
            state.redirect = Redirect(head, from: state.request.request.url)
            return state.redirect != nil
        }
        return isRedirect ? nil : sink.transferDidReceive(head: head)
    }

    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? {
        state.withLock { $0.redirect == nil } ? sink.transferDidReceive(bytes: bytes) : nil
    }

    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        let (request, redirect, count) = state.withLock { state in
            state.count += 1
            return (state.request, state.redirect.take(), state.count)
        }
        guard let redirect, case .success = result else {
            return sink.transferDidEnd(
                result.map { end in
                    var end = end
                    end.metrics.redirectCount = count - 1
                    return end
                })
        }
        do throws(WebImageError) {
            let next = try request.following(redirect, count: count, of: first)
            state.withLock { $0.request = next }
            start(next, self)
        } catch {
            sink.transferDidEnd(.failure(error))
        }
    }
}
