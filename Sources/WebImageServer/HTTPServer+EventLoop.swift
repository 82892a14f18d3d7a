import CWebImageHTTPShim
import Foundation
import WebImageCore

/// The watching thread. It accepts connections, detects disconnected clients, closes connections whose deadline has
/// passed, and stops the server.
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
        let watch = webimage_http_watch_create()
        let wake = webimage_http_wake_create()
        let context = Unmanaged.passRetained(self)
        // libmicrohttpd divides its limit of connections among its threads. The value is far above the server's own
        // limit, so that only the server's limit takes effect.
        let options = webimage_http_options(
            threads: UInt32(min(max(configuration.threadCount, 1), 64)),
            connections: UInt32(clamping: configuration.maxConnections.clamped(to: 1...(1 << 24)) * 2 + 1_024),
            memory: max(configuration.maxHeadBytes, 1_024) + 2_048, target: configuration.maxTargetBytes)
        guard watch >= 0, wake >= 0,
            let server = webimage_http_start(options, Self.callbacks(context.toOpaque()))
        else {
            let reason = String(cString: strerror(errno))
            if watch >= 0 { close(watch) }
            if wake >= 0 { close(wake) }
            context.release()
            throw HTTPServerError("libmicrohttpd cannot be started: \(reason)")
        }
        webimage_http_watch_readable(watch, wake, Self.wakeEvent)
        for (index, listener) in listeners.enumerated() {
            webimage_http_watch_readable(watch, listener.descriptor, UInt64(index + 1))
        }
        state.withLock { $0.wake = wake }
        HandleLedger.opened("HTTP server")
        let pointer = ServerPointer(pointer: server)
        let thread = Thread(name: "webimage.http") { [self] in
            run(pointer.pointer, watch, wake, listeners)
            // The server was retained as the context of libmicrohttpd. libmicrohttpd has stopped, so release the
            // server.
            Unmanaged.passUnretained(self).release()
            finish()
        }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private func run(_ server: OpaquePointer, _ watch: Int32, _ wake: Int32, _ listeners: [SocketListener]) {
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
                    if !accept(listeners[Int(event.id) - 1], server, watch) {
                        // No descriptor is left. Pause watching the listeners. Otherwise their waiting connections
                        // would end every wait immediately, and this thread would use a whole processor core.
                        for listener in listeners { webimage_http_watch_remove(watch, listener.descriptor) }
                        pausedUntil = SystemClock().now + Self.tick
                    }
                default:
                    let pending = state.withLock { $0.table.markPeerClosed(event.id) }
                    if let pending { abandon(pending) }
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
                // connections.
                for listener in listeners {
                    _ = accept(listener, server, watch, atMost: Int(SOMAXCONN))
                    webimage_http_watch_remove(watch, listener.descriptor)
                    listener.close()
                }
                listeners = []
                if drain() { break }
            }
        }
        webimage_http_stop(server)
        let untaken = state.withLock { state in
            state.wake = -1
            return state.table.removeAll()
        }
        // For connections that no thread of libmicrohttpd has started to serve, libmicrohttpd closes the descriptor but
        // does not call `closed`. Close their ledger entries here.
        for _ in 0..<untaken { HandleLedger.closed("HTTP connection") }
        close(wake)
        close(watch)
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
    private func accept(
        _ listener: SocketListener, _ server: OpaquePointer, _ watch: Int32, atMost limit: Int = 256
    ) -> Bool {
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
            add(descriptor, &storage, length, server, watch)
        }
        return true
    }

    private func add(
        _ descriptor: Int32, _ storage: inout sockaddr_storage, _ length: socklen_t, _ server: OpaquePointer,
        _ watch: Int32
    ) {
        let peer = SocketAddress(storage)?.address
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
            // Watch the descriptor before libmicrohttpd receives it. After receiving it, libmicrohttpd can close the
            // descriptor at any time, and another connection can receive the same descriptor. A close also removes the
            // descriptor from the epoll set.
            webimage_http_watch_closing(watch, descriptor, number)
            let isTaken = withUnsafePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    webimage_http_add(server, descriptor, $0, length)
                }
            }
            guard !isTaken else { return }
            HandleLedger.closed("HTTP connection")
            state.withLock { $0.table.remove(number) }
        case .tooMany: Self.refuse(descriptor, "503 Service Unavailable")
        case .tooManyOfClient: Self.refuse(descriptor, "429 Too Many Requests")
        }
    }

    /// Sends a refusal without reading the request and closes the connection.
    private static func refuse(_ descriptor: Int32, _ status: String) {
        let text = "HTTP/1.1 \(status)\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        _ = send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        shutdown(descriptor, Int32(SHUT_WR))
        close(descriptor)
    }

    private func sweep() {
        state.withLock { state in
            // Hold the lock during `shutdown`. Before libmicrohttpd closes a descriptor, it calls `closed`, which waits
            // for the lock. The descriptor can therefore not be closed and reused before `shutdown` returns.
            let cut = state.table.sweep(at: clock.now, limits: state.limits) { webimage_http_acknowledged($0) }
            for (descriptor, reason) in cut {
                shutdown(descriptor, Int32(SHUT_RDWR))
                switch reason {
                case .head: state.statistics.headTimeouts += 1
                case .idle: state.statistics.idleTimeouts += 1
                case .send: state.statistics.sendTimeouts += 1
                }
            }
        }
    }

    /// Performs one step of stopping the server. Returns true if no request is left and libmicrohttpd may be stopped.
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
            guard busy.count == 0, state.replying == 0 else { return (isLate ? busy.requests : [], false) }
            return ([], state.table.isEmpty || isLate && !state.table.isSending || now >= deadline + Self.linger)
        }
        for pending in late {
            // Reply before cancelling; otherwise the cancelled task could send its own answer first.
            reply(to: pending, .stopping)
            pending.cancel()
        }
        return isOver
    }
}

/// The pointer to libmicrohttpd's server. Sendable is safe because only the watching thread uses the pointer after the
/// start.
private struct ServerPointer: @unchecked Sendable {
    let pointer: OpaquePointer
}

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
