import Foundation
import WebImageCore
import WebImageLoading

/// The times of the engine's loop. Used only on the engine's thread.
final class EngineClock {
    /// The start of the current turn.
    private(set) var now = ContinuousClock.now
    /// The time of the next check for idle transfers; nil if no transfer runs. No transfer has an idle deadline before
    /// this time.
    var idleCheck: ContinuousClock.Instant?

    func beginTurn() { now = .now }

    /// Moves the next check to `deadline` if it is later.
    func requireCheck(by deadline: ContinuousClock.Instant) { idleCheck = min(idleCheck ?? deadline, deadline) }
}

/// One HTTP transfer of a ``CurlEngine``.
final class CurlTransfer: @unchecked Sendable {
    // Unchecked is correct because the variables are used only on the engine's thread and the other properties are
    // immutable.
    let job: WebImageDownloaderJob
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
    /// Undoes the content codings of the body; nil if it has none.
    private var decoding: ContentDecoding?
    /// Whether the response is a 408 that the server sent before it received the request: it had waited too long on an idle
    /// connection.
    var isUnasked = false
    /// Whether the request was not sent, because the kept connection has bytes that belong to no request.
    var hasStrayBytes = false
    /// The address of the connection; nil if the policy does not check addresses.
    var remoteAddress: String?
    /// Whether the transfer must use a new connection. True for the second attempt, if the first attempt failed because
    /// the server had closed the reused connection.
    var needsFreshConnection = false
    /// The clock of the engine's loop, which reads the system clock once in each turn. Reading the system clock for
    /// each piece of the body would take longer than handling the piece.
    var clock: EngineClock?
    /// The connections of the engine's loop.
    var connections: KeptConnections?
    /// The time of the last byte; before the first byte, the start of the transfer.
    private(set) var lastActivity = ContinuousClock.now
    /// The time of the last received byte; nil before the first byte.
    private(set) var lastArrival: ContinuousClock.Instant?
    /// The number of bytes on the wire at the last sample; see ``CurlLoop``.
    var lastWireBytes = 0
    var lastSample = ContinuousClock.now
    /// The time at which a body that nobody needs is dropped; nil while the body is needed.
    private(set) var drainEnd: ContinuousClock.Instant?
    /// Whether the response is a redirect. The transfer then succeeds without its body.
    private(set) var isRedirect = false
    private(set) var hasEnded = false

    init(_ job: WebImageDownloaderJob, sink: any WebImageDownloaderSink) {
        self.job = job
        self.sink = sink
    }

    var url: URL { job.request.url }
    var maxBodyBytes: Int { job.request.maxBodyBytes }

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

    /// Begins the timeout.
    func noteStart() {
        if let clock { lastActivity = clock.now }
        lastArrival = nil
    }

    /// Notes that bytes have arrived.
    func noteArrival() {
        noteStart()
        lastArrival = lastActivity
    }

    /// Prepares a second attempt over a new connection.
    func prepareRetry() {
        needsFreshConnection = true
        head = ResponseHeadParser()
        (refusal, addressRefusal, remoteAddress, isUnasked, hasStrayBytes) = (nil, nil, nil, false, false)
        (lastWireBytes, drainEnd, isRedirect) = (0, nil, false)
    }

    /// Delivers the head to the sink. Returns false if the transfer must stop now. If the body is not needed but short,
    /// returns true so that curl reads the body.
    func deliverHead(_ response: WebImageResponse) -> Bool {
        self.response = response
        hasDeliveredHead = true
        refusal = sink?.transferDidReceive(head: response)
        if refusal == nil, let expected = response.expectedContentLength, expected > maxBodyBytes,
            job.request.httpMethod != "HEAD"
        {
            refusal = .bodyLimit(actual: expected, allowed: maxBodyBytes)
        }
        isRedirect = Redirect(response, from: url) != nil
        if isRedirect { refusal = nil }
        lastSample = clock?.now ?? .now
        if refusal == nil, !isRedirect, let field = response.value(forHTTPHeaderField: "content-encoding") {
            decoding = ContentDecoding(field)
        }
        guard refusal != nil || isRedirect else {
            if needsSamples { clock?.requireCheck(by: idleDeadline) }
            return true
        }
        drainEnd = (clock?.now ?? .now) + Self.maxDrainTime
        clock?.requireCheck(by: idleDeadline)
        // Reading a short body completely keeps the connection usable for the next transfer. A redirect often has a
        // short body without a declared length.
        return response.expectedContentLength.map { $0 <= Self.maxDrainedBytes } ?? isRedirect
    }

    /// Delivers bytes to the sink, or drops the bytes of a body that is not needed. Returns false if the transfer must
    /// stop.
    func deliver(_ bytes: UnsafeRawBufferPointer) -> Bool {
        noteArrival()
        if drainEnd != nil {
            bodyBytes += bytes.count
            return bodyBytes <= Self.maxDrainedBytes
        }
        guard let decoding else { return deliverDecoded(bytes) }
        guard decoding.decode(bytes, deliver: deliverDecoded) else {
            if refusal == nil { refusal = decoding.error("the body is damaged").with(url: url) }
            return false
        }
        return true
    }

