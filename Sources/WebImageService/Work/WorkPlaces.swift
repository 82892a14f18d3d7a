import Foundation
import WebImageCore
import WebImageHTTP

/// Counts what is under way and refuses at once what would wait too long; nothing waits here.
///
/// Requests that join work under way take no place of their own; they count as waiting.
final class WorkPlaces: Sendable {
    struct Limits: Sendable, Hashable {
        /// Results in the making at once, those that wait for a processor included.
        var works = 64
        /// Of these, from one source host.
        var worksPerHost = 32
        /// Requests in flight.
        var requests = 10_000
        /// Of these, from one client.
        var requestsPerClient = 256
    }

    private struct State {
        var works = 0
        var hosts: [String: Int] = [:]
        var requests = 0
        var clients: [String: Int] = [:]
    }

    private let state = Locked(State())
    private let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    /// The requests in flight in the order in which they were accepted.
    let order = RequestOrder()

    var requestCount: Int { state.withLock { $0.requests } }
    var workCount: Int { state.withLock { $0.works } }

    /// A place, given back when released.
    final class Place: Sendable {
        /// The number of a request in the order; 0 for work.
        var number: UInt64 { ticket?.number ?? 0 }
        private let ticket: RequestOrder.Ticket?
        private let giveBack: @Sendable () -> Void

        fileprivate init(ticket: RequestOrder.Ticket? = nil, giveBack: @escaping @Sendable () -> Void) {
            self.ticket = ticket
            self.giveBack = giveBack
        }

        deinit { giveBack() }
    }

    func enter(client: String?) throws(ServiceRefusal) -> Place {
        let client = client.map(Self.clientKey)
        try state.withLock { state throws(ServiceRefusal) in
            guard state.requests < limits.requests else {
                throw ServiceRefusal(503, .queue, "too many requests are waiting", retryAfter: 1)
            }
            if let client {
                guard state.clients[client, default: 0] < limits.requestsPerClient else {
                    throw ServiceRefusal(429, .client, "too many requests of this client are in flight", retryAfter: 1)
                }
                state.clients[client, default: 0] += 1
            }
            state.requests += 1
        }
        return Place(ticket: order.begin()) { [state] in
            state.withLock { state in
                state.requests -= 1
                if let client { Self.lower(&state.clients, client) }
            }
        }
    }

    func begin(host: String) throws(ServiceRefusal) -> Place {
        try state.withLock { state throws(ServiceRefusal) in
            guard state.works < limits.works else {
                throw ServiceRefusal(503, .queue, "the queue is full", retryAfter: 1)
            }
            guard state.hosts[host, default: 0] < limits.worksPerHost else {
                throw ServiceRefusal(503, .queue, "too many pictures of this source are in the making", retryAfter: 1)
            }
            state.works += 1
            state.hosts[host, default: 0] += 1
        }
        return Place { [state] in
            state.withLock { state in
                state.works -= 1
                Self.lower(&state.hosts, host)
            }
        }
    }

    private static func lower(_ counts: inout [String: Int], _ key: String) {
        let count = counts[key, default: 1] - 1
        counts[key] = count > 0 ? count : nil
    }

    /// An IPv6 network gives its owner 2^64 addresses at least: they count as one.
    static func clientKey(_ address: String) -> String {
        guard let parsed = IPAddress(address) else { return address }
        if let mapped = parsed.embedded.first, parsed.bytes.prefix(10).allSatisfy({ $0 == 0 }) {
            return mapped.description
        }
        guard parsed.bytes.count == 16 else { return parsed.description }
        return parsed.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}

/// Work that no request waits for: refreshing and slow formats. Bounded; what finds no place is not begun.
final class BackgroundWork: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Begins work unless work of this name is under way.
    func begin(_ name: String, _ work: @escaping @Sendable () async -> Void) {
        state.withLock { state in
            guard !state.isClosed, state.tasks[name] == nil, state.tasks.count < limit else { return }
            // The task ends in this lock, so its entry is there before it is removed.
            state.tasks[name] = Task.detached {
                await work()
                self.state.withLock { $0.tasks[name] = nil }
            }
        }
    }

    /// Waits for what is under way.
    func finish() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }

    /// Ends what is under way and begins nothing more.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
