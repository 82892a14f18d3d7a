import Foundation
import WebImageCore
import WebImageLoading

/// Decides the next step of one download. This type only decides; ``SharedDownload`` performs the steps.
///
/// A download is a sequence of legs. A leg is one transfer: the first attempt, one redirect, a retry, or the
/// continuation of a partial body. Late events of an earlier leg are ignored.
struct DownloadState: Sendable {
    /// The values from the parameters on which the decisions depend.
    struct Rules: Sendable {
        let url: URL
        let isResumable: Bool
        let storage: ReceivedBody.Storage
        let acceptance: ResponseAcceptance
        /// If true, the response's status and type are checked after the modifier has changed the head, not before.
        let hasResponseModifier: Bool
        /// If true, the body is decrypted after it is complete, and subscribers receive no bytes before that.
        let hasDecryptor: Bool
    }

    private enum Phase: Sendable {
        /// The download has no slot yet.
        case waiting
        /// The partial body of an earlier download is being loaded from disk.
        case preparing
        case transferring(leg: Int)
        /// The leg's transfer has ended; its response is being checked.
        case concluding(leg: Int)
        /// The download waits before its next attempt.
        case pausing
        case ended
        case cancelled
    }

    /// One transfer of the download, with the decisions made from its response.
    struct Leg: Sendable {
        let number: Int
        /// The request to send, including validators or range fields.
        let transfer: WebImageDownloaderJob
        /// The partial body that the leg continues; nil if there is none, or if another URL sent it.
        let prefix: PartialBody?
        /// Whether the leg sends the validators of the cached body.
        let sendsValidators: Bool
        /// The time at which the leg began, in seconds since 1970.
        let sentAt: TimeInterval
        fileprivate(set) var redirect: Redirect?
        /// The head of a refused response. The retry delay is computed from its `Retry-After` field.
        fileprivate(set) var refusedHead: WebImageResponse?
        /// Whether the server answered 304 to the validators of this download. If true, the cached body is still valid.
        fileprivate(set) var isConfirmed = false
        fileprivate var mustForgetPrefix = false
    }

    private let rules: Rules
    private var phase = Phase.waiting
    private(set) var leg: Leg?
    private var lastLeg = 0
    /// The request of the next leg, without validators and range fields. A redirect replaces this request.
    private(set) var transfer: WebImageDownloaderJob
    /// The request before any redirect. The fields that `Vary` lists are compared with this request, because a later
    /// load begins with the same request.
    var firstRequest: WebImageRequest { first.request }
    private let first: WebImageDownloaderJob
    private let validators: DownloadValidators
    /// The partial body that the next leg continues; nil if there is none.
    private var prefix: PartialBody?
    /// Whether a partial body was loaded from disk.
    private(set) var hasLoadedPrefix = false
    private(set) var body: ReceivedBody?
    /// The response head that subscribers receive.
    private(set) var head: WebImageResponse?
    /// The expected number of body bytes; 0 when the server does not declare the length, -1 before the response.
    private(set) var expected = -1
    /// The number of bodies that were discarded after bytes had arrived. Each subscriber stores the number at its first
    /// delivery and receives no bytes after the number has changed. Therefore it never receives bytes of two different
    /// bodies.
    private(set) var generation = 0
    /// The followed redirects, with the times that their lifetimes need.
    private(set) var redirects: [StoredRedirect] = []
    private(set) var attempts = 0
    private(set) var begun: Duration?

    init(_ rules: Rules, transfer: WebImageDownloaderJob, validators: DownloadValidators) {
        self.rules = rules
        self.transfer = transfer
        first = transfer
        self.validators = validators
    }

    /// Whether the download has ended or was cancelled. No leg begins afterwards.
    var isOver: Bool {
        switch phase {
        case .ended, .cancelled: true
        default: false
        }
    }

    /// The received part of the body, 0 to 1; 0 while the length is unknown.
    var fraction: Double { expected > 0 ? Double(body?.count ?? 0) / Double(expected) : 0 }

    /// The number of missing bytes; `.max` while the length is unknown.
    var missing: Int { expected > 0 ? expected - (body?.count ?? 0) : .max }

    mutating func setPriority(_ priority: LoadPriority) { transfer = transfer.with(priority) }

    // MARK: Legs

    enum Start: Sendable { case nothing, loadPrefix, beginLeg }

    /// Returns the step to perform when the download receives a slot.
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

    /// Receives the partial body that was loaded from disk, or nil if there is none. A partial body whose total length
    /// exceeds the size limit is ignored.
    mutating func didLoad(_ partial: PartialBody?) {
        prefix = partial.flatMap { $0.total <= transfer.request.maxBodyBytes ? $0 : nil }
        hasLoadedPrefix = partial != nil
    }

    /// Begins the next leg and returns it; nil if the download has ended or was cancelled.
    mutating func beginLeg(now: Duration, date: TimeInterval) -> Leg? {
        guard !isOver else { return nil }
        attempts += 1
        lastLeg += 1
        if begun == nil { begun = now }
        let url = transfer.request.url
        let sendsValidators = validators.belong(to: url, isFirst: redirects.isEmpty)
        // Without the right source, the bytes of two different bodies could be joined.
        let prefix = prefix.flatMap { $0.source == url.sourceDigest ? $0 : nil }
        let leg = Leg(
            number: lastLeg, transfer: nextTransfer(prefix, sendsValidators), prefix: prefix,
            sendsValidators: sendsValidators, sentAt: date)
        self.leg = leg
        phase = .transferring(leg: leg.number)
        return leg
    }

