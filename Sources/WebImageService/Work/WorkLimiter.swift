import Foundation
import WebImageCore
import WebImageHTTP

/// Counts requests and work, and refuses a request or work if a limit is reached. Callers never wait.
///
/// Every request needs a permit of `enter`. Work that makes a result additionally needs a permit of `begin`. A request
/// that joins running work needs no permit of `begin`.
final class WorkLimiter: Sendable {
    struct Limits: Sendable, Hashable {
        /// The maximum number of results that are being made at the same time. This number includes results that wait
        /// for a processor.
        var works = 256
        /// The maximum number of results that are being made at the same time from sources of one host.
        var worksPerHost = 256
        /// If jobs wait for a processor without interruption for a longer time, the service is overloaded. A shorter
        /// wait is a burst and has no effect. Under overload, new work begins only while fewer than
        /// ``worksUnderOverload`` results are being made, or as many as are made within half of ``deadline``. Zero disables
        /// this rule.
        var queueWait = Duration.milliseconds(100)
        /// The number of results that may always be made at the same time under overload.
        var worksUnderOverload = 10
        /// The time of a request.
        var deadline = Duration.seconds(8)
        /// The maximum number of requests in flight.
        var requests = 10_000
        /// The maximum number of requests in flight of one client.
        var requestsPerClient = 256
    }

    private struct State {
        var works = 0
        var standing = StandingQueue()
        var hosts: [String: Int] = [:]
        var requests = 0
        var clients: [String: Int] = [:]
    }

    private let state = Locked(State())
    private let limits: Limits

    private let waitingJobs: @Sendable () -> Int
    private let clock: any DelayClock

    /// - Parameter waitingJobs: Returns the number of jobs that wait for a processor.
    init(_ limits: Limits, clock: any DelayClock, waitingJobs: @escaping @Sendable () -> Int) {
        self.limits = limits
        self.clock = clock
        self.waitingJobs = waitingJobs
    }

    /// The requests in flight in the order in which they were accepted.
    let order = RequestOrder()

    var requestCount: Int { state.withLock { $0.requests } }
    var workCount: Int { state.withLock { $0.works } }

    /// A permit for a request or for work. Releasing the object returns the permit.
    final class Permit: Sendable {
        /// The number of the request in the order in which requests were accepted; 0 for a permit for work.
        var number: UInt64 { ticket?.number ?? 0 }
        private let ticket: RequestOrder.Ticket?
        private let giveBack: @Sendable () -> Void

        fileprivate init(ticket: RequestOrder.Ticket? = nil, giveBack: @escaping @Sendable () -> Void) {
            self.ticket = ticket
            self.giveBack = giveBack
        }

        deinit { giveBack() }
    }

    func enter(client: String?) throws(ServiceRefusal) -> Permit {
        let client = client.map(Self.clientKey)
        try state.withLock { state throws(ServiceRefusal) in
            guard state.requests < limits.requests else {
                throw ServiceRefusal(503, .queue, "too many requests are waiting", retryAfter: 1)
            }
            if let client {
                guard state.clients[client, default: 0] < limits.requestsPerClient else {
                    throw ServiceRefusal(
                        429, .client, "too many requests from this client are in flight", retryAfter: 1)
                }
                state.clients[client, default: 0] += 1
            }
            state.requests += 1
        }
        return Permit(ticket: order.begin()) { [state] in
            state.withLock { state in
                state.requests -= 1
                if let client { Self.lower(&state.clients, client) }
            }
        }
    }

    /// Whether new work that needs a processor would be refused now because of overload (see ``StandingQueue``).
    var isOverloaded: Bool { !admitsJob() }

    /// Whether work that needs a processor may begin now.
    private func admitsJob() -> Bool {
        guard limits.queueWait > .zero else { return true }
        let (count, now) = (waitingJobs(), clock.now)
        return state.withLock { $0.standing.admits(waitingJobs: count, works: $0.works, at: now, limits) }
    }

