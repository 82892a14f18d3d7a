import Foundation
import WebImageCore

/// What follows the end of a transfer: the next hop, another attempt, or the end of the download.
extension SharedDownload {
    func leg(_ leg: DownloadLeg, didEnd result: Result<WebImageDownloadEnd, WebImageError>) {
        let isPlain = state.withLock { state -> Bool? in
            // A leg of before has nothing to say, and a foreign operation that ends twice ends once.
            guard state.leg === leg, !state.legHasEnded else { return nil }
            state.legHasEnded = true
            guard case .success(let end) = result else { return false }
            state.metrics = Unchanging(end.metrics)
            return state.redirect == nil && plan.responseModifier == nil && plan.decryptor == nil
        }
        // The common case costs no further hop between threads.
        if isPlain == true { return succeed(leg) }
        if isPlain == false { delivery.async { self.conclude(leg, result) } }
    }

    // MARK: On the delivery queue

    private func conclude(_ leg: DownloadLeg, _ result: Result<WebImageDownloadEnd, WebImageError>) {
        let (isCurrent, redirect, mustForget) = state.withLock { state in
            defer { state.mustForgetPrefix = false }
            return (state.leg === leg && !state.isCancelled, state.redirect, state.mustForgetPrefix)
        }
        guard isCurrent else { return }
        switch result {
        case .success:
            if let redirect { return follow(redirect, from: leg) }
            do throws(WebImageError) {
                succeed(leg, decrypted: try modify())
            } catch {
                failed(error.with(url: plan.url))
            }
        case .failure(let error):
            if mustForget { return beginWithoutPrefix() }
            failed(error)
        }
    }

    /// Judges the head as modified, and decrypts; nil when there is nothing to decrypt.
    private func modify() throws(WebImageError) -> Data? {
        let (answer, isConfirmed) = state.withLock { ($0.head, $0.isConfirmed) }
        if let modifier = plan.responseModifier, let answer, isConfirmed {
            // The body that a 304 confirms was judged when it came: the modifier may change the fields alone.
            var modified = modifier.modifiedResponse(with: answer) ?? answer
            modified.statusCode = answer.statusCode
            state.withLock { $0.head = modified }
            return nil
        }
        if let modifier = plan.responseModifier, let head = answer {
            guard let modified = modifier.modifiedResponse(with: head) else {
                throw WebImageError(
                    .invalidDownloadResponse, stage: .download, underlying: .message("the response modifier refused"))
            }
            state.withLock { ($0.head, $0.refusedHead) = (modified, modified) }
            if let refusal = plan.settings.acceptance.refusal(of: modified, for: plan.url) { throw refusal }
        }
        let (body, head) = state.withLock { ($0.body, $0.head) }
        guard let decryptor = plan.decryptor, let body, body.count > 0 else { return nil }
        guard let data = decryptor.decryptedData(with: try body.data(), response: head) else {
            throw WebImageError(
                .badImageData, stage: .download, underlying: .message("the decryptor could not read the bytes"))
        }
        return data
    }

    /// The next hop: judged before it is made; what was meant for one origin goes to no other.
    private func follow(_ redirect: Redirect, from leg: DownloadLeg) {
        let (source, target) = (leg.transfer.request.url, redirect.target)
        let policy = plan.transfer.policy ?? .anyWebRedirect
        if let refusal = policy.refusal(ofRedirectFrom: source, to: target) { return finish(.failure(refusal)) }
        let maxRedirects = plan.transfer.route.members.maxRedirects
        let (isPossible, isAllowed) = state.withLock { state -> (Bool, Bool) in
            guard let next = state.transfer.redirected(redirect) else { return (false, false) }
            state.redirects += 1
            state.attempts -= 1
            state.transfer = next
            if !source.hasOrigin(of: target) { state.validators = [:] }
            return (true, state.redirects <= maxRedirects)
        }
        guard isPossible else {
            return finish(.failure(.redirectedBody(leg.transfer.request.httpMethod, target)))
        }
        guard isAllowed else {
            return finish(
                .failure(
                    WebImageError(
                        .transport, stage: .download, url: plan.url,
                        underlying: .curl(code: 47, message: "over \(maxRedirects) redirects"),
                        hint: "The server redirects in a loop; ask for the final URL.")))
        }
        beginLeg()
    }