    /// The error of a body that has ended before its last coding; nil if it is whole.
    var incompleteBody: WebImageError? {
        guard drainEnd == nil, let decoding, !decoding.isComplete else { return nil }
        return decoding.error("the body ends too early").with(url: url)
    }

    private func deliverDecoded(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= maxBodyBytes - bodyBytes else {
            refusal = .bodyLimit(actual: .max, allowed: maxBodyBytes)
            return false
        }
        bodyBytes += bytes.count
        refusal = sink?.transferDidReceive(bytes: bytes)
        return refusal == nil
    }

    private static let maxDrainedBytes = 16 * 1024
    /// The longest wait for the rest of a body that is not needed. The result of the transfer is already known.
    private static let maxDrainTime = Duration.seconds(1)

    // MARK: Idle time

    /// The time of the next check whether the transfer is idle.
    var idleDeadline: ContinuousClock.Instant {
        var deadline = lastActivity + .seconds(idleTimeout)
        if needsSamples { deadline = min(deadline, lastSample + .seconds(idleTimeout) / Self.samplesPerTimeout) }
        return drainEnd.map { min($0, deadline) } ?? deadline
    }

    /// Whether bytes may leave without a call of the callbacks, because the request has a body. The bytes on the wire are
    /// then sampled.
    private var needsSamples: Bool { !hasDeliveredHead && job.request.httpBody != nil }

    /// Whether no byte was exchanged during the timeout.
    ///
    /// - Parameter wireBytes: The number of bytes on the wire so far.
    func isIdle(at now: ContinuousClock.Instant, wireBytes: () -> Int) -> Bool {
        if let drainEnd, drainEnd <= now { return true }
        if needsSamples {
            let bytes = wireBytes()
            if bytes != lastWireBytes {
                // The bytes were exchanged at an unknown time since the last sample. Frequent samples keep the error
                // below one eighth of the timeout.
                (lastWireBytes, lastActivity) = (bytes, now)
            }
            lastSample = now
        }
        return lastActivity + .seconds(idleTimeout) <= now
    }

    private static let samplesPerTimeout = 8
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

/// Parses the header lines that curl delivers. Each status line starts a new head, so the earlier heads of interim
/// responses and redirects are discarded.
struct ResponseHeadParser {
    /// The maximum number of bytes of all header lines of one response, including the interim responses before it.
    static let maxBytes = 256 * 1024

    private(set) var statusCode: Int?
    private(set) var version: String?
    private(set) var fields = ReceivedFields()
    private var byteCount = 0
    private(set) var isComplete = false

    /// Parses one line, which includes its line break. Returns false if the head exceeds ``maxBytes``.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Bool {
        let isStatus = line.count >= 5 && line.baseAddress.map { memcmp($0, "HTTP/", 5) == 0 } == true
        // Trailers follow the body and are not part of the head (RFC 9110 §6.5.1).
        if isComplete, !isStatus { return true }
        if isStatus {
            // Count the bytes of interim responses, because a server could send an unlimited number of them.
            let interimBytes = isInterim ? byteCount : 0
            self = ResponseHeadParser(startingAt: line)
            byteCount = interimBytes
        }
        byteCount += line.count
        guard byteCount <= Self.maxBytes else { return false }
        if !isStatus, !fields.add(line) { isComplete = true }
        return true
    }

    init() {}

    /// Parses a status line such as `HTTP/1.1 200 OK`, or `HTTP/2 200` without a reason phrase.
    private init(startingAt line: UnsafeRawBufferPointer) {
        let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") }
        let version = line.prefix { $0 > 0x20 }
        self.version = String(decoding: version, as: UTF8.self)
        let digits = line.dropFirst(version.count).drop(while: isBlank).prefix(3).prefix { $0 > 0x20 }
        statusCode = Int(String(decoding: digits, as: UTF8.self))
        fields.reserve()
    }

    /// Whether this is the head of an interim response (1xx). The server sends the final response later (RFC 9110
    /// §15.2).
    var isInterim: Bool { statusCode.map { 100..<200 ~= $0 } == true }

    /// Whether curl will certainly deliver no further head. After an interim response the server sends another head.
    /// After 401, 407 and 417, curl may send the request again, and then delivers another head.
    var isCertainlyFinal: Bool {
        isComplete && !isInterim && statusCode.map { $0 != 401 && $0 != 407 && $0 != 417 } == true
    }

    /// Converts the head to a ``WebImageResponse``.
    func response(url: URL) -> WebImageResponse {
        WebImageResponse(url: url, statusCode: statusCode, received: fields, httpVersion: version)
    }
}
