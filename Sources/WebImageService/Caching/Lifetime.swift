package import Foundation
import WebImageCore
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
    ///   - age: The age of the response in seconds when it is stored here.
    ///   - bounds: The defaults and limits of the configuration.
    init(fields: [String: String], age: Int, bounds: Bounds) {
        let control = CacheControl(fields["cache-control"])
        mayBeStored = !control.contains("no-store")
        isShared = mayBeStored && !control.contains("private")
        func seconds(_ name: String) -> Int? { control.seconds(name).map { Int($0) } }
        var maxAge = seconds("s-maxage") ?? seconds("max-age")
        if maxAge == nil, let expires = fields["expires"] {
            let date = HTTPDate.seconds(fields["date"]) ?? HTTPDate.seconds(expires) ?? 0
            maxAge = Int(max((HTTPDate.seconds(expires) ?? 0) - date, 0))
        }
        if control.contains("no-cache") { maxAge = 0 }
        self.maxAge = mayBeStored ? min(max(maxAge ?? bounds.standard, bounds.least), bounds.most) : 0
        self.age = min(max(age, 0), self.maxAge)
        let isStrict =
            control.contains("must-revalidate") || control.contains("proxy-revalidate") || control.contains("no-cache")
            || !mayBeStored
        // The configured stale times apply only if the source states no stale times. If the source requires
        // revalidation, a stale response is never used.
        let isOpen = !isStrict && self.maxAge > 0
        let revalidate = seconds("stale-while-revalidate") ?? (isOpen ? bounds.staleWhileRevalidate : 0)
        staleWhileRevalidate = isStrict ? 0 : revalidate
        staleIfError = isStrict ? 0 : seconds("stale-if-error") ?? bounds.staleIfError
    }

    init(maxAge: Int) { self.maxAge = maxAge }

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
