package import Foundation
package import WebImageCore

/// The rules of RFC 9111 for a stored response in a private cache: pure decisions without I/O.
package struct HTTPCachePolicy: Sendable, Hashable {
    /// The next step for a request that has a stored response.
    package enum Decision: Sendable, Hashable {
        /// Use it without an HTTP request.
        case fresh
        /// Use it now and revalidate it with these fields in the background (RFC 5861 §3).
        case staleWhileRevalidate([String: String])
        /// Revalidate it with these fields.
        case revalidate([String: String])
        /// Fetch without validators, as if nothing were stored.
        case fetch
    }

    /// The heuristic lifetime of a response without an explicit one, as a part of the time since its last change
    /// (§4.2.2 suggests 0.1); with 0 it is always revalidated.
    package var heuristicFraction: Double
    /// The longest heuristic lifetime, in seconds.
    package var maxHeuristicLifetime: TimeInterval = 86_400

    package init(heuristicFraction: Double = 0.1) { self.heuristicFraction = heuristicFraction }

    /// Whether the body of a response may be stored (§3).
    package static func mayStore(_ response: WebImageResponse, to request: WebImageRequest) -> Bool {
        !CacheControl(response.value(forHTTPHeaderField: "cache-control")).contains("no-store")
            && !CacheControl(request.value(forHTTPHeaderField: "cache-control")).contains("no-store")
    }

    /// Decides what to do for `request` at `now` (seconds since 1970).
    package func decision(_ stored: StoredResponse, for request: WebImageRequest, now: TimeInterval) -> Decision {
        guard stored.matches(request) else { return .fetch }
        let fields = Self.validators(stored)
        let control = CacheControl(stored.fields["cache-control"])
        let asked = CacheControl(request.value(forHTTPHeaderField: "cache-control"))
        let revalidation: Decision = fields.isEmpty ? .fetch : .revalidate(fields)
        let mustAsk =
            control.contains("no-cache") || asked.contains("no-cache")
            || (stored.fields["cache-control"] == nil && stored.fields["pragma"]?.lowercased() == "no-cache")
        guard !mustAsk, let age = age(stored, now: now) else { return revalidation }
        let lifetime = lifetime(stored, control)
        if age < lifetime, age <= asked.seconds("max-age") ?? .infinity { return .fresh }
        let staleness = age - lifetime
        if !control.contains("must-revalidate"), !fields.isEmpty,
            let window = control.seconds("stale-while-revalidate"), staleness <= window
        {
            return .staleWhileRevalidate(fields)
        }
        return revalidation
    }

    /// Whether a stored response may be used after a failed fetch (RFC 5861 §4).
    package func mayServeAfterError(_ stored: StoredResponse, for request: WebImageRequest, now: TimeInterval) -> Bool {
        let control = CacheControl(stored.fields["cache-control"])
        guard stored.matches(request), !control.contains("must-revalidate"), !control.contains("no-cache"),
            let window = control.seconds("stale-if-error"), let age = age(stored, now: now)
        else { return false }
        return age - lifetime(stored, control) <= window
    }

    /// The fields that revalidate a stored response (RFC 9110 §13.1); empty without validators.
    package static func validators(_ stored: StoredResponse) -> [String: String] {
        var fields: [String: String] = [:]
        fields["If-None-Match"] = stored.fields["etag"]
        fields["If-Modified-Since"] = stored.fields["last-modified"]
        return fields
    }

    /// The seconds for which a response is fresh (§4.2.1).
    package func lifetime(_ stored: StoredResponse) -> TimeInterval {
        lifetime(stored, CacheControl(stored.fields["cache-control"]))
    }

    private func lifetime(_ stored: StoredResponse, _ control: CacheControl) -> TimeInterval {
        if let maxAge = control.seconds("max-age") { return maxAge }
        let date = HTTPDate.seconds(stored.fields["date"]) ?? stored.responseTime
        if let expires = stored.fields["expires"] {
            // A value that is not a date, such as "0", means already expired (§5.3).
            return max((HTTPDate.seconds(expires) ?? 0) - date, 0)
        }
        guard let modified = HTTPDate.seconds(stored.fields["last-modified"]), modified < date else { return 0 }
        return min((date - modified) * heuristicFraction, maxHeuristicLifetime)
    }

    /// The age of a stored response in seconds (§4.2.3); nil when the clock went backwards, because the age is then
    /// unknown.
    package func age(_ stored: StoredResponse, now: TimeInterval) -> TimeInterval? {
        guard now >= stored.responseTime else { return nil }
        let date = HTTPDate.seconds(stored.fields["date"]) ?? stored.responseTime
        let apparent = max(0, stored.responseTime - date)
        let named = stored.fields["age"].flatMap { TimeInterval($0) }.map { $0.isFinite ? max($0, 0) : 0 } ?? 0
        let delay = max(0, stored.responseTime - stored.requestTime)
        return max(apparent, named + delay) + now - stored.responseTime
    }
}
