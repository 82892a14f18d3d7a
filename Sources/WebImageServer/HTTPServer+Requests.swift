import CWebImageHTTPShim
import Foundation
import WebImageCore
import WebImageHTTP
import WebImageService

/// The functions that the connections call on the threads of their reactors.
extension HTTPServer {
    /// Records that the first byte of a head has arrived.
    func began(_ number: UInt64) { state.withLock { $0.table.began(number, at: clock.now) } }

    /// Returns the request of a head; nil if the stop deadline has passed. A request that arrives before the deadline on
    /// an open connection is answered: the client could not know that the server stops.
    func admit(_ number: UInt64, _ head: RequestHead) -> ServiceRequest? {
        let field = head.headers["X-Forwarded-For"]
        let accepted = state.withLock { state -> (client: IPAddress?, isProxied: Bool)? in
            if let deadline = state.stopDeadline, clock.now >= deadline { return nil }
            state.table.setPhase(number, .busy(nil))
            state.statistics.requests += 1
            let (peer, trusted) = (state.table[number]?.peer, state.limits.trustedProxies)
            let isProxied = peer.map { peer in trusted.contains { $0.contains(peer) } } ?? true
            return (ForwardedClient.address(peer: peer, field: field, trusted: trusted), isProxied)
        }
        guard let (client, isProxied) = accepted else { return nil }
        var request = ServiceRequest(
            method: head.method, target: head.target, headers: head.headers, client: client?.description)
        request.isFromTrustedProxy = isProxied
        request.arrivingBodies = head.isOld ? .ofKnownLength : .all
        return request
    }

    /// Answers a request in a task.
    func start(_ pending: PendingRequest) {
        state.withLock { $0.table.setPhase(pending.connection, .busy(pending)) }
        // The task captures the server strongly, because the server must exist until the request has its reply.
        pending.set(
            Task.detached { [self] in
                let response = await respond(pending.request)
                if pending.claim() { send(response, to: pending) }
            })
    }

    /// Passes the reply of a claimed request to its connection. Safe on any thread.
    func send(_ response: ServiceResponse, to pending: PendingRequest) {
        // The size of a body that arrives is known at its end, so its connection reports it.
        if case .arriving = response.body {} else { answered?(pending.request, response) }
        if !pending.reactor.post(.reply(pending, response)) { ended(response, to: pending.request) }
    }

    /// Ends the use of a body that arrives, and reports its answer. Does nothing for other answers, which are reported
    /// before they are sent.
    func ended(_ response: ServiceResponse, to request: ServiceRequest) {
        guard case .arriving(let body) = response.body else { return }
        body.close()
        var reported = response
        if let failure = body.failure { (reported.logEntry.reason, reported.logEntry.message) = ("cut", failure) }
        answered?(request, reported)
    }

    /// Cancels the task of a request whose client disconnected. The task must still reply, because the connection is
    /// closed after the reply.
    func abandon(_ pending: PendingRequest) {
        state.withLock { $0.statistics.abandonedRequests += 1 }
        pending.cancel()
    }

    /// Returns the answer to a refused head.
    func refuse(_ number: UInt64, _ error: HeadError) -> ServiceResponse {
        let peer = state.withLock { state in
            state.statistics.refusedRequests += 1
            return state.table[number]?.peer
        }
        return refusal(error, client: peer?.description)
    }

    /// Answers an accepted request that has no answer when the server stops, and cancels its task.
    func cut(_ pending: PendingRequest) {
        // Reply before cancelling; otherwise the cancelled task could send its own answer first.
        if pending.claim() {
            let error = HeadError.stopping
            // `send` reports the answer, so that the request is reported once.
            send(
                refuser(
                    HTTPRefusal(
                        status: error.status, message: error.message, client: pending.request.client,
                        accepted: pending.request)), to: pending)
        }
        pending.cancel()
    }

    func refusal(_ error: HeadError, client: String?) -> ServiceResponse {
        let refusal = HTTPRefusal(status: error.status, message: error.message, client: client)
        let response = refuser(refusal)
        answered?(refusal.request, response)
        return response
    }

    /// Records that an answer begins. Returns whether the server is stopping.
    func sending(_ number: UInt64, bytes: UInt64) -> Bool {
        state.withLock { state in
            state.table.sending(number, bytes: bytes, at: clock.now, limits: state.limits)
            Self.wakeIfStopping(state)
            return state.isStopping
        }
    }

    /// Records that a connection waits for the next bytes of its answer.
    func awaits(_ number: UInt64) { state.withLock { $0.table.setPhase(number, .awaiting) } }

    /// Records that an answer was sent, or that the connection ended first.
    func completed(_ number: UInt64) {
        state.withLock { state in
            state.table.setPhase(number, .idle(since: clock.now))
            state.statistics.completedRequests += 1
            Self.wakeIfStopping(state)
        }
    }

    /// Records that a connection waits for the client to close it.
    func lingers(_ number: UInt64) { state.withLock { $0.table.setPhase(number, .lingering(since: clock.now)) } }

    /// Closes a connection.
    func close(_ number: UInt64, _ descriptor: Int32) {
        HandleLedger.closed("HTTP connection")
        state.withLock { state in
            state.table.remove(number)
            Self.wakeIfStopping(state)
        }
        Foundation.close(descriptor)
    }

    private static func wakeIfStopping(_ state: State) {
        if state.isStopping, state.wake >= 0 { webimage_http_wake(state.wake) }
    }
}
