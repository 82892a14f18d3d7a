package import Foundation
package import WebImageCore
package import WebImageLoading

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

    /// The longest time in seconds for which a shared cache holds a response: 30 days.
    private static let mostSharedSeconds: TimeInterval = 30 * 86_400

    /// The time for which a shared cache may use a response from now on; nil if the response states none: a shared cache
    /// guesses no lifetime.
    ///
    /// - Parameter now: Seconds since 1970.
    package static func sharedLifetime(_ stored: StoredResponse, now: TimeInterval) -> Duration? {
        let control = CacheControl(stored.fields["cache-control"])
        guard !control.contains("no-cache"), let age = HTTPCachePolicy().age(stored, now: now) else { return nil }
        var lifetime = control.seconds("s-maxage") ?? control.seconds("max-age")
        if lifetime == nil, let expires = stored.fields["expires"] {
            let date = HTTPDate.seconds(stored.fields["date"]) ?? stored.responseTime
            lifetime = (HTTPDate.seconds(expires) ?? 0) - date
        }
        guard let lifetime, lifetime > age else { return nil }
        return .seconds(min(lifetime - age, mostSharedSeconds))
    }
}
