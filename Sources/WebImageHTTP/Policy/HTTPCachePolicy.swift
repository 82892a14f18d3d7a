package import Foundation
package import WebImageCore
package import WebImageLoading

/// The caching rules of RFC 9111, for a private cache or a shared one. This type only makes decisions and performs no I/O.
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
    var maxHeuristicLifetime: TimeInterval = 86_400
    /// Whether the cache has several users, so that `s-maxage` and `proxy-revalidate` apply.
    let isShared: Bool

    package init(heuristicFraction: Double = 0.1, isShared: Bool = false) {
        (self.heuristicFraction, self.isShared) = (heuristicFraction, isShared)
    }

    /// Whether the body of a response may be stored (§3). True if the request has no `no-store`, and the response has none
    /// or has it beside `must-understand`.
    package static func mayStore(_ response: WebImageResponse, to request: WebImageRequest) -> Bool {
        !CacheControl(response.value(forHTTPHeaderField: "cache-control")).forbidsStorage
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
        guard !Self.mustAsk(stored, control: control, asked: asked), let age = age(stored, now: now) else {
            return revalidation
        }
        // The response is fresh only for the target of the redirects. If a redirect is not fresh, the server may now
        // redirect to another target.
        guard hasFreshRedirects(stored, for: request, now: now) else { return revalidation }
        let lifetime = lifetime(stored, control)
        if age < lifetime, age <= asked.seconds("max-age") ?? .infinity { return .fresh }
        let staleness = age - lifetime
        if !isStrict(control), !fields.isEmpty,
            let window = control.seconds("stale-while-revalidate"), staleness <= window
        {
            return .staleWhileRevalidate(fields)
        }
        return revalidation
    }

    /// Whether the redirects that led to a response may be reused for a request.
    package func hasFreshRedirects(_ stored: StoredResponse, for request: WebImageRequest, now: TimeInterval) -> Bool {
        stored.redirects.allSatisfy { isFresh($0, for: request, now: now) }
    }

    /// Whether a stale response must not be used (§5.2.2.2, §5.2.2.8, §5.2.2.10).
    private func isStrict(_ control: CacheControl) -> Bool {
        control.contains("must-revalidate")
            || isShared && (control.contains("proxy-revalidate") || control.contains("s-maxage"))
    }

    private static func mustAsk(_ stored: StoredResponse, control: CacheControl, asked: CacheControl) -> Bool {
        control.contains("no-cache") || asked.contains("no-cache")
            || (stored.fields["cache-control"] == nil && CacheControl(stored.fields["pragma"]).contains("no-cache"))
    }

    /// Whether a redirect may be reused without asking the server again. A permanent redirect (301, 308) without an
    /// explicit lifetime is always fresh (RFC 9110 §15.4.2); any other redirect without one never is.
    private func isFresh(_ redirect: StoredRedirect, for request: WebImageRequest, now: TimeInterval) -> Bool {
        let stored = redirect.response
        let control = CacheControl(stored.fields["cache-control"])
        let asked = CacheControl(request.value(forHTTPHeaderField: "cache-control"))
        guard stored.matches(request), !control.forbidsStorage, !isShared || !control.contains("private"),
            !Self.mustAsk(stored, control: control, asked: asked),
            let age = age(stored, now: now), age <= asked.seconds("max-age") ?? .infinity
        else { return false }
        let hasLifetime =
            control.contains("max-age") || stored.fields["expires"] != nil || isShared && control.contains("s-maxage")
        return hasLifetime ? age < lifetime(stored, control) : [301, 308].contains(redirect.status)
    }

    /// Whether a stale stored response may be used after a failed fetch (`stale-if-error`, RFC 5861 §4).
    package func mayServeAfterError(_ stored: StoredResponse, for request: WebImageRequest, now: TimeInterval) -> Bool {
        let control = CacheControl(stored.fields["cache-control"])
        guard stored.matches(request), !isStrict(control), !control.contains("no-cache"),
            let window = control.seconds("stale-if-error"), let age = age(stored, now: now)
        else { return false }
        return age - lifetime(stored, control) <= window
    }

    /// The conditional header fields of a request that revalidates a stored response (RFC 9110 §13.1); empty if the
    /// response has no validators.
    static func validators(_ stored: StoredResponse) -> [String: String] {
        var fields: [String: String] = [:]
        fields["If-None-Match"] = stored.fields["etag"]
        fields["If-Modified-Since"] = stored.fields["last-modified"]
        return fields
    }

    /// Whether a response with status 304 confirms a stored response (§4.3.4). False if the validators of the 304 are
    /// those of another picture: another `ETag` or, if it has no `ETag`, another `Last-Modified`. The cache must not use
    /// such a 304 for anything. Fetch the body again, without validators.
    ///
    /// A 304 without validators confirms the stored response. The standard requires it to repeat the `ETag`, but many
    /// servers omit it. The comparison is weak, as that of `If-None-Match`: a proxy that compresses a body makes its
    /// `ETag` weak, but not that of the 304.
    package static func confirms(_ notModified: WebImageResponse, _ stored: StoredResponse) -> Bool {
        let modified = notModified.value(forHTTPHeaderField: "last-modified").map {
            $0 == stored.fields["last-modified"]
                || HTTPDate.seconds($0).map { HTTPDate.seconds(stored.fields["last-modified"]) == $0 } ?? false
        }
        guard let tag = notModified.value(forHTTPHeaderField: "etag") else { return modified ?? true }
        // A server may begin to send tags.
        guard let known = stored.fields["etag"] else { return modified ?? false }
        return EntityTag.isSame(tag, known)
    }

    /// The number of seconds for which a response is fresh (§4.2.1).
    private func lifetime(_ stored: StoredResponse, _ control: CacheControl) -> TimeInterval {
        if isShared, let maxAge = control.seconds("s-maxage") { return maxAge }
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
        // Of several values, the first one counts (§5.1).
        let first = stored.fields["age"]?.split(separator: ",").first?.trimmingCharacters(in: .whitespaces) ?? ""
        let isNumber = !first.isEmpty && first.utf8.allSatisfy(\.isASCIIDigit)
        let named = isNumber ? min(TimeInterval(first) ?? 0, 2_147_483_648) : 0
        let delay = max(0, stored.responseTime - stored.requestTime)
        return max(apparent, named + delay) + now - stored.responseTime
    }
}

