import Foundation
import WebImageCore

/// Decides the next step of one download: pure decisions, performed by ``SharedDownload``.
///
/// A download is a sequence of legs. Each leg is one transfer: the first attempt, a hop of a redirect, a retry, or the
/// continuation of a partial body. Events of a leg that is not the current one are ignored.
struct DownloadState: Sendable {
    /// The parts of a plan that decisions depend on.
    struct Rules: Sendable {
        let url: URL
        let isResumable: Bool
        let storage: ReceivedBody.Storage
        let acceptance: ResponseAcceptance
        /// If set, the head is checked after the modifier has changed it.
        let hasResponseModifier: Bool
        /// If set, the body is decrypted and delivered only when complete.
        let hasDecryptor: Bool
    }

    private enum Phase: Sendable {
        /// No slot is assigned yet.
        case waiting
        /// The beginning of the body is being loaded from disk.
        case preparing
        case transferring(leg: Int)
        /// The leg's transfer has ended; its response is being checked.
        case concluding(leg: Int)
        /// Between two attempts.
        case pausing
        case ended
        case cancelled
    }

    /// The next hop that a response requests.
    struct Redirect: Sendable {
        let target: URL
        let status: Int
    }

    /// The current leg.
    struct Leg: Sendable {
        let number: Int
        /// The request as it is sent.
        let transfer: CurlTransferRequest
        /// The partial body that the leg continues.
        let prefix: PartialBody?
        /// Seconds since 1970.
        let sentAt: TimeInterval
        fileprivate(set) var redirect: Redirect?
        /// The head of a refused response, for its `Retry-After`.
        fileprivate(set) var refusedHead: WebImageResponse?
        /// Whether the response is a 304 to this download's validators: the cached body is still valid.
        fileprivate(set) var isConfirmed = false
        fileprivate var mustForgetPrefix = false
    }

    private let rules: Rules
    private var phase = Phase.waiting
    private(set) var leg: Leg?
    private var lastLeg = 0
    /// The request of the next leg; redirects change it.
    private(set) var transfer: CurlTransferRequest
    private var validators: [String: String]
    /// The partial body that the next leg continues.
    private var prefix: PartialBody?
    private(set) var body: ReceivedBody?
    /// The head as subscribers receive it.
    private(set) var head: WebImageResponse?
    /// Bytes expected; 0 when the server does not declare them, -1 before its response.
    private(set) var expected = -1
    /// Increases with each new body, so that no subscriber receives bytes of two bodies.
    private(set) var generation = 0
    private(set) var redirects = 0
    private(set) var attempts = 0
    private(set) var begun: Duration?

    init(_ rules: Rules, transfer: CurlTransferRequest, validators: [String: String]) {
        self.rules = rules
        self.transfer = transfer
        self.validators = validators
    }

    /// Whether the download has ended or was cancelled; no leg begins then.
    var isOver: Bool {
        switch phase {
        case .ended, .cancelled: true
        default: false
        }
    }

    /// The received part of the body, 0 to 1; 0 while the length is unknown.
    var fraction: Double { expected > 0 ? Double(body?.count ?? 0) / Double(expected) : 0 }

    mutating func setPriority(_ priority: LoadPriority) { transfer = transfer.with(priority) }

    // MARK: Legs

    enum Start: Sendable { case nothing, loadPrefix, beginLeg }

    /// Decides the first step when a slot is free.
    mutating func start(hasStore: Bool) -> Start {
        switch phase {
        case .waiting:
            guard hasStore, rules.isResumable else { return .beginLeg }
            phase = .preparing
            return .loadPrefix
        case .pausing: return .beginLeg
        default: return .nothing
        }
    }

    /// Takes the beginning of the body from disk; nil when there is none.
    mutating func didLoad(_ partial: PartialBody?) {
        prefix = partial.flatMap { $0.total <= transfer.request.maxBodyBytes ? $0 : nil }
    }

