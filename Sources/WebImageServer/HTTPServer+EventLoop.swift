import CWebImageHTTPShim
import Dispatch
import Foundation
import WebImageCore
import WebImageHTTP
import WebImageService

/// The watching thread. It accepts connections, closes connections whose deadline has passed, and stops the server.
extension HTTPServer {
    /// The interval between checks of the deadlines, and the longest wait for an event.
    private static let tick = Duration.milliseconds(200)
    /// During a stop, the time for which a connection may wait for a request before it is closed. The connection is not
    /// closed at once, because the client may already have sent a request.
    private static let grace = Duration.milliseconds(500)
    /// The additional time after the stop deadline in which the last answers can be sent.
    private static let linger = Duration.seconds(1)
    private static let wakeEvent: UInt64 = 0

    func start(_ listeners: [SocketListener], _ configuration: HTTPServerConfiguration) throws(HTTPServerError) {
        let limits = HeadLimits(head: max(configuration.maxHeadBytes, 1_024), target: configuration.maxTargetBytes)
        let watch = webimage_http_watch_create()
        let wake = webimage_http_wake_create()
        let reactors = (0..<min(max(configuration.threadCount, 1), 64)).compactMap { _ in HTTPReactor(limits) }
        guard watch >= 0, wake >= 0, reactors.count == min(max(configuration.threadCount, 1), 64) else {
            let reason = String(cString: strerror(errno))
            if watch >= 0 { Foundation.close(watch) }
            if wake >= 0 { Foundation.close(wake) }
            throw HTTPServerError("the server cannot be started: \(reason)")
        }
        webimage_http_watch_readable(watch, wake, Self.wakeEvent)
        for (index, listener) in listeners.enumerated() {
            webimage_http_watch_readable(watch, listener.descriptor, UInt64(index + 1))
        }
        state.withLock { $0.wake = wake }
        HandleLedger.opened("HTTP server")
        let ended = DispatchGroup()
        for reactor in reactors {
            ended.enter()
            Self.startThread {
                reactor.run(self)
                ended.leave()
            }
        }
        Self.startThread {
            self.run(reactors, watch, wake, listeners)
            for reactor in reactors { reactor.post(.stop) }
            ended.wait()
            self.state.withLock { $0.wake = -1 }
            Foundation.close(wake)
            Foundation.close(watch)
            self.finish()
        }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "webimage.http"
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func run(_ reactors: [HTTPReactor], _ watch: Int32, _ wake: Int32, _ listeners: [SocketListener]) {
        var listeners = listeners
        var pausedUntil: Duration?
        var swept = SystemClock().now
        var events = [webimage_http_event](repeating: webimage_http_event(), count: 64)
        while true {
            let isStopping = state.withLock { $0.isStopping }
            let count = webimage_http_watch_wait(watch, &events, 64, isStopping ? 20 : 200)
            for event in events.prefix(max(Int(count), 0)) {
                switch event.id {
                case Self.wakeEvent: webimage_http_wake_clear(wake)
                case 1..<ConnectionTable.reserved:
                    // The event belongs to a listener. After a stop, `events` may still contain an event of a closed
                    // listener.
                    guard event.id <= UInt64(listeners.count) else { continue }
                    if !accept(listeners[Int(event.id) - 1], reactors) {
                        // No descriptor is left. Pause watching the listeners. Otherwise their waiting connections
                        // would end every wait immediately, and this thread would use a whole processor core.
                        for listener in listeners { webimage_http_watch_remove(watch, listener.descriptor) }
                        pausedUntil = SystemClock().now + Self.tick
                    }
                default: break
                }
            }
            let now = SystemClock().now
            if let end = pausedUntil, now >= end {
                pausedUntil = nil
                for (index, listener) in listeners.enumerated() {
                    webimage_http_watch_readable(watch, listener.descriptor, UInt64(index + 1))
                }
            }
            if now - swept >= Self.tick {
                swept = now
                sweep()
            }
            if state.withLock({ $0.isStopping }) {
                // Before closing a listener, accept the connections in its queue, because the close would reset these
                // connections. The service manager keeps an inherited listener open, so the next process accepts its
                // queue.
                for listener in listeners {
                    if !listener.isInherited { _ = accept(listener, reactors, atMost: Int(SOMAXCONN)) }
                    webimage_http_watch_remove(watch, listener.descriptor)
                    listener.close()
                }
                listeners = []
                if drain() { break }
            }
        }
    }

    private func finish() {
        HandleLedger.closed("HTTP server")
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            state.hasEnded = true
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: ()) }
    }

    /// Accepts the waiting connections. Returns false if no descriptor or memory is left for another connection.
    ///
    /// - Parameter limit: The maximum number of connections to accept in this call. Without it, a flood of connections
    ///   would prevent this thread from checking deadlines.
    private func accept(_ listener: SocketListener, _ reactors: [HTTPReactor], atMost limit: Int = 256) -> Bool {
        for _ in 0..<limit {
            var storage = sockaddr_storage()
            var length = socklen_t()
            let descriptor = webimage_http_accept(listener.descriptor, &storage, &length)
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENETUNREACH, EHOSTUNREACH: continue
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return false
                default: return true
                }
            }
            add(descriptor, SocketAddress(storage)?.address, reactors)
        }
        return true
    }

    private func add(_ descriptor: Int32, _ peer: IPAddress?, _ reactors: [HTTPReactor]) {
        let admission = state.withLock { state in
            let admission = state.table.accept(descriptor, peer: peer, at: clock.now, limits: state.limits)
            switch admission {
            case .accepted: state.statistics.acceptedConnections += 1
            case .tooMany: state.statistics.refusedConnections += 1
            case .tooManyOfClient: state.statistics.refusedConnectionsOfClient += 1
            }
            return admission
        }
        switch admission {
        case .accepted(let number):
            HandleLedger.opened("HTTP connection")
            reactors[Int(number % UInt64(reactors.count))].post(.add(number: number, descriptor: descriptor))
        case .tooMany: refuse(descriptor, peer, HeadError(503, "the service has too many connections"))
        case .tooManyOfClient: refuse(descriptor, peer, HeadError(429, "the client has too many connections"))
        }
    }

    /// Sends a refusal without waiting for the request, and closes the connection.
    private func refuse(_ descriptor: Int32, _ peer: IPAddress?, _ error: HeadError) {
        let response = refusal(error, client: peer?.description)
        var date = ResponseDate()
        let head = ResponseHead.bytes(
            response, length: response.body.count, isPersistent: false, isOld: false, date: date.text())
        var output = HTTPOutput(head: head, body: response.body, isPersistent: false)
        _ = output.send(descriptor) {}
        shutdown(descriptor, Int32(SHUT_WR))
        // Read what the client has already sent. Otherwise the close resets the connection and can destroy the answer.
        var discarded = [UInt8](repeating: 0, count: 16 << 10)
        _ = recv(descriptor, &discarded, discarded.count, Int32(MSG_DONTWAIT))
        Foundation.close(descriptor)
    }

    private func sweep() {
        state.withLock { state in
            // Hold the lock during `shutdown`. A reactor removes a connection from the table before it closes the
            // descriptor. The descriptor can therefore not be closed and reused before `shutdown` returns.
            let cut = state.table.sweep(at: clock.now, limits: state.limits) { webimage_http_acknowledged($0) }
            for (descriptor, reason) in cut {
                shutdown(descriptor, Int32(SHUT_RDWR))
                switch reason {
                case .head: state.statistics.headTimeouts += 1
                case .idle: state.statistics.idleTimeouts += 1
                case .send: state.statistics.sendTimeouts += 1
                case .linger: break
                }
            }
        }
    }

    /// Performs one step of stopping the server. Returns true if no request is left and the reactors may end.
    private func drain() -> Bool {
        let (late, isOver) = state.withLock { state -> ([PendingRequest], Bool) in
            let now = clock.now
            let deadline = state.stopDeadline ?? now
            let isLate = now >= deadline
            // Close the connections that have waited for a request longer than `grace`; after the deadline, close
            // all connections that wait for a request.
            for descriptor in state.table.cutWaiting(before: isLate ? now : now - Self.grace) {
                // Shut down only the reading half, so that a request that has already arrived is still read and
                // answered.
                shutdown(descriptor, Int32(SHUT_RD))
            }
            let busy = state.table.busy
            guard busy.count == 0 else { return (isLate ? busy.requests : [], false) }
            return ([], state.table.isEmpty || isLate && !state.table.isSending || now >= deadline + Self.linger)
        }
        for pending in late { cut(pending) }
        return isOver
    }
}
