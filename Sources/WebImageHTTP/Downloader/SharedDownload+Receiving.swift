import Foundation
import WebImageCore

/// What comes from a transfer, on the engine's thread: quick, and never user code.
extension SharedDownload {
    func leg(_ leg: DownloadLeg, didReceive head: WebImageResponse) -> WebImageError? {
        let (refusal, isAccepted) = state.withLock { state -> (WebImageError?, Bool) in
            guard state.leg === leg else { return (.cancelled, false) }
            if let target = redirectTarget(head, of: leg) {
                state.redirect = target
                return (nil, false)
            }
            if let prefix = leg.prefix, prefix.isContinued(by: head) {
                var whole = head
                whole.statusCode = 200
                whole.expectedContentLength = prefix.total
                begin(prefix.data, head: whole, expected: prefix.total, &state)
                return (nil, true)
            }
            if leg.prefix != nil, head.statusCode == 206 || head.statusCode == 416 {
                // Not the rest that was asked for: everything is to be fetched anew.
                state.mustForgetPrefix = true
                return (Self.wrongRange(head, plan.url), false)
            }
            // With a response modifier the head is judged when the modifier has seen it.
            let isConfirmed = head.statusCode == 304 && !state.validators.isEmpty
            if plan.responseModifier == nil, !isConfirmed,
                let refusal = plan.acceptance.refusal(of: head, for: plan.url)
            {
                (state.head, state.refusedHead) = (head, head)
                if !state.body.isEmpty { state.generation += 1 }
                (state.body, state.expected) = (Data(), -1)
                return (refusal, false)
            }
            state.prefix = nil
            begin(Data(), head: head, expected: head.expectedContentLength ?? 0, &state)
            return (nil, true)
        }
        if isAccepted {
            scheduleReport()
            events.post(.receiveResponse, self)
        }
        return refusal
    }

    private func begin(_ body: Data, head: WebImageResponse, expected: Int, _ state: inout State) {
        // A body that begins anew after bytes were handed out is another one.
        if !(state.body.count <= body.count && body.starts(with: state.body)) { state.generation += 1 }
        state.head = head
        state.body = body
        state.expected = expected
        // The server's word is believed up to a megabyte; beyond that the buffer grows with what really comes.
        state.body.reserveCapacity(min(max(expected, 0), 1 << 20))
    }

    func leg(_ leg: DownloadLeg, didReceive bytes: UnsafeRawBufferPointer) -> WebImageError? {
        let isNews = state.withLock { state in
            // What comes with a redirect is no part of the body.
            guard state.leg === leg, state.redirect == nil else { return false }
            state.body.append(contentsOf: bytes)
            return true
        }
        if isNews { scheduleReport() }
        return nil
    }

    private func redirectTarget(_ head: WebImageResponse, of leg: DownloadLeg) -> URL? {
        guard leg.transfer.policy != nil, let status = head.statusCode, [301, 302, 303, 307, 308].contains(status),
            let location = head.value(forHTTPHeaderField: "location")
        else { return nil }
        return URL(string: location, relativeTo: leg.transfer.request.url)?.absoluteURL
    }

    private static func wrongRange(_ head: WebImageResponse, _ url: URL) -> WebImageError {
        let range = head.value(forHTTPHeaderField: "content-range") ?? "none"
        return WebImageError(
            .invalidDownloadResponse, stage: .download, url: url,
            underlying: .message("the answer to a range is status \(head.statusCode ?? 0) with range \(range)"),
            hint: "The server cannot continue a download; load again.")
    }

    // MARK: Progress

    func scheduleReport() {
        let isDue = state.withLock { state in
            guard !state.isReportScheduled, !state.listeners.isEmpty else { return false }
            state.isReportScheduled = true
            return true
        }
        if isDue { delivery.async { self.report() } }
    }

    /// On the delivery queue.
    func report() {
        let (body, head, expected, generation, listeners) = state.withLock { state in
            state.isReportScheduled = false
            state.listeners.removeAll { $0.hasEnded }
            let wantsBytes = state.listeners.contains { $0.wantsData }
            return (
                (count: state.body.count, data: wantsBytes ? state.body : Data()), state.head, state.expected,
                state.generation, state.listeners
            )
        }
        for listener in listeners {
            if plan.decryptor == nil, let head { listener.deliver(body.data, head: head, generation: generation) }
            listener.report(received: body.count, expected: expected)
        }
    }
}
