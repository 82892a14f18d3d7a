package import Foundation
package import WebImageCore
package import WebImageLoading

/// The caching rules of RFC 9111 for a private cache. This type only makes decisions and performs no I/O.
package struct HTTPCachePolicy: Sendable, Hashable {
    /// The next step for a request for which a stored response exists.
    package enum Decision: Sendable, Hashable {
        /// Use the stored response without an HTTP request.
        case fresh
        /// The stored response may be used now and revalidated in the background with these header fields (RFC 5861
        /// §3). The downloader does not use this permission: it revalidates the response before using it.
        case staleWhileRevalidate([String: String])
        /// Revalidate the stored response with these header fields before using it.
        case revalidate([String: String])
        /// Fetch without validators, as if no response were stored.
        case fetch
    }

    /// The factor of the heuristic lifetime, which applies to responses without an explicit lifetime. The heuristic
    /// lifetime is this factor times the time from `Last-Modified` to `Date` (§4.2.2 suggests 0.1). With 0, such
    /// responses are always revalidated.
    package var heuristicFraction: Double
    /// The longest heuristic lifetime, in seconds.
    package var maxHeuristicLifetime: TimeInterval = 86_400

    package init(heuristicFraction: Double = 0.1) { self.heuristicFraction = heuristicFraction }

    /// Whether the body of a response may be stored (§3). True if neither the request nor the response has `no-store`.
    package static func mayStore(_ response: WebImageResponse, to request: WebImageRequest) -> Bool {
        !CacheControl(response.value(forHTTPHeaderField: "cache-control")).contains("no-store")
            && !CacheControl(request.value(forHTTPHeaderField: "cache-control")).contains("no-store")
    }

    /// Decides the next step for a request for which a response is stored.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    package func decision(_ stored: StoredResponse, for request: WebImageRequest, now: TimeInterval) -> Decision {
        guard stored.matches(request) else { return .fetch }
        let fields = Self.validators(stored)
        let control = CacheControl(stored.fields["cache-control"])
        let asked = CacheControl(request.value(forHTTPHeaderField: "cache-control"))
        let revalidation: Decision = fields.isEmpty ? .fetch : .revalidate(fields)
        guard !Self.mustAsk(stored, control, asked), let age = age(stored, now: now) else { return revalidation }
        // The response is fresh only for the target of the redirects. If a redirect is not fresh, the server may now
        // redirect to another target.
        guard stored.redirects.allSatisfy({ isFresh($0, for: request, now: now) }) else { return revalidation }
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

    private static func mustAsk(_ stored: StoredResponse, _ control: CacheControl, _ asked: CacheControl) -> Bool {
        control.contains("no-cache") || asked.contains("no-cache")
            || (stored.fields["cache-control"] == nil && stored.fields["pragma"]?.lowercased() == "no-cache")
    }

    /// Whether a redirect may be reused without asking the server again. A permanent redirect (301, 308) without an
    /// explicit lifetime is always fresh (RFC 9110 §15.4.2); any other redirect without one never is.
    private func isFresh(_ redirect: StoredRedirect, for request: WebImageRequest, now: TimeInterval) -> Bool {
        let stored = redirect.response
        let control = CacheControl(stored.fields["cache-control"])
        let asked = CacheControl(request.value(forHTTPHeaderField: "cache-control"))
        guard stored.matches(request), !control.contains("no-store"), !Self.mustAsk(stored, control, asked),
            let age = age(stored, now: now), age <= asked.seconds("max-age") ?? .infinity
        else { return false }
        let hasLifetime = control.contains("max-age") || stored.fields["expires"] != nil
        return hasLifetime ? age < lifetime(stored, control) : [301, 308].contains(redirect.status)
    }

    /// Whether a stale stored response may be used after a failed fetch (`stale-if-error`, RFC 5861 §4).
    package func mayServeAfterError(_ stored: StoredResponse, for request: WebImageRequest, now: TimeInterval) -> Bool {
        let control = CacheControl(stored.fields["cache-control"])
        guard stored.matches(request), !control.contains("must-revalidate"), !control.contains("no-cache"),
            let window = control.seconds("stale-if-error"), let age = age(stored, now: now)
        else { return false }
        return age - lifetime(stored, control) <= window
    }

    /// The conditional header fields of a request that revalidates a stored response (RFC 9110 §13.1); empty if the
    /// response has no validators.
    package static func validators(_ stored: StoredResponse) -> [String: String] {
        var fields: [String: String] = [:]
        fields["If-None-Match"] = stored.fields["etag"]
        fields["If-Modified-Since"] = stored.fields["last-modified"]
        return fields
    }

    /// The number of seconds for which a response is fresh (§4.2.1).
    package func lifetime(_ stored: StoredResponse) -> TimeInterval {
        lifetime(stored, CacheControl(stored.fields["cache-control"]))
    }

    private func lifetime(_ stored: StoredResponse, _ control: CacheControl) -> TimeInterval {
        if let maxAge = control.seconds("max-age") { return maxAge }
        let date = HTTPDate.seconds(stored.fields["date"]) ?? stored.responseTime
        if let expires = stored.fields["expires"] {
            // A value that is not a date, such as "0", means that the response is already expired (§5.3).
            return max((HTTPDate.seconds(expires) ?? 0) - date, 0)
        }
        guard let modified = HTTPDate.seconds(stored.fields["last-modified"]), modified < date else { return 0 }
        return min((date - modified) * heuristicFraction, maxHeuristicLifetime)
    }

    /// The age of a stored response in seconds (§4.2.3); nil if `now` is before the response was received. In this case
    /// the clock was set back and the age is unknown.
    package func age(_ stored: StoredResponse, now: TimeInterval) -> TimeInterval? {
        guard now >= stored.responseTime else { return nil }
        let date = HTTPDate.seconds(stored.fields["date"]) ?? stored.responseTime
        let apparent = max(0, stored.responseTime - date)
        let named = stored.fields["age"].flatMap { TimeInterval($0) }.map { $0.isFinite ? max($0, 0) : 0 } ?? 0
        let delay = max(0, stored.responseTime - stored.requestTime)
        return max(apparent, named + delay) + now - stored.responseTime
    }
}