    /// Returns a permit for the work that makes a result.
    ///
    /// - Parameter needsProcessor: False for a source that is sent unchanged.
    /// - Throws: A refusal with status 503 under overload, or if the limit for all results or the limit for the host is
    ///   reached.
    func begin(host: String, needsProcessor: Bool = true) throws(ServiceRefusal) -> Permit {
        guard !needsProcessor || admitsJob() else {
            throw ServiceRefusal(503, .queue, "too many pictures wait for a processor", retryAfter: 1)
        }
        try state.withLock { state throws(ServiceRefusal) in
            guard state.works < limits.works else {
                throw ServiceRefusal(503, .queue, "the queue is full", retryAfter: 1)
            }
            guard state.hosts[host, default: 0] < limits.worksPerHost else {
                throw ServiceRefusal(
                    503, .queue, "too many pictures from this source host are being made", retryAfter: 1)
            }
            state.works += 1
            state.hosts[host, default: 0] += 1
        }
        return Permit { [state] in
            state.withLock { state in
                state.works -= 1
                state.standing.ended += 1
                Self.lower(&state.hosts, host)
            }
        }
    }

    private static func lower(_ counts: inout [String: Int], _ key: String) {
        let count = counts[key, default: 1] - 1
        counts[key] = count > 0 ? count : nil
    }

    /// The key under which a client is counted. All addresses of an IPv6 /64 count as one client, because they usually
    /// belong to one client.
    static func clientKey(_ address: String) -> String {
        guard let parsed = IPAddress(address) else { return address }
        if let mapped = parsed.embedded.first, parsed.bytes.prefix(10).allSatisfy({ $0 == 0 }) {
            return mapped.description
        }
        guard parsed.bytes.count == 16 else { return parsed.description }
        return parsed.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
    }
}

/// Decides whether waiting jobs are a burst or a standing queue. A burst may wait; a standing queue is a sign of
/// overload.
///
/// A burst ends within a short time, and the queue is then empty. Under overload, the queue is never empty, and each
/// admitted request waits until all jobs before it have run. Therefore the queue must be short. The method is based on
/// controlled delay (RFC 8289).
struct StandingQueue: Sendable {
    /// The time since which every request has found waiting jobs; nil if the last request found no waiting job.
    private var since: Duration?
    /// The number of results that were made since then.
    var ended = 0

    /// Records how many jobs wait for a processor when a request needs new work. Returns whether this work may begin.
    ///
    /// - Parameter works: The number of results that are being made. It includes results whose sources are still being
    ///   fetched. If they were not counted, too many results would begin during these fetches.
    mutating func admits(
        waitingJobs: Int, works: Int, at now: Duration, _ limits: WorkLimiter.Limits
    ) -> Bool {
        guard waitingJobs > 0 else {
            since = nil
            return true
        }
        if since == nil { ended = 0 }
        let start = since ?? now
        since = start
        if now - start < limits.queueWait || works < limits.worksUnderOverload { return true }
        // A page of many pictures is no overload if its last picture is made in time.
        return Double(works) < Double(ended) / ((now - start) / .seconds(1)) * (limits.deadline / .seconds(1)) / 2
    }
}

/// Runs revalidations and the encoding of slow formats as tasks that do not depend on requests. The number of tasks is
/// limited. At the limit, no further work is started.
final class BackgroundWork: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Starts work if no work with this name runs, the limit is not reached and the object is not closed. Returns
    /// whether work with this name runs now.
    @discardableResult
    func begin(_ name: String, _ work: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard state.tasks[name] == nil else { return true }
            guard !state.isClosed, state.tasks.count < limit else { return false }
            // The task removes its entry under the same lock, so it cannot remove the entry before the entry is stored.
            state.tasks[name] = Task.detached {
                await work()
                self.state.withLock { $0.tasks[name] = nil }
            }
            return true
        }
    }

    /// Waits until no work is running.
    func finish() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }

    /// Cancels running work and refuses further work.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
