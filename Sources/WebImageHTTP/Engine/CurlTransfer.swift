import Foundation
import WebImageCore

/// The parameters of one transfer; a class, because many places pass it on and few change it.
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

    /// The policy; nil allows every URL and address.
    var policy: DownloadPolicy? { route.members.policy }
}

/// The start time of the engine's current turn; used on the engine's thread alone.
final class EngineClock {
    private(set) var now = ContinuousClock.now

    func beginTurn() { now = .now }
}

/// One transfer in the engine, which starts and cancels it by this object.
final class CurlTransfer: @unchecked Sendable {
    // Unchecked is correct because the `var`s are used on the engine's thread alone; the rest is immutable.
    let order: CurlTransferRequest
    private var sink: (any WebImageDownloaderSink)?
    var easy: CurlEasy?
    var head = ResponseHeadParser()
    /// The head as the sink received it; nil before.
    private(set) var response: WebImageResponse?
    private(set) var hasDeliveredHead = false
    var bodyBytes = 0
    /// The error for which a callback stopped curl.
    var refusal: WebImageError?
    /// The reason why the last address that curl tried is refused.
    var addressRefusal: WebImageError?
    /// Whether a reused connection was already closed, so that this is the second attempt, over a new one.
    var needsFreshConnection = false
    /// The time of the engine's turn; reading the system clock for each piece would cost more than the piece.
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

    /// Ends the transfer once; later calls and all later events for the sink are dropped.
    func end(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        guard !hasEnded, let sink else { return }
        hasEnded = true
        self.sink = nil
        // An operation may keep this transfer for long; the response is released.
        (head, response) = (ResponseHeadParser(), nil)
        sink.transferDidEnd(result)
    }

    func noteActivity() {
        if let clock { lastActivity = clock.now }
    }

    /// Prepares a second attempt after a connection that received nothing.
    func prepareRetry() {
        needsFreshConnection = true
        head = ResponseHeadParser()
        (refusal, addressRefusal) = (nil, nil)
    }

    /// Delivers the head to the sink; false when the transfer must stop at once.
    func deliverHead(_ response: WebImageResponse) -> Bool {
        self.response = response
        hasDeliveredHead = true
        refusal = sink?.transferDidReceive(head: response)
        if refusal == nil, let expected = response.expectedContentLength, expected > maxBodyBytes,
            order.request.httpMethod != "HEAD"
        {
            refusal = .bodyLimit(actual: expected, allowed: maxBodyBytes)
        }
        // Reading a short refused body completely keeps the connection for the next transfer.
        let isShort = response.expectedContentLength.map { $0 <= Self.maxDrainedBytes } ?? false
        return refusal == nil || isShort
    }

    /// Delivers bytes to the sink; false when the transfer must stop.
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
    /// The error for a head larger than any image needs.
    static func headLimit(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadResponse, stage: .download, url: url,
            underlying: .message("the response's head, or a line of it, exceeds the limit"),
            hint: "The server sends more header fields than any image needs.")
    }

    /// The error for a body over its limit; `actual` is `.max` when its length is unknown.
    static func bodyLimit(actual: Int, allowed: Int) -> WebImageError {
        var error = WebImageError.limit(.bodyBytes, actual: actual, allowed: allowed, stage: .download)
        error.hint = "Raise maxBodyBytes if you trust the server."
        return error
    }
}
