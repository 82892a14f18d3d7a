import CWebImageHTTPShim
import Foundation
import WebImageCore
import WebImageHTTP
import WebImageService

/// The callbacks of libmicrohttpd, which run on its threads.
extension HTTPServer {
    /// The callbacks for C. The context is the server. A callback does not retain the server.
    static func callbacks(_ context: UnsafeMutableRawPointer) -> webimage_http_callbacks {
        webimage_http_callbacks(
            context: context,
            opened: { HTTPServer.from($0).opened($1) },
            closed: { HTTPServer.from($0).closed($1) },
            began: { HTTPServer.from($0).began($1) },
            admit: { HTTPServer.from($0).admit($1) },
            handle: { context, number, request in
                // libmicrohttpd passes a request with every call, so `request` is never nil.
                guard let request else { return false }
                return HTTPServer.from(context).handle(request, number)
            },
            sending: { HTTPServer.from($0).sending($1, bytes: $2) },
            completed: { HTTPServer.from($0).completed($1) })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
        guard let context else { preconditionFailure("libmicrohttpd called without a context") }
        return Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    }

    private func opened(_ descriptor: Int32) -> UInt64 { state.withLock { $0.table.number(of: descriptor) ?? 0 } }

    private func closed(_ number: UInt64) {
        HandleLedger.closed("HTTP connection")
        state.withLock { state in
            state.table.remove(number)
            Self.wakeIfStopping(state)
        }
    }

    private func began(_ number: UInt64) { state.withLock { $0.table.began(number, at: clock.now) } }

    private func admit(_ number: UInt64) -> UInt32 {
        state.withLock { state in
            if state.isStopping { return 503 }
            state.table.setPhase(number, .busy(nil))
            state.statistics.requests += 1
            return 0
        }
    }

    private func sending(_ number: UInt64, bytes: UInt64) {
        state.withLock { state in
            state.table.sending(number, bytes: bytes, at: clock.now, limits: state.limits)
            Self.wakeIfStopping(state)
        }
    }

    private func completed(_ number: UInt64) {
        state.withLock { state in
            state.table.setPhase(number, .idle(since: clock.now))
            state.statistics.completedRequests += 1
            Self.wakeIfStopping(state)
        }
    }

    private static func wakeIfStopping(_ state: State) {
        if state.isStopping, state.wake >= 0 { webimage_http_wake(state.wake) }
    }

    /// Returns true if the immediate responder has answered the request, and false if a task will answer it.
    private func handle(_ pointer: OpaquePointer, _ number: UInt64) -> Bool {
        let request = request(pointer, number)
        if let response = respondImmediately?(request) {
            let closes = state.withLock { $0.isStopping }
            Self.send(response, closes: closes) { webimage_http_answer(pointer, $0, $1, $2, $3) }
            return true
        }
        // Suspend the request now, because the task may reply before this function returns.
        webimage_http_suspend(pointer)
        let pending = PendingRequest(pointer, number)
        let isPeerClosed = state.withLock { state in
            state.table.setPhase(number, .busy(pending))
            return state.table[number]?.isPeerClosed ?? true
        }
        // The task captures the server strongly, because the server must exist until the request has its reply.
        pending.set(
            Task.detached { [self] in
                let response = await respond(request)
                reply(to: pending, response)
            })
        if isPeerClosed { abandon(pending) }
        return false
    }

    private func request(_ pointer: OpaquePointer, _ number: UInt64) -> ServiceRequest {
        let headers = Self.headers(pointer)
        let client = state.withLock { state in
            ForwardedClient.address(
                peer: state.table[number]?.peer, field: headers["X-Forwarded-For"],
                trusted: state.limits.trustedProxies)
        }
        return ServiceRequest(
            method: webimage_http_method(pointer).map { String(cString: $0) } ?? "",
            target: Self.originForm(webimage_http_target(pointer).map { String(cString: $0) } ?? ""),
            headers: headers, client: client?.description)
    }

    /// Sends the answer to a request. Only the first answer is sent; a later answer is dropped. Safe on any thread.
    func reply(to pending: PendingRequest, _ response: ServiceResponse) {
        guard pending.claim() else { return }
        let closes = state.withLock { state in
            state.replying += 1
            return state.isStopping
        }
        let pointer = pending.pointer.pointer
        Self.send(response, closes: closes) { webimage_http_reply(pointer, $0, $1, $2, $3) }
        state.withLock { state in
            state.replying -= 1
            Self.wakeIfStopping(state)
        }
    }

    /// Passes an answer to libmicrohttpd. The arguments of `pass` are the status, the response, the size of the body in
    /// bytes, and whether the connection is closed after the answer.
    private static func send(
        _ response: ServiceResponse, closes: Bool, by pass: (UInt32, OpaquePointer?, UInt64, Bool) -> Void
    ) {
        if let answer = HTTPResponseFactory.make(response) {
            let status = (200...599).contains(response.status) ? response.status : 500
            pass(UInt32(status), answer, UInt64(response.body.count), closes)
        } else {
            // The body could not be attached, because no descriptor or memory was available. Answer 500 without a body.
            pass(500, HTTPResponseFactory.make(ServiceResponse(status: 500)), 0, true)
        }
    }

    /// Cancels the task of a request whose client disconnected. The task must still reply, because every C request
    /// needs one reply.
    func abandon(_ pending: PendingRequest) {
        state.withLock { $0.statistics.abandonedRequests += 1 }
        pending.cancel()
    }

    private static func headers(_ pointer: OpaquePointer) -> ServiceHeaders {
        var headers = ServiceHeaders()
        withUnsafeMutablePointer(to: &headers) { headers in
            webimage_http_fields(pointer, headers) { context, name, nameSize, value, valueSize in
                guard let headers = context?.assumingMemoryBound(to: ServiceHeaders.self) else { return }
                headers.pointee.append(HTTPServer.text(name, nameSize), HTTPServer.text(value, valueSize))
            }
        }
        return headers
    }

    /// Returns the text without trailing white space. RFC 9112 §5.1 excludes this white space from values, but
    /// libmicrohttpd does not remove it.
    private static func text(_ bytes: UnsafePointer<CChar>?, _ size: Int) -> String {
        var rest = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : size)[...]
        while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }

    /// Removes scheme and authority from a target in absolute form (RFC 9112 §3.2.2).
    static func originForm(_ target: String) -> String {
        guard let end = ["http://", "https://"].first(where: { target.lowercased().hasPrefix($0) }) else {
            return target
        }
        let rest = target.utf8.dropFirst(end.utf8.count)
        guard let path = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
            return "/"
        }
        return (rest[path] == UInt8(ascii: "?") ? "/" : "") + String(target[path...])
    }
}
