import Foundation
import WebImageCore

/// What one transfer is asked to do, beyond the request itself; a reference, since many hand it on and few change it.
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

    /// Nil when anything may be fetched from anywhere.
    var policy: DownloadPolicy? { route.members.policy }
}

/// When the engine's present turn began; on the engine's thread alone.
final class EngineClock {
    private(set) var now = ContinuousClock.now

    func beginTurn() { now = .now }
}

/// One request on its way through the engine; the name under which it is started and cancelled.
final class CurlTransfer: @unchecked Sendable {
    // Unchecked is true because the `var`s are touched on the engine's thread alone; the rest is immutable.
    let order: CurlTransferRequest
    private var sink: (any WebImageDownloaderSink)?
    var easy: CurlEasy?
    var head = ResponseHeadParser()
    /// The head as the sink got it; nil before.
    private(set) var response: WebImageResponse?
    private(set) var hasDeliveredHead = false
    var bodyBytes = 0
    /// The reason for which a callback stopped curl.
    var refusal: WebImageError?
    /// Why the last address that curl tried may not be connected to.
    var addressRefusal: WebImageError?
    /// Whether a reused connection turned out dead, so that this is the second try over a new one.
    var needsFreshConnection = false
    /// The time of the engine's turn; asking the system at each piece would cost more than the piece.
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

    /// Ends it once; later calls, and everything else for the sink, are dropped.
    func end(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        guard !hasEnded, let sink else { return }
        hasEnded = true
        self.sink = nil
        // Whoever looks back at the operation keeps this one, and need not keep what the answer was.
        (head, response) = (ResponseHeadParser(), nil)
        sink.transferDidEnd(result)
    }

    func noteActivity() {
        if let clock { lastActivity = clock.now }
    }

    /// Makes ready for a second try after a connection on which nothing came.
    func prepareRetry() {
        needsFreshConnection = true
        head = ResponseHeadParser()
        (refusal, addressRefusal) = (nil, nil)
    }

    /// Hands the head to the sink; false when the transfer is to stop at once.
    func deliverHead(_ response: WebImageResponse) -> Bool {
        self.response = response
        hasDeliveredHead = true
        refusal = sink?.transferDidReceive(head: response)
        if refusal == nil, let expected = response.expectedContentLength, expected > maxBodyBytes,
            order.request.httpMethod != "HEAD"
        {
            refusal = .bodyLimit(actual: expected, allowed: maxBodyBytes)
        }
        // Reading a short refused body to its end keeps the connection for the next transfer.
        let isShort = response.expectedContentLength.map { $0 <= Self.maxDrainedBytes } ?? false
        return refusal == nil || isShort
    }

    /// Hands bytes to the sink; false when the transfer is to stop.
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
    /// A head larger than any picture needs.
    static func headLimit(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadResponse, stage: .download, url: url,
            underlying: .message("the response's head, or a line of it, is over the limit"),
            hint: "The server sends more header fields than any picture needs.")
    }

    /// A body over its cap; `.max` when only so much is known.
    static func bodyLimit(actual: Int, allowed: Int) -> WebImageError {
        var error = WebImageError.limit(.bodyBytes, actual: actual, allowed: allowed, stage: .download)
        error.hint = "Raise maxBodyBytes if you trust the server."
        return error
    }
}