extension HTTPCachePolicy {
    /// Whether a cache that several users share may store a response (RFC 9111 §3, §3.5).
    ///
    /// Stricter than the standard where a mistake would show one user's picture to another: a response that sets a
    /// cookie, or whose bytes depend on other request fields than `Accept-Encoding`, is not shared, and a request with
    /// credentials or without certificate checks has no shareable response.
    package static func mayShare(_ response: WebImageResponse, to request: WebImageRequest) -> Bool {
        let control = CacheControl(response.value(forHTTPHeaderField: "cache-control"))
        let varies = (response.value(forHTTPHeaderField: "vary") ?? "").split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        return mayStore(response, to: request) && !control.contains("private")
            && response.value(forHTTPHeaderField: "set-cookie") == nil
            && varies.allSatisfy { $0.isEmpty || $0 == "accept-encoding" }
            && !WebImageDownloader.hasCredentials(request) && !request.httpShouldHandleCookies
            && !request.allowsInvalidCertificates && request.url.user() == nil
    }

    /// Whether another machine of the same user may use a response to the same request. The fields of the request must be
    /// part of the entry's key.
    package static func mayHandOver(_ response: WebImageResponse, to request: WebImageRequest) -> Bool {
        mayStore(response, to: request) && response.value(forHTTPHeaderField: "set-cookie") == nil
            && !(response.value(forHTTPHeaderField: "vary") ?? "").contains("*") && request.url.user() == nil
    }

    /// The longest time in seconds for which a shared cache holds a response: 30 days.
    private static let mostSharedSeconds: TimeInterval = 30 * 86_400

    /// The time for which other machines may use a response from now on; nil if the response states none: a tier guesses no
    /// lifetime.
    ///
    /// - Parameters:
    ///   - isPrivate: Whether the machines serve one user; otherwise they are a shared cache.
    ///   - now: Seconds since 1970.
    static func lifetime(_ stored: StoredResponse, isPrivate: Bool, now: TimeInterval) -> Duration? {
        let control = CacheControl(stored.fields["cache-control"])
        guard !control.contains("no-cache"), let age = HTTPCachePolicy().age(stored, now: now) else { return nil }
        var lifetime = (isPrivate ? nil : control.seconds("s-maxage")) ?? control.seconds("max-age")
        if lifetime == nil, let expires = stored.fields["expires"] {
            let date = HTTPDate.seconds(stored.fields["date"]) ?? stored.responseTime
            lifetime = (HTTPDate.seconds(expires) ?? 0) - date
        }
        guard let lifetime, lifetime > age else { return nil }
        return .seconds(min(lifetime - age, mostSharedSeconds))
    }
}