    /// Begins the next leg; nil when the download is over.
    mutating func beginLeg(now: Duration, date: TimeInterval) -> Leg? {
        guard !isOver else { return nil }
        attempts += 1
        lastLeg += 1
        if begun == nil { begun = now }
        let leg = Leg(number: lastLeg, transfer: nextTransfer, prefix: prefix, sentAt: date)
        self.leg = leg
        phase = .transferring(leg: leg.number)
        return leg
    }

    /// The request with the validators of the cached body, or with the range fields for the rest of a partial one.
    private var nextTransfer: CurlTransferRequest {
        if validators.isEmpty, prefix == nil { return transfer }
        var request = transfer.request
        for (field, value) in validators { request.setValue(value, forHTTPHeaderField: field) }
        if let prefix {
            for (field, value) in prefix.requestFields { request.setValue(value, forHTTPHeaderField: field) }
            request.maxBodyBytes = max(request.maxBodyBytes - prefix.count, 1)
        }
        return transfer.with(request)
    }

    private func isTransferring(_ number: Int) -> Bool {
        if case .transferring(number) = phase { true } else { false }
    }

    private func isConcluding(_ number: Int) -> Bool {
        if case .concluding(number) = phase { true } else { false }
    }

    // MARK: Receiving

    enum HeadDecision: Sendable {
        /// The body follows.
        case accept
        /// Drop the body: the response is a redirect.
        case skip
        /// The transfer ends with this error.
        case stop(WebImageError)
    }

    mutating func receive(_ head: WebImageResponse, leg number: Int) -> HeadDecision {
        guard isTransferring(number), let leg else { return .stop(.cancelled) }
        let redirect = Self.redirect(head, of: leg)
        self.leg?.redirect = redirect
        if redirect != nil { return .skip }
        if let prefix = leg.prefix, prefix.isContinued(by: head) {
            var whole = head
            whole.statusCode = 200
            whole.expectedContentLength = prefix.total
            begin(prefix.body, head: whole, expected: prefix.total)
            return .accept
        }
        if leg.prefix != nil, head.statusCode == 206 || head.statusCode == 416 {
            // The server sent another range than requested, so the whole body is fetched.
            self.leg?.mustForgetPrefix = true
            return .stop(wrongRange(head))
        }
        // A range that was not requested would be taken for the whole body.
        if head.statusCode == 206, leg.transfer.request.value(forHTTPHeaderField: "Range") == nil {
            return .stop(wrongRange(head))
        }
        let isConfirmed = head.statusCode == 304 && !validators.isEmpty
        self.leg?.isConfirmed = isConfirmed
        if !rules.hasResponseModifier, !isConfirmed, let refusal = rules.acceptance.refusal(of: head, for: rules.url) {
            self.leg?.refusedHead = head
            self.head = head
            forgetBody()
            expected = -1
            return .stop(refusal)
        }
        prefix = nil
        let expected = head.expectedContentLength ?? 0
        begin(ReceivedBody(rules.storage, expected: expected), head: head, expected: expected)
        return .accept
    }

    /// The body that receives the bytes of a leg; nil for a redirect, and for a leg that is not current.
    func body(of number: Int) -> ReceivedBody? {
        isTransferring(number) && leg?.redirect == nil ? body : nil
    }

    private mutating func begin(_ body: ReceivedBody, head: WebImageResponse, expected: Int) {
        if self.body !== body { forgetBody() }
        (self.head, self.body, self.expected) = (head, body, expected)
    }

    /// A body that begins after bytes of another were delivered gets its own generation.
    private mutating func forgetBody() {
        if let body, body.count > 0 { generation += 1 }
        body = nil
    }

    private static func redirect(_ head: WebImageResponse, of leg: Leg) -> Redirect? {
        guard !leg.transfer.followsRedirects, let status = head.statusCode,
            [301, 302, 303, 307, 308].contains(status), let location = head.value(forHTTPHeaderField: "location"),
            let target = URL(string: location, relativeTo: leg.transfer.request.url)?.absoluteURL
        else { return nil }
        // A URL without a host is not followed; the policy's error states the reason.
        return Redirect(target: target.withCanonicalHost ?? target, status: status)
    }