    private func beginWithoutPrefix() {
        forgetKept()
        state.withLock { state in
            state.prefix = nil
            state.attempts -= 1
        }
        beginLeg()
    }

    /// Tries again if the strategy says so, after its wait and in a new slot.
    private func failed(_ error: WebImageError) {
        let now = environment.clock.now
        let failure = state.withLock { state in
            DownloadFailure(
                error: error, attempts: state.attempts, elapsed: now - (state.begun ?? now),
                retryAfter: state.refusedHead?.retryAfter(now: environment.clock.date))
        }
        guard error.code != .cancelled, let delay = plan.retry?.delay(after: failure) else {
            return finish(.failure(error))
        }
        let isWaiting = state.withLock { state in
            guard !state.isCancelled else { return false }
            state.prefix = takePartial(&state)
            state.leg = nil
            return true
        }
        guard isWaiting else { return }
        // Paused before the wait begins: the end of a short one would find a running download, which cannot be
        // resumed, and the pause that followed would have no end.
        events.pause()
        let wait = environment.clock.schedule(after: max(delay, .zero)) { self.events.resume() }
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.wait = wait }
            return state.isCancelled
        }
        if isCancelled { wait.cancel() }
    }

    /// The beginning on disk, if any, is of no use.
    private func forgetKept() {
        if let store = environment.resumeStore, let name = plan.sharing { store.remove(name) }
    }

    // MARK: The end

    private func succeed(_ leg: DownloadLeg, decrypted: Data? = nil) {
        let (body, head, isConfirmed, hadPrefix) = state.withLock { state in
            (state.body, state.head, state.isConfirmed, leg.prefix != nil)
        }
        if hadPrefix { forgetKept() }
        var data = Data()
        do throws(WebImageError) {
            if let decrypted { data = decrypted } else if !isConfirmed, let body { data = try body.data() }
        } catch {
            return finish(.failure(error.with(url: plan.url)))
        }
        guard let head, !data.isEmpty || isConfirmed else { return finish(.failure(.emptyBody(plan.url))) }
        var result = ImageDataResult(data: data, response: head)
        result.isNotModified = isConfirmed
        var request = leg.transfer.request
        request.url = plan.url
        let (sentAt, receivedAt) = (leg.sentAt, environment.clock.date)
        result.mayBeStored = HTTPCachePolicy.mayStore(head, to: request) && plan.cacheScope != .unstored
        result.describe { [request] in
            StoredResponse(head, to: request, requestTime: sentAt, responseTime: receivedAt).serialized
        }
        finish(.success(result))
    }

    /// Ends the download: its timers, its beginning on disk, its subscribers.
    func finish(_ outcome: DownloadSubscriber.Outcome) {
        let (partial, deadline) = state.withLock { state -> (PartialBody?, (any WebImageOperation)?) in
            if case .success = outcome { return (nil, state.deadline.take()) }
            return (takePartial(&state), state.deadline.take())
        }
        deadline?.cancel()
        keep(partial)
        events.end(DownloadEnding(outcome))
        events.post(.stop, self)
        if case .success = outcome { events.post(.finish, self) }
    }

    /// Ends whatever it is doing because the time for the whole of it is over.
    func passDeadline(_ duration: Duration) {
        let (isOver, operation, wait) = state.withLock { state in
            defer { state.isCancelled = true }
            return (state.isCancelled, state.operation, state.wait.take())
        }
        guard !isOver else { return }
        wait?.cancel()
        finish(
            .failure(
                WebImageError(
                    .transport, stage: .download, url: plan.url,
                    underlying: .curl(code: 28, message: "not at its end after \(duration)"),
                    hint: "The server is too slow; try again or raise downloadDeadline.")))
        operation?.cancel()
    }

    /// Tells subscribers the end, after the last progress.
    func deliver(_ ending: DownloadEnding, to subscribers: [DownloadSubscriber]) {
        let nobodyListens = state.withLock { $0.listeners.isEmpty && $0.newcomers.isEmpty }
        // The common case of a load without progress costs no hop between threads.
        if nobodyListens, subscribers.allSatisfy(\.keepsOutcome) {
            return environment.engine.afterSending { self.end(subscribers, ending) }
        }
        delivery.async {
            if case .success = ending.outcome { self.report() }
            self.end(subscribers, ending)
        }
    }

    private func end(_ subscribers: [DownloadSubscriber], _ ending: DownloadEnding) {
        let isHeard = subscribers.reduce(false) { $1.end(ending) || $0 }
        // Everybody cancelled between the last byte and this: the body is whole all the same.
        if !isHeard, case .success(let result) = ending.outcome,
            let heir = subscribers.lazy.compactMap(\.finishedAfterCancel).first
        {
            delivery.async { heir(result) }
        }
        state.withLock { ($0.listeners, $0.newcomers, $0.body, $0.leg) = ([], [], nil, nil) }
    }
}

