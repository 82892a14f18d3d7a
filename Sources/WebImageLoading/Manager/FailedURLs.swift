import Foundation
import WebImageCore

/// URLs whose loads failed for a reason that a new attempt is unlikely to change. A load does not use the loader for such
/// a URL until the URL is removed or its failure expires. The caches still answer it.
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

    /// The failures by the URL's text. The key of a long URL is a digest.
    private var entries: [String: [CacheScope: Entry]] = [:]
    /// The number of failures in all scopes of all URLs.
    private(set) var count = 0

    var isEmpty: Bool { entries.isEmpty }

    /// Returns the error that blocks the URL; nil if a load may try the URL.
    func reason(_ url: URL, in scope: CacheScope, at now: ContinuousClock.Instant) -> WebImageError? {
        guard let entry = entries[Self.key(url)]?[scope] else { return nil }
        if let end = entry.end, end <= now { return nil }
        return entry.error.with(url: url)
    }

    mutating func insert(
        _ url: URL, in scope: CacheScope, _ error: WebImageError, for lifetime: Duration?,
        at now: ContinuousClock.Instant
    ) {
        // The scope `.unstored` does not identify the credentials that the load used. Remembering the failure would
        // also block the URL for loads with other credentials.
        guard scope != .unstored else { return }
        let key = Self.key(url)
        let isNew = entries[key]?[scope] == nil
        if isNew, count >= Self.capacity { removeExpiredOrHalf(at: now) }
        if isNew { count += 1 }
        entries[key, default: [:]][scope] = Entry(
            error: Self.bounded(error), end: lifetime.map { now + NumberLimits.finite($0) })
    }

    mutating func remove(_ url: URL) { count -= entries.removeValue(forKey: Self.key(url))?.count ?? 0 }

    mutating func remove(_ url: URL, in scope: CacheScope) {
        remove(key: Self.key(url), in: scope)
    }

    private mutating func remove(key: String, in scope: CacheScope) {
        if entries[key]?.removeValue(forKey: scope) != nil { count -= 1 }
        if entries[key]?.isEmpty == true { entries[key] = nil }
    }

    /// Removes the failure of the URL with this text in the shared scope, because a program has stored a picture under the
    /// text. A text that is the key of a scope or of a key filter is not the text of the failed URL, and removes nothing.
    mutating func remove(urlText: String) { remove(key: urlText.boundedKey, in: .shared) }

    private static func key(_ url: URL) -> String { url.absoluteString.boundedKey }

    /// The error without its large parts: the URL, which the caller knows, the head of the response, and the failures of
    /// other sources.
    private static func bounded(_ error: WebImageError) -> WebImageError {
        var copy = error
        (copy.url, copy.response, copy.earlierFailures, copy.foreignError) = (nil, nil, [], nil)
        copy.fetched = nil
        return copy
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
