import Foundation
import WebImageLoading

/// A target that was answered from memory. Contains the values that the next answer to this target needs. The bytes and
/// the time are not included.
struct AnsweredTarget: Sendable {
    let key: ResultKey
    /// The time after which the target is refused, in seconds since 1970. Nil if the target does not expire.
    let expires: Int?
    /// The validator and the time of the entry that `fixed` describes, and its lifetime as the settings have judged it.
    let etag: String
    let stored: TimeInterval
    let lifetime: Lifetime
    let fixed: ResultResponse.Fixed
    let route: ServiceLogEntry.Route
    let source: String?
    /// The form of the target for logs.
    let logged: String
}

extension AnsweredTarget {
    /// Returns an entry as the settings have judged it; nil if it is not the entry that was answered.
    func judged(_ entry: ResultEntry) -> ResultEntry? {
        guard entry.head.stored == stored, entry.head.etag == etag else { return nil }
        var entry = entry
        entry.head.lifetime = lifetime
        return entry
    }
}

/// The targets that were answered from memory. At the next request for such a target, the service skips three steps: it
/// does not parse the target, does not check its source and does not compute its key.
///
/// A table belongs to one version of the settings, because the results of these three steps depend on the settings.
struct AnsweredTargets: Sendable {
    /// The parts of a request that determine its result.
    private struct Request: Sendable, Hashable {
        let target: String
        let accept: String?

        /// Nil if the method is neither GET nor HEAD. Also nil if target and `Accept` together have more than 4,096
        /// bytes, because only few such long texts would fit into the budget.
        init?(_ request: ServiceRequest) {
            guard request.method == "GET" || request.method == "HEAD" else { return nil }
            target = request.target
            accept = request.headers["Accept"]
            guard byteCount <= 4_096 else { return nil }
        }

        var byteCount: Int { target.utf8.count + (accept?.utf8.count ?? 0) }
    }

    /// The budget is 8 MiB. This is enough for about 4,000 targets.
    private let values = RecentValues<Request, AnsweredTarget>(budget: 8 << 20)

    func target(of request: ServiceRequest) -> AnsweredTarget? { Request(request).flatMap(values.value(for:)) }

    func remember(_ target: AnsweredTarget, for request: ServiceRequest) {
        // The fields of an answer use about 1.5 KB of memory.
        if let wanted = Request(request) { values.set(target, for: wanted, cost: wanted.byteCount + 1_536) }
    }
}
