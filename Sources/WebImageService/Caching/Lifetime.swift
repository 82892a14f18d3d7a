package import Foundation
import WebImageHTTP

/// The times in seconds for which caches may use a response (RFC 9111, RFC 5861).
struct Lifetime: Sendable, Hashable, Codable {
    /// The lifetime in seconds. The lifetime begins when the origin server creates the response.
    var maxAge: Int
    /// The age in seconds that the response already had when it was stored here.
    var age = 0
    var staleWhileRevalidate = 0
    var staleIfError = 0
    /// Whether shared caches may store the response.
    var isShared = true
    /// Whether any cache may store the response.
    var mayBeStored = true
    /// True if the response must not leave this machine, because its bytes may depend on the client or it sets a cookie;
    /// see ``HTTPCachePolicy/mayShare(_:to:)``. Entries of earlier versions have no value.
    var staysHere: Bool?
    /// False if the response has more tags than are stored: a purge could miss it, so it is stored nowhere.
    var isPurgeable: Bool?

    /// Whether any place of this service may hold the response for several clients.
    var isStorable: Bool { isShared && mayBeStored && isPurgeable != false }

    /// The configured defaults and limits of lifetimes, in seconds.
    struct Bounds: Sendable, Hashable {
        /// The lifetime of a source whose response states no lifetime.
        var standard = 86_400
        var least = 0
        var most = 31_536_000
        var staleWhileRevalidate = 60
        var staleIfError = 86_400
    }

    /// Computes the lifetime of a source from its response.
    ///
    /// - Parameters:
    ///   - fields: The fields of the source's response, with names in lower case.
    ///   - age: The age of the response in seconds when it is received.
    ///   - received: The time at which the response is received, in seconds since 1970; it stands for a missing `Date`.
    ///   - bounds: The defaults and limits of the configuration. They count from the time at which the response is received:
    ///     a response that is older than ``Bounds/most`` when it arrives still has a lifetime.
    init(fields: [String: String], age: Int, received: TimeInterval = 0, bounds: Bounds) {
        let control = CacheControl(fields["cache-control"])
        // The answer to another request may differ in every field of the request, so it is never reused (RFC 9111 §4.1).
        let varies = (fields["vary"] ?? "").split(separator: ",").contains { $0.allSatisfy { " *\t".contains($0) } }
        mayBeStored = !control.forbidsStorage && !varies
        isShared = mayBeStored && !control.contains("private")
        func seconds(_ name: String) -> Int? { control.seconds(name).map { Int($0) } }
        var maxAge = seconds("s-maxage") ?? seconds("max-age")
        if maxAge == nil, let expires = fields["expires"] {
            let date = HTTPDate.seconds(fields["date"]) ?? received
            maxAge = Int(max((HTTPDate.seconds(expires) ?? 0) - date, 0))
        }
        let isPragma = fields["cache-control"] == nil && CacheControl(fields["pragma"]).contains("no-cache")
        let isUnusable = control.contains("no-cache") || isPragma
        if isUnusable { maxAge = 0 }
        let age = max(age, 0)
        self.age = age
        var allowed = maxAge ?? age + bounds.standard
        if bounds.least > 0 { allowed = max(allowed, age + bounds.least) }
        self.maxAge = mayBeStored ? min(allowed, age + bounds.most) : 0
        // `s-maxage` implies `proxy-revalidate` (§5.2.2.10).
        let isStrict =
            ["must-revalidate", "proxy-revalidate", "s-maxage"].contains(where: control.contains) || isUnusable
            || !mayBeStored
        // The configured stale times apply only if the source states no stale times. If the source requires
        // revalidation, a stale response is never used.
        let isOpen = !isStrict && self.maxAge > 0
        let revalidate = seconds("stale-while-revalidate") ?? (isOpen ? bounds.staleWhileRevalidate : 0)
        staleWhileRevalidate = isStrict ? 0 : revalidate
        staleIfError = isStrict ? 0 : seconds("stale-if-error") ?? bounds.staleIfError
    }

    init(maxAge: Int) { self.maxAge = maxAge }

    /// Computes the lifetime from what is stored of a response.
    init(origin: StoredResponse, bounds: Bounds) {
        let age = HTTPCachePolicy(isShared: true).age(origin, now: origin.responseTime) ?? 0
        // A server may send any number as `Age`.
        self.init(
            fields: origin.fields, age: Int(min(age, 1e9)), received: origin.responseTime, bounds: bounds)
        if CacheTags.isIncomplete(origin.fields) { isPurgeable = false }
    }

    /// The age in seconds at the time `now`, for a response stored at the time `stored` (both in seconds since 1970).
    func age(storedAt stored: TimeInterval, now: TimeInterval) -> Int { age + max(Int(now - stored), 0) }
}

/// An HTTP date in the preferred form (RFC 9110 §5.6.7).
package enum HTTPDateText {
    package static func text(_ seconds: TimeInterval) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(Int(parts.tm_year) + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}
