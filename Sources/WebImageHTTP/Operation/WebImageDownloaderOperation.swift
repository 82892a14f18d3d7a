public import WebImageCore

/// The parameters of one transfer.
public struct WebImageDownloaderOrder: Sendable {
    /// The request as it is to be sent.
    public var request: WebImageRequest { transfer.request }
    /// The options of the load.
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

    /// Makes an order that uses the shared downloader's connections, for operations without a downloader.
    public init(request: WebImageRequest, options: WebImageOptions = [], context: WebImageContext? = nil) {
        self.init(
            CurlTransferRequest(request), options: options, context: RequestContext(context),
            engine: WebImageDownloader.shared.engine)
    }
}

/// One transfer of a download: the first attempt, one hop of a redirect under a policy, or a retry.
///
/// The downloader does sharing, progress, retries and decoding. ``WebImageDownloader`` creates and uses this type when
/// ``WebImageDownloaderConfig/operationClass`` names it, and never calls it under a lock of this library.
@preconcurrency public protocol WebImageDownloaderOperationProtocol: AnyObject, WebImageOperation, Sendable {
    /// Prepares a transfer without sending anything.
    init(_ order: WebImageDownloaderOrder)
    /// The request as it is to be sent.
    var request: WebImageRequest { get }
    /// Sends the request; called at most once. The sink must receive the end exactly once, also after ``cancel()``.
    func start(_ sink: any WebImageDownloaderSink)
    /// Receives the new priority when the subscribers' highest priority changes. The default does nothing.
    func priorityDidChange(_ priority: LoadPriority)
}

extension WebImageDownloaderOperationProtocol {
    /// Does nothing.
    public func priorityDidChange(_ priority: LoadPriority) {}
}

/// A transfer over libcurl. It is the default class, and the base for classes that the configuration names.
open class WebImageDownloaderOperation: WebImageDownloaderOperationProtocol, @unchecked Sendable {
    // Unchecked is correct because the stored properties are immutable or locked; a subclass must protect its own.
    private struct State {
        var transfer: CurlTransfer?
        var isCancelled = false
    }

    /// The parameters of the transfer.
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
        // Start before cancel: only a transfer that the engine has received gets its end delivered to the sink.
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
        if let transfer = state.withLock({ $0.transfer }) { order.engine.setPriority(transfer, priority) }
    }
}