extension URL {
    /// Whether scheme, host and port are the same (RFC 6454).
    func hasOrigin(of other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
        return scheme?.lowercased() == other.scheme?.lowercased()
            && host()?.lowercased() == other.host()?.lowercased() && port(self) == port(other)
    }
}

extension WebImageError {
    /// A redirect by which another origin would get what was meant for the first.
    fileprivate static func redirectedBody(_ method: String, _ target: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .download, url: target,
            underlying: .message("the redirect would send the request's method (\(method)) and body to another origin"),
            hint: "Ask for the final URL.")
    }
}

extension DownloadPolicy {
    /// Of a redirect without a policy of the user's: to anywhere over http and https.
    fileprivate static let anyWebRedirect: DownloadPolicy = {
        var policy = DownloadPolicy()
        policy.allowsDowngrade = true
        return policy
    }()
}

extension CurlTransferRequest {
    /// Whether curl follows redirects: of these methods it makes what RFC 9110 §15.4 says. Under a policy each hop is
    /// judged before it is made, by the download.
    var followsRedirects: Bool { policy == nil && ["GET", "HEAD", "POST"].contains(request.httpMethod) }

    /// The request of the next hop: to another origin go neither credentials nor fields that are not everybody's.
    ///
    /// Nil when the hop would send another method than GET and HEAD, or a body, to another origin.
    fileprivate func redirected(_ redirect: SharedDownload.Redirect) -> CurlTransferRequest? {
        var next = request
        next.url = redirect.target
        let becomesGet =
            redirect.status == 303
            ? request.httpMethod != "HEAD" : [301, 302].contains(redirect.status) && request.httpMethod == "POST"
        if becomesGet {
            (next.httpMethod, next.httpBody) = ("GET", nil)
            // They describe the body that is no longer sent (RFC 9110 §15.4).
            for field in request.allHTTPHeaderFields.keys where field.lowercased().hasPrefix("content-") {
                next.setValue(nil, forHTTPHeaderField: field)
            }
        }
        guard !request.url.hasOrigin(of: redirect.target) else { return with(next) }
        guard ["GET", "HEAD"].contains(next.httpMethod), next.httpBody == nil else { return nil }
        for field in request.allHTTPHeaderFields.keys where !Self.harmlessFields.contains(field.lowercased()) {
            next.setValue(nil, forHTTPHeaderField: field)
        }
        return CurlTransferRequest(next, route: route.anonymous, priority: priority)
    }

    private static let harmlessFields: Set<String> = ["accept", "accept-language", "accept-encoding", "user-agent"]
}
