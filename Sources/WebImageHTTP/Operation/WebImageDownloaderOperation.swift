public import WebImageCore

/// What one transfer is asked to do.
public struct WebImageDownloaderOrder: Sendable {
    /// The request as it is to be sent.
    public var request: WebImageRequest { transfer.request }
    /// How the load behaves.
    public let options: WebImageOptions
    /// The load's context.
    public var context: WebImageContext? { requestContext.forRoles }

    let transfer: CurlTransferRequest
    let engine: CurlEngine
    private let requestContext: RequestContext

    init(_ transfer: CurlTransferRequest, options: WebImageOptions, context: RequestContext, engine: CurlEngine) {
        self.transfer = transfer
        self.options = options
        self.engine = engine
        requestContext = context
    }

    /// A transfer over the shared downloader's connections, for operations used without a downloader.
    public init(request: WebImageRequest, options: WebImageOptions = [], context: WebImageContext? = nil) {
        self.init(
            CurlTransferRequest(request), options: options, context: RequestContext(context),
            engine: WebImageDownloader.shared.engine)
    }
}

/// One transfer of a download: a first attempt, a redirect's next hop under a policy, a retry.
///
/// Sharing, progress, retries and decoding are the downloader's. Made and used by ``WebImageDownloader`` when
/// ``WebImageDownloaderConfig/operationClass`` names it; never under a lock of the library's.
@preconcurrency public protocol WebImageDownloaderOperationProtocol: AnyObject, WebImageOperation, Sendable {
    /// Prepares a transfer; nothing may be sent yet.
    init(_ order: WebImageDownloaderOrder)
    /// The request as it is to be sent.
    var request: WebImageRequest { get }
    /// Sends the request; called at most once. The sink must hear the end exactly once, also after ``cancel()``.
    func start(_ sink: any WebImageDownloaderSink)
    /// Whoever waits for it changed its urgency; nothing unless implemented.
    func priorityDidChange(_ priority: LoadPriority)
}

extension WebImageDownloaderOperationProtocol {
    /// Nothing.
    public func priorityDidChange(_ priority: LoadPriority) {}
}

/// A transfer over libcurl; the class used unless the configuration names another, and a base for those.
open class WebImageDownloaderOperation: WebImageDownloaderOperationProtocol, @unchecked Sendable {
    // Unchecked is true because the only stored properties are immutable or locked; subclasses answer for theirs.
    private struct State {
        var transfer: CurlTransfer?
        var isCancelled = false
    }

    /// What is to be done.
    public let order: WebImageDownloaderOrder
    private let state = Locked(State())

    /// Prepares a transfer.
    public required init(_ order: WebImageDownloaderOrder) { self.order = order }

    /// The request as it is to be sent.
    public var request: WebImageRequest { order.request }

    /// Sends the request.
    open func start(_ sink: any WebImageDownloaderSink) {
        let transfer = CurlTransfer(order.transfer, sink: sink)
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        // In this order, so that the engine, which knows the transfer, tells the sink.
        order.engine.start(transfer)
        if isCancelled { order.engine.cancel(transfer) }
    }

    /// Ends the transfer with `.cancelled`; idempotent.
    open func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        if let transfer { order.engine.cancel(transfer) }
    }

    /// Whether ``cancel()`` was called.
    open var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Changes the transfer's share of an HTTP/2 connection.
    open func priorityDidChange(_ priority: LoadPriority) {
        if let transfer = state.withLock({ $0.transfer }) { order.engine.weigh(transfer, priority) }
    }
}
