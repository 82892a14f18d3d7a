import Foundation

/// URLs that failed because the URL itself is at fault. They are not tried again until they are removed or
/// their lifetime ends.
///
/// A pure value: the caller passes the time. A failure in one cache scope does not affect other scopes.
struct FailedURLs {
    private struct Entry {
        let error: WebImageError
        let end: ContinuousClock.Instant?
    }

    /// The maximum number of remembered URLs. It limits the memory use of a server process that always requests new
    /// URLs.
    private static let capacity = 10_000

    private var entries: [URL: [CacheScope: Entry]] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the error that blocks the URL; nil if the URL may be tried.
    func reason(_ url: URL, in scope: CacheScope, at now: ContinuousClock.Instant) -> WebImageError? {
        guard let entry = entries[url]?[scope] else { return nil }
        if let end = entry.end, end <= now { return nil }
        return entry.error
    }

    mutating func insert(
        _ url: URL, in scope: CacheScope, _ error: WebImageError, for lifetime: Duration?,
        at now: ContinuousClock.Instant
    ) {
        // The scope `.unstored` does not identify whose credentials the load used. Remembering the failure would
        // block the URL for loads with other credentials.
        guard scope != .unstored else { return }
        if entries.count >= Self.capacity { removeExpiredOrHalf(at: now) }
        entries[url, default: [:]][scope] = Entry(error: error, end: lifetime.map { now + NumberLimits.finite($0) })
    }

    mutating func remove(_ url: URL) { entries[url] = nil }

    mutating func remove(_ url: URL, in scope: CacheScope) {
        entries[url]?[scope] = nil
        if entries[url]?.isEmpty == true { entries[url] = nil }
    }

    mutating func removeAll() { entries.removeAll() }

    /// Removes expired entries; if none has expired, removes an arbitrary half.
    private mutating func removeExpiredOrHalf(at now: ContinuousClock.Instant) {
        entries = entries.filter { $0.value.values.contains { $0.end.map { $0 > now } ?? true } }
        guard entries.count >= Self.capacity else { return }
        for url in Array(entries.keys.prefix(Self.capacity / 2)) { entries[url] = nil }
    }
}
