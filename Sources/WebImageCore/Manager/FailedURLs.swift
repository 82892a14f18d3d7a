import Foundation

/// URLs whose loads failed for a reason that a new attempt is unlikely to change. A load does not try such a URL again
/// until the URL is removed or its failure expires.
///
/// This type is a pure value: the caller passes the time. A failure in one cache scope does not affect other scopes.
struct FailedURLs {
    private struct Entry {
        let error: WebImageError
        let end: ContinuousClock.Instant?
    }

    /// The maximum number of remembered failures. It limits the memory use of a server process in which every load has
    /// a new URL, or the same URL in a new scope.
    static let capacity = 10_000

    private var entries: [URL: [CacheScope: Entry]] = [:]
    /// The number of failures in all scopes of all URLs.
    private(set) var count = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the error that blocks the URL; nil if a load may try the URL.
    func reason(_ url: URL, in scope: CacheScope, at now: ContinuousClock.Instant) -> WebImageError? {
        guard let entry = entries[url]?[scope] else { return nil }
        if let end = entry.end, end <= now { return nil }
        return entry.error
    }

    mutating func insert(
        _ url: URL, in scope: CacheScope, _ error: WebImageError, for lifetime: Duration?,
        at now: ContinuousClock.Instant
    ) {
        // The scope `.unstored` does not identify the credentials that the load used. Remembering the failure would
        // also block the URL for loads with other credentials.
        guard scope != .unstored else { return }
        let isNew = entries[url]?[scope] == nil
        if isNew, count >= Self.capacity { removeExpiredOrHalf(at: now) }
        if isNew { count += 1 }
        entries[url, default: [:]][scope] = Entry(error: error, end: lifetime.map { now + NumberLimits.finite($0) })
    }

    mutating func remove(_ url: URL) { count -= entries.removeValue(forKey: url)?.count ?? 0 }

    mutating func remove(_ url: URL, in scope: CacheScope) {
        if entries[url]?.removeValue(forKey: scope) != nil { count -= 1 }
        if entries[url]?.isEmpty == true { entries[url] = nil }
    }

    mutating func removeAll() {
        entries.removeAll()
        count = 0
    }

    /// Removes the expired failures. If none has expired, removes an arbitrary half of the failures.
    private mutating func removeExpiredOrHalf(at now: ContinuousClock.Instant) {
        keep { $0.end.map { $0 > now } ?? true }
        guard count >= Self.capacity else { return }
        var excess = Self.capacity / 2
        keep { _ in
            excess -= 1
            return excess < 0
        }
    }

    private mutating func keep(where isKept: (Entry) -> Bool) {
        entries = entries.compactMapValues { scopes in
            let kept = scopes.filter { isKept($0.value) }
            return kept.isEmpty ? nil : kept
        }
        count = entries.values.reduce(0) { $0 + $1.count }
    }
}
