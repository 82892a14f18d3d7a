public import WebImageCore
public import WebImageLoading

/// The parameters of one transfer.
public struct WebImageDownloaderOrder: Sendable {
    /// The request to send.
    public var request: WebImageRequest { transfer.request }
    /// The options of the load.
    public let options: WebImageOptions
    /// The context of the load.
    public var context: WebImageContext? { requestContext.forRoles }

    let transfer: CurlTransferRequest
    let engine: CurlEngine
    /// Whether the operation follows redirects itself, because it is used without a downloader.
    let followsRedirects: Bool
    private let requestContext: RequestContext

    init(
        _ transfer: CurlTransferRequest, options: WebImageOptions, context: RequestContext, engine: CurlEngine,
        followsRedirects: Bool = false
    ) {
        self.followsRedirects = followsRedirects
        self.transfer = transfer
        self.options = options
        self.engine = engine
        requestContext = context
    }

    /// Makes an order for an operation that is used without a downloader. The operation uses the connections of
    /// ``WebImageDownloader/shared`` and follows redirects itself.
    public init(request: WebImageRequest, options: WebImageOptions = [], context: WebImageContext? = nil) {
        self.init(
            CurlTransferRequest(request), options: options, context: RequestContext(context),
            engine: WebImageDownloader.shared.engine, followsRedirects: true)
    }
}

/// One transfer of a download: the first attempt, a redirect, or a retry.
///
/// ``WebImageDownloader`` creates an instance of ``WebImageDownloaderConfig/operationClass`` for each transfer. The
/// downloader itself performs sharing, progress, retries and decoding. It never calls the functions of an operation
/// while it holds a lock.
@preconcurrency public protocol WebImageDownloaderOperationProtocol: AnyObject, WebImageOperation, Sendable {
    /// Prepares a transfer without sending anything.
    init(_ order: WebImageDownloaderOrder)
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
    public let order: WebImageDownloaderOrder
    private let state = Locked(State())

    /// Prepares a transfer.
    public required init(_ order: WebImageDownloaderOrder) { self.order = order }

    /// The request to send.
    public var request: WebImageRequest { order.request }

    /// Sends the request.
    open func start(_ sink: any WebImageDownloaderSink) {
        guard order.followsRedirects else { return start(order.transfer, sink) }
        start(order.transfer, RedirectingSink(order.transfer, sink) { self.start($0, $1) })
    }

    private func start(_ request: CurlTransferRequest, _ sink: any WebImageDownloaderSink) {
        let transfer = CurlTransfer(request, sink: sink)
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        // Start the transfer before cancelling it. An engine that has not started any transfer has no thread and
        // ignores a cancel. In the other order, the transfer could therefore run although it was cancelled.
        order.engine.start(transfer)
        if isCancelled { order.engine.cancel(transfer) }
    }

    /// Ends the transfer with `.cancelled`. Further calls do nothing.
    open func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        if let transfer { order.engine.cancel(transfer) }
    }

    /// Whether ``cancel()`` was called.
    open var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Changes the transfer's share of the bandwidth of an HTTP/2 connection.
    open func priorityDidChange(_ priority: LoadPriority) {
        if let transfer = state.withLock({ $0.transfer }) { order.engine.setPriority(transfer, priority) }
    }
}
