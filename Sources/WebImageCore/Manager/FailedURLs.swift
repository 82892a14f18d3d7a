import Foundation

/// URLs that failed for a reason of their own and are not tried again: until removed, or until their time is over.
///
/// A pure value: the time is given to it. What failed for one cache scope says nothing about another.
struct FailedURLs {
    private struct Entry {
        let error: WebImageError
        let end: ContinuousClock.Instant?
    }

    /// More than this many are not remembered; a server that meets ever new ones must not grow for ever.
    private static let capacity = 10_000

    private var entries: [URL: [CacheScope: Entry]] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Why the URL failed; nil when it may be tried.
    func reason(_ url: URL, in scope: CacheScope, at now: ContinuousClock.Instant) -> WebImageError? {
        guard let entry = entries[url]?[scope] else { return nil }
        if let end = entry.end, end <= now { return nil }
        return entry.error
    }

    mutating func insert(
        _ url: URL, in scope: CacheScope, _ error: WebImageError, for lifetime: Duration?,
        at now: ContinuousClock.Instant
    ) {
        // Whose load it was is not known: it would condemn the URL for others of the same scope.
        guard scope != .unstored else { return }
        if entries.count >= Self.capacity { makeRoom(at: now) }
        entries[url, default: [:]][scope] = Entry(error: error, end: lifetime.map { now + Number.finite($0) })
    }

    mutating func remove(_ url: URL) { entries[url] = nil }

    mutating func remove(_ url: URL, in scope: CacheScope) {
        entries[url]?[scope] = nil
        if entries[url]?.isEmpty == true { entries[url] = nil }
    }

    mutating func removeAll() { entries.removeAll() }

    /// Forgets what is over; when all holds, half of it.
    private mutating func makeRoom(at now: ContinuousClock.Instant) {
        entries = entries.filter { $0.value.values.contains { $0.end.map { $0 > now } ?? true } }
        guard entries.count >= Self.capacity else { return }
        for url in Array(entries.keys.prefix(Self.capacity / 2)) { entries[url] = nil }
    }
}