    /// The request of the first transfer if no partial body is continued; nil after the first transfer began and after
    /// the end.
    var firstTransfer: WebImageDownloaderJob? {
        guard !isOver, attempts == 0 else { return nil }
        return nextTransfer(nil, validators.belong(to: transfer.request.url, isFirst: redirects.isEmpty))
    }

    /// The request with the validators of the cached body, or with the range fields that request the missing part of a
    /// partial body.
    private func nextTransfer(_ prefix: PartialBody?, _ sendsValidators: Bool) -> WebImageDownloaderJob {
        if !sendsValidators, prefix == nil { return transfer }
        var request = transfer.request
        if sendsValidators {
            for (field, value) in validators.fields { request.setValue(value, forHTTPHeaderField: field) }
        }
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
        /// Receive the body.
        case accept
        /// Drop the body, because the response is a redirect.
        case skip
        /// End the transfer with this error.
        case stop(WebImageError)
    }

    mutating func receive(_ head: WebImageResponse, leg number: Int) -> HeadDecision {
        guard isTransferring(number), let leg else { return .stop(.cancelled) }
        let redirect = Redirect(head, from: leg.transfer.request.url)
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
            // The server sent a different range than requested, or refused the range. The next leg fetches the whole
            // body.
            self.leg?.mustForgetPrefix = true
            return .stop(wrongRange(head))
        }
        // Fail if the server sends status 206 although no range was requested. Otherwise the part would be delivered as
        // the whole body.
        if head.statusCode == 206, leg.transfer.request.value(forHTTPHeaderField: "Range") == nil {
            return .stop(wrongRange(head))
        }
        let isConfirmed = head.statusCode == 304 && leg.sendsValidators
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

    /// The body that the server sends, with its head; nil before the head, and if the cached body is confirmed.
    var newBody: (body: ReceivedBody, head: WebImageResponse)? {
        guard !isOver, leg?.isConfirmed != true, let body, let head else { return nil }
        return (body, head)
    }

    /// The body to which the bytes of a leg are appended; nil for a redirect, and for a leg that is not current.
    func body(of number: Int) -> ReceivedBody? {
        isTransferring(number) && leg?.redirect == nil ? body : nil
    }

    private mutating func begin(_ body: ReceivedBody, head: WebImageResponse, expected: Int) {
        if self.body !== body { forgetBody() }
        (self.head, self.body, self.expected) = (head, body, expected)
    }

    /// Discards the current body. If it has bytes, subscribers may have received them, so the generation increases.
    private mutating func forgetBody() {
        if let body, body.count > 0 { generation += 1 }
        body = nil
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
        /// End the download with success; no further checks are needed.
        case succeed
        /// Check the response on the delivery queue, because the response modifier and decryptor are user code.
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
        /// The body is complete. Modify the head and decrypt the body.
        case modify
        /// The partial body cannot be continued. Fetch the whole body.
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

    /// Replaces the request with the request for the target of the redirect. Returns an error if the redirect is
    /// refused.
    ///
    /// - Parameter date: The time at which the redirect was received, in seconds since 1970.
    mutating func follow(_ redirect: Redirect, date: TimeInterval) -> WebImageError? {
        guard let leg else { return .cancelled }
        do throws(WebImageError) {
            transfer = try transfer.following(redirect, count: redirects.count + 1, of: rules.url)
        } catch {
            return error
        }
        redirects.append(
            StoredRedirect(redirect, to: firstRequest, requestTime: leg.sentAt, responseTime: date))
        attempts -= 1
        return nil
    }

    /// Stores the head that the response modifier returned. Returns an error if the head is not accepted.
    mutating func modify(_ modified: WebImageResponse) -> WebImageError? {
        head = modified
        guard leg?.isConfirmed != true else { return nil }
        leg?.refusedHead = modified
        return rules.acceptance.refusal(of: modified, for: rules.url)
    }

    // MARK: Ends

    /// Prepares the wait after a failed attempt. Returns false if the download has already ended or was cancelled.
    mutating func pause() -> Bool {
        guard !isOver else { return false }
        prefix = partial
        leg = nil
        phase = .pausing
        return true
    }

    /// Marks the download as ended. Returns false if it has already ended or was cancelled.
    mutating func finish() -> Bool {
        guard !isOver else { return false }
        phase = .ended
        return true
    }

    /// Marks the download as cancelled. Returns false if it has already ended or was cancelled. The partial body stays
    /// available until ``clear()``.
    mutating func cancel() -> Bool {
        defer { phase = .cancelled }
        return !isOver
    }

    /// Releases the leg and the body. Called when the download is over.
    mutating func clear() { (leg, body) = (nil, nil) }

    /// The received part of the body, from which a later leg or download can continue; nil if the body cannot be
    /// continued.
    var partial: PartialBody? {
        guard rules.isResumable else { return nil }
        guard let head, let body else { return prefix }
        let total = expected > 0 ? expected : nil
        guard var partial = PartialBody(body, of: head, from: transfer.request.url, total: total) else { return prefix }
        partial.mayBeStored = HTTPCachePolicy.mayStore(head, to: transfer.request)
        return partial
    }
}
