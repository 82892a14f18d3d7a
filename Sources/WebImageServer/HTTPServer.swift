import CWebImageHTTPShim
import Foundation
package import WebImageCore
public import WebImageService

/// Serves HTTP/1.1 on sockets. Passes each request to a function and sends the answer that the function returns.
///
/// The server has no TLS: run it behind a proxy that provides TLS. It accepts a head only if every byte of it has one
/// meaning, and refuses requests with a body. A client that sends single bytes does not extend its deadline, and the
/// number of connections per client is limited. A task answers each request that the immediate responder does not
/// answer. The task is cancelled when the client disconnects. A client that only ends its sending direction receives
/// its answers.
///
/// A server runs until ``stop(within:)`` and retains itself until then.
public final class HTTPServer: Sendable {
    /// Answers one request. Called in a task on the cooperative pool. The task is cancelled when the client
    /// disconnects.
    public typealias Responder = @Sendable (ServiceRequest) async -> ServiceResponse

    /// Answers one request before its ``Responder`` is called. If the result is nil, the responder answers the request.
    ///
    /// Called on a thread that serves sockets, so it must return within microseconds and must not block. An immediate
    /// answer needs no wake-up of another thread. Otherwise two threads must be woken. These two wake-ups are about
    /// half of the cost of a small answer.
    public typealias ImmediateResponder = @Sendable (ServiceRequest) -> ServiceResponse?

    /// Makes the answer to a head or a connection that is refused before a responder sees a request. Called on a thread
    /// of the server, so it must return within microseconds and must not block.
    public typealias Refuser = @Sendable (HTTPRefusal) -> ServiceResponse

    /// Receives each request with the answer that is sent, in the order of the answers. For a refused head, method and
    /// target are `-`. Called on any thread; it must not block.
    public typealias Observer = @Sendable (ServiceRequest, ServiceResponse) -> Void

    /// The counters of a server. They count from the start of the server, except for the current numbers
    /// ``openConnections`` and ``activeRequests``.
    public struct Statistics: Sendable, Hashable {
        /// Connections that are open now.
        public var openConnections = 0
        /// Requests that are being answered now.
        public var activeRequests = 0
        /// Connections that were accepted.
        public var acceptedConnections = 0
        /// Connections that were refused because ``HTTPServerConfiguration/maxConnections`` was reached.
        public var refusedConnections = 0
        /// Connections that were refused because ``HTTPServerConfiguration/maxConnectionsPerClient`` was reached.
        public var refusedConnectionsOfClient = 0
        /// Requests that were accepted and passed to the immediate responder or the responder.
        public var requests = 0
        /// Heads that were refused: they were malformed, had a body, were too large, or arrived during the stop.
        public var refusedRequests = 0
        /// Requests that have ended: the answer was sent, or the connection ended first. Includes refused requests.
        public var completedRequests = 0
        /// Connections that were closed because the head of a request did not arrive in time.
        public var headTimeouts = 0
        /// Connections that were closed because no further request arrived in time.
        public var idleTimeouts = 0
        /// Connections that were closed because the client accepted an answer too slowly.
        public var sendTimeouts = 0
        /// Requests whose client disconnected before the server sent the answer.
        public var abandonedRequests = 0
    }

    struct State {
        var table = ConnectionTable()
        var limits: HTTPServerConfiguration
        var statistics = Statistics()
        /// The time at which requests without an answer receive 503; nil before the first call of `stop(within:)`.
        var stopDeadline: Duration?
        var stopBegan = Duration.zero
        /// The descriptor that wakes the watching thread; -1 after that thread has ended.
        var wake: Int32 = -1
        var waiters: [ValueContinuation<Void>] = []
        var hasEnded = false

        var isStopping: Bool { stopDeadline != nil }
    }

    /// The listening addresses. For an address with port 0, the result contains the port that the system chose.
    public let addresses: [ListenAddress]
    let respond: Responder
    let respondImmediately: ImmediateResponder?
    let refuser: Refuser
    let answered: Observer?
    let clock: any DelayClock
    let state: Locked<State>

    /// Binds the addresses and begins to serve.
    ///
    /// - Parameters:
    ///   - addresses: One or more addresses. The server binds all of them before it accepts the first connection.
    ///   - configuration: The limits of the server.
    ///   - answered: Receives every answer, for a log; nil if no log is needed. An answer whose body arrives is received
    ///     when its sending has ended, every other one before it is sent.
    ///   - refuse: Makes the answers to refused heads; nil sends a short text.
    ///   - respondImmediately: Answers requests that need no work; nil passes every request to `respond`.
    ///   - respond: Answers the other requests.
    /// - Throws: ``HTTPServerError`` if there is no address, an address cannot be bound, or the system has no
    ///   descriptor left.
    public convenience init(
        listening addresses: [ListenAddress], configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
        answered: Observer? = nil, refuse: Refuser? = nil, respondImmediately: ImmediateResponder? = nil,
        respond: @escaping Responder
    ) throws(HTTPServerError) {
        try self.init(
            listening: addresses, configuration: configuration, clock: SystemClock(), answered: answered,
            refuse: refuse, respondImmediately: respondImmediately, respond: respond)
    }

    package init(
        listening addresses: [ListenAddress], configuration: HTTPServerConfiguration, clock: any DelayClock,
        answered: Observer? = nil, refuse: Refuser? = nil, respondImmediately: ImmediateResponder? = nil,
        respond: @escaping Responder
    ) throws(HTTPServerError) {
        guard !addresses.isEmpty else { throw HTTPServerError("no listen address is configured") }
        var listeners: [SocketListener] = []
        do throws(HTTPServerError) {
            for address in addresses {
                listeners.append(try SocketListener(address, mode: configuration.socketMode))
            }
        } catch {
            for listener in listeners { listener.close() }
            throw error
        }
        self.addresses = listeners.map(\.address)
        self.respond = respond
        self.respondImmediately = respondImmediately
        self.answered = answered
        refuser = refuse ?? { $0.response }
        self.clock = clock
        state = Locked(State(limits: configuration))
        do throws(HTTPServerError) {
            try start(listeners, configuration)
        } catch {
            for listener in listeners { listener.close() }
            throw error
        }
    }

    /// Replaces the limits, except those that are fixed at the start. The new limits also apply to open connections.
    public func update(_ configuration: HTTPServerConfiguration) { state.withLock { $0.limits = configuration } }

    /// The current values of the counters.
    public var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.openConnections = state.table.count
            statistics.activeRequests = state.table.busy.count
            return statistics
        }
    }

    /// Stops the server. Accepts no new connection, answers the requests of open connections and closes each connection
    /// after its answer.
    ///
    /// The connections in the queue of an inherited socket are left to the process that inherits it next. A request that has no answer when `drain` has passed is cancelled and receives status 503. Returns when all
    /// connections are closed and all threads have ended, at most one second after `drain` has passed. A second call
    /// can shorten the waiting time but cannot extend it. Safe to call from any task; cancelling the task does not end
    /// the wait.
    public func stop(within drain: Duration) async {
        await withValueContinuation(of: Void.self) { continuation in
            let hasEnded = state.withLock { state in
                if state.hasEnded { return true }
                let now = clock.now
                if state.stopDeadline == nil { state.stopBegan = now }
                state.stopDeadline = min(state.stopDeadline ?? .seconds(1 << 40), now + drain)
                state.waiters.append(continuation)
                if state.wake >= 0 { webimage_http_wake(state.wake) }
                return false
            }
            if hasEnded { continuation.resume(returning: ()) }
        }
    }
}