/// The parsed directives of a `Cache-Control` field (RFC 9111 §5.2). Directive names are in lower case.
package struct CacheControl: Sendable, Hashable {
    private var directives: [String: String] = [:]

    package init(_ field: String?) {
        guard let field, !field.isEmpty else { return }
        for part in Self.parts(field) {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0].trimmingCharacters(in: .whitespaces).lowercased()
            guard !name.isEmpty else { continue }
            let value = pair.count > 1 ? pair[1].trimmingCharacters(in: .whitespaces) : ""
            // If a directive occurs twice, use its first value, as §4.2.1 allows. Choosing the stricter value would
            // require a different rule for each directive.
            if directives[name] == nil { directives[name] = value.trimmingCharacters(in: ["\""]) }
        }
    }

    package func contains(_ name: String) -> Bool { directives[name] != nil }

    /// Whether a cache must not store the response. A cache that understands the status ignores `no-store` beside
    /// `must-understand` (§5.2.2.3); the loaders of this package accept no status that they do not understand.
    package var forbidsStorage: Bool { contains("no-store") && !contains("must-understand") }

    /// The directives of RFC 9111, RFC 5861 and RFC 8246 in a field, without all others.
    static func standard(_ field: String) -> String {
        let control = CacheControl(field)
        return names.compactMap { name in
            control.directives[name].map { $0.isEmpty ? name : "\(name)=\"\($0.prefix(32))\"" }
        }.joined(separator: ", ")
    }

    private static let names = [
        "no-store", "no-cache", "private", "public", "max-age", "s-maxage", "must-revalidate", "proxy-revalidate",
        "must-understand", "no-transform", "stale-while-revalidate", "stale-if-error", "immutable",
    ]

    /// The value of a directive in seconds, at most 2^31 (§1.2.2); nil if the directive is absent, 0 if its value is
    /// not a number.
    package func seconds(_ name: String) -> TimeInterval? {
        guard let text = directives[name] else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy({ $0.isASCIIDigit }) else { return 0 }
        return min(TimeInterval(text) ?? 0, 2_147_483_648)
    }

    /// Splits a field at the commas that are not inside quotes. A quote without an end is no quote: the directives behind it
    /// must not be lost.
    private static func parts(_ field: String) -> [Substring] {
        var parts: [Substring] = []
        var (start, index, hasQuotes) = (field.startIndex, field.startIndex, true)
        while index < field.endIndex {
            let byte = field.utf8[index]
            if byte == UInt8(ascii: ",") {
                parts.append(field[start..<index])
                start = field.utf8.index(after: index)
            } else if byte == UInt8(ascii: "\""), hasQuotes {
                if let end = endOfQuote(field.utf8[field.utf8.index(after: index)...]) {
                    index = end
                } else {
                    hasQuotes = false
                }
            }
            index = field.utf8.index(after: index)
        }
        return parts + [field[start...]]
    }

    /// The place of the quote that ends a quoted text. A quote behind a backslash does not (RFC 9110 §5.6.4).
    private static func endOfQuote(_ text: Substring.UTF8View) -> String.Index? {
        var isEscaped = false
        return text.indices.first { index in
            defer { isEscaped = !isEscaped && text[index] == UInt8(ascii: "\\") }
            return !isEscaped && text[index] == UInt8(ascii: "\"")
        }
    }
}

/// Parses dates of HTTP header fields in all three formats of RFC 9110 §5.6.7, independent of the locale.
package enum HTTPDate {
    /// The date in seconds since 1970; nil if the text is not a date, or its zone is not `GMT` or `UTC` (RFC 9111 §4.2).
    ///
    /// - Parameter now: A year of two digits that is more than 50 years later than this time is in the past.
    package static func seconds(_ text: String?, now: TimeInterval = SystemClock().date) -> TimeInterval? {
        guard let text else { return nil }
        let words = text.split { " ,-:".contains($0) }.map(String.init)
        // The three formats are `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6
        // 08:49:37 1994`.
        guard words.count >= 7 else { return nil }
        let isAsctime = Int(words[1]) == nil
        let order = isAsctime ? [2, 1, 6, 3, 4, 5] : [1, 2, 3, 4, 5, 6]
        guard let day = Int(words[order[0]]), let month = months.firstIndex(of: words[order[1]].lowercased()),
            var year = Int(words[order[2]]), let hour = Int(words[order[3]]), let minute = Int(words[order[4]]),
            let second = Int(words[order[5]]), (1...31).contains(day), (0...9999).contains(year),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        guard isAsctime || words.count > 7 && ["gmt", "utc"].contains(words[7].lowercased()) else { return nil }
        if words[order[2]].count == 2 {
            let thisYear = 1970 + Int(now / 31_556_952)
            year += thisYear / 100 * 100
            if year > thisYear + 50 { year -= 100 }
        }
        return TimeInterval(days(toYear: year, month: month + 1, day: day) * 86400 + hour * 3600 + minute * 60 + second)
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// The number of days from 1970-01-01 to a Gregorian date. In the computation a year begins in March, so that the
    /// leap day is the last day of a year.
    private static func days(toYear year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
