import Foundation
import WebImageCore

/// The immutable parameters of one transfer. This is a class, so that all users of the parameters share one copy. The
/// few functions that change a parameter create a new object.
final class CurlTransferRequest: Sendable {
    let request: WebImageRequest
    let route: CurlRoute
    let priority: LoadPriority

    init(_ request: WebImageRequest, route: CurlRoute = CurlRoute(), priority: LoadPriority = .normal) {
        self.request = request
        self.route = route
        self.priority = priority
    }

    func with(_ request: WebImageRequest) -> CurlTransferRequest {
        CurlTransferRequest(request, route: route, priority: priority)
    }

    func with(_ priority: LoadPriority) -> CurlTransferRequest {
        CurlTransferRequest(request, route: route, priority: priority)
    }

    /// The rules for URLs and addresses; nil allows all URLs and addresses.
    var policy: DownloadPolicy? { route.members.policy }
}

/// The start time of the current turn of the engine's loop. Used only on the engine's thread.
final class EngineClock {
    private(set) var now = ContinuousClock.now

    func beginTurn() { now = .now }
}

/// One HTTP transfer of a ``CurlEngine``.
final class CurlTransfer: @unchecked Sendable {
    // Unchecked is correct because the variables are used only on the engine's thread and the other properties are
    // immutable.
    let order: CurlTransferRequest
    private var sink: (any WebImageDownloaderSink)?
    var easy: CurlEasy?
    var head = ResponseHeadParser()
    /// The head that the sink has received. Nil before the sink receives a head, and after the end of the transfer.
    private(set) var response: WebImageResponse?
    private(set) var hasDeliveredHead = false
    var bodyBytes = 0
    /// The error with which the transfer must end, because a callback refused the head, the bytes or the address.
    var refusal: WebImageError?
    /// The reason why the policy refused an address; nil if it refused no address. If the policy refused several
    /// addresses, this is the reason for the last one.
    var addressRefusal: WebImageError?
    /// Whether the transfer must use a new connection. True for the second attempt, if the first attempt failed because
    /// the server had closed the reused connection.
    var needsFreshConnection = false
    /// The clock of the engine's loop, which reads the system clock once in each turn. Reading the system clock for
    /// each piece of the body would take longer than handling the piece.
    var clock: EngineClock?
    var lastActivity = ContinuousClock.now
    var lastWireBytes = 0
    private(set) var hasEnded = false

    init(_ order: CurlTransferRequest, sink: any WebImageDownloaderSink) {
        self.order = order
        self.sink = sink
    }

    var url: URL { order.request.url }
    var maxBodyBytes: Int { order.request.maxBodyBytes }

    /// Ends the transfer and reports the result to the sink. Later calls do nothing, and the sink receives no later
    /// events.
    func end(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        guard !hasEnded, let sink else { return }
        hasEnded = true
        self.sink = nil
        // Release the response, because an operation may retain this transfer for a long time.
        (head, response) = (ResponseHeadParser(), nil)
        sink.transferDidEnd(result)
    }

    func noteActivity() {
        if let clock { lastActivity = clock.now }
    }

    /// Prepares a second attempt over a new connection.
    func prepareRetry() {
        needsFreshConnection = true
        head = ResponseHeadParser()
        (refusal, addressRefusal) = (nil, nil)
    }

    /// Delivers the head to the sink. Returns false if the transfer must stop now. If the head is refused but the body
    /// is short, returns true so that curl reads the body.
    func deliverHead(_ response: WebImageResponse) -> Bool {
        self.response = response
        hasDeliveredHead = true
        refusal = sink?.transferDidReceive(head: response)
        if refusal == nil, let expected = response.expectedContentLength, expected > maxBodyBytes,
            order.request.httpMethod != "HEAD"
        {
            refusal = .bodyLimit(actual: expected, allowed: maxBodyBytes)
        }
        // Reading a short refused body completely keeps the connection usable for the next transfer.
        let isShort = response.expectedContentLength.map { $0 <= Self.maxDrainedBytes } ?? false
        return refusal == nil || isShort
    }

    /// Delivers bytes to the sink, or drops the bytes of a refused body. Returns false if the transfer must stop.
    func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        noteActivity()
        if refusal != nil {
            bodyBytes += bytes.count
            return bodyBytes <= Self.maxDrainedBytes
        }
        guard bytes.count <= maxBodyBytes - bodyBytes else {
            refusal = .bodyLimit(actual: .max, allowed: maxBodyBytes)
            return false
        }
        bodyBytes += bytes.count
        refusal = sink?.transferDidReceive(bytes: bytes)
        return refusal == nil
    }

    private static let maxDrainedBytes = 16 * 1024
}

extension WebImageError {
    /// The error for a response head that exceeds the size limit.
    static func headLimit(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadResponse, stage: .download, url: url,
            underlying: .message("the response's head, or a line of it, exceeds the limit"),
            hint: "The server sends more header fields than any image needs.")
    }

    /// The error for a body that exceeds its limit. Set `actual` to `.max` if the length of the body is unknown.
    static func bodyLimit(actual: Int, allowed: Int) -> WebImageError {
        var error = WebImageError.limit(.bodyBytes, actual: actual, allowed: allowed, stage: .download)
        error.hint = "Raise maxBodyBytes if you trust the server."
        return error
    }
}
