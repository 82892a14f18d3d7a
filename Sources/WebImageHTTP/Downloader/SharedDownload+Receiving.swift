import Foundation
import WebImageCore

/// What comes from a transfer, on the engine's thread: quick, and never user code.
extension SharedDownload {
    func leg(_ leg: DownloadLeg, didReceive head: WebImageResponse) -> WebImageError? {
        let (refusal, isAccepted) = state.withLock { state -> (WebImageError?, Bool) in
            guard state.leg === leg else { return (.cancelled, false) }
            if let redirect = redirect(head, of: leg) {
                state.redirect = redirect
                return (nil, false)
            }
            if let prefix = leg.prefix, prefix.isContinued(by: head) {
                var whole = head
                whole.statusCode = 200
                whole.expectedContentLength = prefix.total
                begin(prefix.body, head: whole, expected: prefix.total, &state)
                return (nil, true)
            }
            if leg.prefix != nil, head.statusCode == 206 || head.statusCode == 416 {
                // Not the rest that was asked for: everything is to be fetched anew.
                state.mustForgetPrefix = true
                return (Self.wrongRange(head, plan.url), false)
            }
            if head.statusCode == 206, leg.transfer.request.value(forHTTPHeaderField: "Range") == nil {
                // A part that nobody asked for would pass for the whole.
                return (Self.wrongRange(head, plan.url), false)
            }
            // With a response modifier the head is judged when the modifier has seen it.
            state.isConfirmed = head.statusCode == 304 && !state.validators.isEmpty
            if plan.responseModifier == nil, !state.isConfirmed,
                let refusal = plan.settings.acceptance.refusal(of: head, for: plan.url)
            {
                (state.head, state.refusedHead) = (head, head)
                forgetBody(&state)
                state.expected = -1
                return (refusal, false)
            }
            state.prefix = nil
            let expected = head.expectedContentLength ?? 0
            begin(ReceivedBody(plan.settings.room, expected: expected), head: head, expected: expected, &state)
            return (nil, true)
        }
        if isAccepted {
            scheduleReport(ofNews: true)
            events.post(.receiveResponse, self)
        }
        return refusal
    }

    private func begin(_ body: ReceivedBody, head: WebImageResponse, expected: Int, _ state: inout State) {
        if state.body !== body { forgetBody(&state) }
        (state.head, state.body, state.expected) = (head, body, expected)
    }

    /// A body that begins anew after bytes were handed out is another one.
    private func forgetBody(_ state: inout State) {
        if let body = state.body, body.count > 0 { state.generation += 1 }
        state.body = nil
    }

    func leg(_ leg: DownloadLeg, didReceive bytes: UnsafeRawBufferPointer) -> WebImageError? {
        // What comes with a redirect is no part of the body.
        let body = state.withLock { state in
            state.leg === leg && state.redirect == nil ? state.body : nil
        }
        guard let body else { return nil }
        do throws(WebImageError) {
            // Not under the lock: it may write to a disk, and who cancels does not wait for that.
            try body.append(bytes)
        } catch {
            return error.with(url: plan.url)
        }
        scheduleReport(ofNews: true)
        return nil
    }

    private func redirect(_ head: WebImageResponse, of leg: DownloadLeg) -> Redirect? {
        guard !leg.transfer.followsRedirects, let status = head.statusCode,
            [301, 302, 303, 307, 308].contains(status), let location = head.value(forHTTPHeaderField: "location"),
            let target = URL(string: location, relativeTo: leg.transfer.request.url)?.absoluteURL
        else { return nil }
        // A URL without a host is not followed; the policy says why.
        return Redirect(target: target.withCanonicalHost ?? target, status: status)
    }

    private static func wrongRange(_ head: WebImageResponse, _ url: URL) -> WebImageError {
        let range = head.value(forHTTPHeaderField: "content-range") ?? "none"
        return WebImageError(
            .invalidDownloadResponse, stage: .download, url: url,
            underlying: .message("status \(head.statusCode ?? 0) with range \(range) is not what was asked for"),
            hint: "The server sends a part in place of the whole; load again.")
    }

    // MARK: Progress

    func scheduleReport(ofNews hasNews: Bool = false) {
        let isDue = state.withLock { state in
            if hasNews { state.hasNews = true }
            guard !state.isReportScheduled, !(state.listeners.isEmpty && state.newcomers.isEmpty) else { return false }
            state.isReportScheduled = true
            return true
        }
        if isDue { delivery.async { self.report() } }
    }

    /// On the delivery queue. Without news only newcomers are told: thousands may join a download that stands still.
    func report() {
        let (body, head, expected, generation, listeners) = state.withLock { state in
            state.isReportScheduled = false
            let newcomers = state.newcomers
            if state.hasNews { state.listeners.removeAll(where: \.hasEnded) }
            state.listeners += newcomers
            defer { (state.newcomers, state.hasNews) = ([], false) }
            return (
                state.body, state.head, state.expected, state.generation, state.hasNews ? state.listeners : newcomers
            )
        }
        let received = body?.count ?? 0
        for listener in listeners {
            if plan.decryptor == nil, let head, let body {
                listener.deliver(body, head: head, generation: generation)
            }
            listener.report(received: received, expected: expected)
        }
    }
}