    private func wrongRange(_ head: WebImageResponse) -> WebImageError {
        let range = head.value(forHTTPHeaderField: "content-range") ?? "none"
        return WebImageError(
            .invalidDownloadResponse, stage: .download, url: rules.url,
            underlying: .message("status \(head.statusCode ?? 0) with range \(range) is not the requested range"),
            hint: "The server sent another part than requested; load again.")
    }

    // MARK: Ends of legs

    enum LegEnd: Sendable {
        /// The leg is not current, or has already ended.
        case ignore
        /// The download succeeds without further checks.
        case succeed
        /// Check the response on the delivery queue, because user code may run.
        case conclude
    }

    mutating func didEnd(leg number: Int, isSuccess: Bool) -> LegEnd {
        guard isTransferring(number) else { return .ignore }
        phase = .concluding(leg: number)
        let isPlain = isSuccess && leg?.redirect == nil && !rules.hasResponseModifier && !rules.hasDecryptor
        return isPlain ? .succeed : .conclude
    }

    enum Conclusion: Sendable {
        case ignore
        case follow(Redirect)
        /// The body is complete: modify the head, decrypt the body.
        case modify
        /// The partial body cannot be continued: fetch the whole.
        case restart
        case fail(WebImageError)
    }

    mutating func conclude(leg number: Int, _ failure: WebImageError?) -> Conclusion {
        guard isConcluding(number), let leg else { return .ignore }
        guard let failure else { return leg.redirect.map { .follow($0) } ?? .modify }
        guard leg.mustForgetPrefix else { return .fail(failure) }
        self.leg?.mustForgetPrefix = false
        prefix = nil
        attempts -= 1
        return .restart
    }

    /// Changes the request to that of the next hop; returns an error when the hop is refused.
    mutating func follow(_ redirect: Redirect) -> WebImageError? {
        guard let leg else { return .cancelled }
        let source = leg.transfer.request.url
        if let refusal = (transfer.policy ?? .anyWebRedirect).refusal(ofRedirectFrom: source, to: redirect.target) {
            return refusal
        }
        guard let next = transfer.redirected(redirect) else {
            return .redirectedBody(leg.transfer.request.httpMethod, redirect.target)
        }
        redirects += 1
        attempts -= 1
        transfer = next
        if !source.hasOrigin(of: redirect.target) { validators = [:] }
        let maxRedirects = transfer.route.members.maxRedirects
        return redirects <= maxRedirects ? nil : .tooManyRedirects(maxRedirects, rules.url)
    }

    /// Takes the head that the response modifier returned; returns an error when it is not accepted.
    mutating func modify(_ modified: WebImageResponse) -> WebImageError? {
        head = modified
        guard leg?.isConfirmed != true else { return nil }
        leg?.refusedHead = modified
        return rules.acceptance.refusal(of: modified, for: rules.url)
    }

    // MARK: Ends

    /// Prepares the wait after a failed attempt; false when the download is over.
    mutating func pause() -> Bool {
        guard !isOver else { return false }
        prefix = partial
        leg = nil
        phase = .pausing
        return true
    }

    /// Ends the download; false when it has already ended.
    mutating func finish() -> Bool {
        guard !isOver else { return false }
        phase = .ended
        return true
    }

    /// Cancels the download; false when it has already ended. The partial body stays until ``clear()``.
    mutating func cancel() -> Bool {
        defer { phase = .cancelled }
        return !isOver
    }

    /// Releases the leg and the body, which refer to the download.
    mutating func clear() { (leg, body) = (nil, nil) }

    /// The beginning of an incomplete body; nil when it cannot be continued.
    var partial: PartialBody? {
        guard rules.isResumable else { return nil }
        guard let head, let body else { return prefix }
        guard var partial = PartialBody(body, of: head, total: expected > 0 ? expected : nil) else { return prefix }
        partial.mayBeStored = HTTPCachePolicy.mayStore(head, to: transfer.request)
        return partial
    }
}
