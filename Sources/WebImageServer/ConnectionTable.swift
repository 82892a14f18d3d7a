import Foundation
import WebImageHTTP

/// The open connections with their deadlines. The table is a value without sockets. Tests can therefore check without a
/// network which connections are closed.
struct ConnectionTable {
    enum Phase {
        /// The server reads the head of a request. The deadline counts from `since`.
        case head(since: Duration)
        /// The last answer was sent. The server waits for the next request line.
        case idle(since: Duration)
        /// A request is being answered. The value is nil until a task is created to answer the request.
        case busy(PendingRequest?)
        /// An answer is being sent.
        case sending(Sending)
        /// The client has received what has arrived of an answer, and the connection waits for more from the source. The
        /// source has deadlines of its own.
        case awaiting
        /// The last answer was sent. The server waits for the client to close the connection.
        case lingering(since: Duration)
    }

    struct Sending {
        /// The time by which the client must have received the whole answer; computed from `minimumSendRate`.
        var deadline: Duration
        /// The time at which the number of acknowledged bytes last changed.
        var progressed: Duration
        var acknowledged: Int64 = -1
    }

    struct Connection {
        let descriptor: Int32
        let peer: IPAddress?
        /// Identifies the client for the limit of connections per client. Nil if the connection is not counted, because
        /// it comes from a Unix socket or a trusted proxy.
        let key: [UInt8]?
        var phase: Phase
        /// Whether the connection is shut down but its reactor has not closed it yet.
        var isShutDown = false
    }

    /// The deadline that closed a connection.
    enum Reason { case head, idle, send, linger }

    /// The longest time for which a connection stays open after its last answer.
    static let longestLinger = Duration.seconds(2)

    enum Admission { case accepted(UInt64), tooMany, tooManyOfClient }

    private(set) var connections: [UInt64: Connection] = [:]
    private var counts: [[UInt8]: Int] = [:]
    private var last = ConnectionTable.reserved

    /// The numbers of connections are greater than this number. Smaller numbers identify the wake-up event and the
    /// events of listeners.
    static let reserved: UInt64 = 1 << 20

    var isEmpty: Bool { connections.isEmpty }
    var count: Int { connections.count }

    subscript(number: UInt64) -> Connection? { connections[number] }

    mutating func accept(
        _ descriptor: Int32, peer: IPAddress?, at now: Duration, limits: HTTPServerConfiguration
    ) -> Admission {
        guard connections.count < limits.maxConnections else { return .tooMany }
        var key = peer?.clientKey
        if let peer, limits.trustedProxies.contains(where: { $0.contains(peer) }) { key = nil }
        if let key {
            guard counts[key, default: 0] < limits.maxConnectionsPerClient else { return .tooManyOfClient }
            counts[key, default: 0] += 1
        }
        last += 1
        connections[last] = Connection(descriptor: descriptor, peer: peer, key: key, phase: .head(since: now))
        return .accepted(last)
    }

    mutating func remove(_ number: UInt64) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        guard let key = connection.key else { return }
        let count = counts[key, default: 1] - 1
        counts[key] = count > 0 ? count : nil
    }

    mutating func setPhase(_ number: UInt64, _ phase: Phase) { connections[number]?.phase = phase }

    mutating func began(_ number: UInt64, at now: Duration) {
        // For the first head of a connection, the time counts from the accept. Do not restart the time here, because
        // the client may have sent the request line slowly.
        if case .idle = connections[number]?.phase { connections[number]?.phase = .head(since: now) }
    }

    mutating func sending(_ number: UInt64, bytes: UInt64, at now: Duration, limits: HTTPServerConfiguration) {
        let seconds = Int64(clamping: bytes / UInt64(max(limits.minimumSendRate, 1)))
        let deadline = now + limits.sendTimeout + .seconds(min(seconds, 1_000_000))
        connections[number]?.phase = .sending(Sending(deadline: deadline, progressed: now))
    }

    /// Finds the connections whose deadline has passed and sets `isShutDown` for them. Returns their descriptors, which
    /// the caller must shut down, and the kind of the passed deadline.
    ///
    /// - Parameter acknowledged: A function that returns the number of bytes that the client of a descriptor has
    ///   acknowledged; -1 if the number is unknown.
    mutating func sweep(
        at now: Duration, limits: HTTPServerConfiguration, acknowledged: (Int32) -> Int64
    ) -> [(descriptor: Int32, reason: Reason)] {
        var cut: [(descriptor: Int32, reason: Reason)] = []
        for (number, connection) in connections where !connection.isShutDown {
            var reason: Reason?
            switch connection.phase {
            case .head(let since): if now - since >= limits.headTimeout { reason = .head }
            case .idle(let since): if now - since >= limits.idleTimeout { reason = .idle }
            case .lingering(let since): if now - since >= Self.longestLinger { reason = .linger }
            case .busy, .awaiting: break
            case .sending(var sending):
                let bytes = acknowledged(connection.descriptor)
                if bytes != sending.acknowledged {
                    sending.acknowledged = bytes
                    sending.progressed = now
                    connections[number]?.phase = .sending(sending)
                } else if bytes >= 0, now - sending.progressed >= limits.sendTimeout {
                    reason = .send
                }
                if now >= sending.deadline { reason = .send }
            }
            guard let reason else { continue }
            connections[number]?.isShutDown = true
            cut.append((connection.descriptor, reason))
        }
        return cut
    }

    /// Finds the connections that have waited for a request, or for the client to close them, since the time `limit` or
    /// an earlier time, and sets `isShutDown` for them. Returns their descriptors, which the caller must shut down.
    mutating func cutWaiting(before limit: Duration) -> [Int32] {
        var cut: [Int32] = []
        for (number, connection) in connections where !connection.isShutDown {
            switch connection.phase {
            case .head(let since), .idle(let since), .lingering(let since): guard since <= limit else { continue }
            case .busy, .sending, .awaiting: continue
            }
            connections[number]?.isShutDown = true
            cut.append(connection.descriptor)
        }
        return cut
    }

    /// The requests that are being answered, and the number of busy connections. The number includes connections whose
    /// request has no `PendingRequest` yet.
    var busy: (requests: [PendingRequest], count: Int) {
        var requests: [PendingRequest] = []
        var count = 0
        for connection in connections.values {
            guard case .busy(let pending) = connection.phase else { continue }
            count += 1
            if let pending { requests.append(pending) }
        }
        return (requests, count)
    }

    /// Whether an answer is being sent.
    var isSending: Bool {
        connections.values.contains {
            switch $0.phase {
            case .sending, .awaiting: true
            case .head, .idle, .busy, .lingering: false
            }
        }
    }
}
