package import Foundation
package import WebImageCore
import WebImageLoading

/// A redirect that a response requests (RFC 9110 §15.4).
struct Redirect: Sendable {
    let target: URL
    let status: Int
    /// The head of the redirect. Its fields decide how long the redirect may be reused.
    let response: WebImageResponse

    /// The redirect that a response requests; nil for any other response, and for a redirect without a usable
    /// `Location`.
    init?(_ response: WebImageResponse, from source: URL) {
        guard let status = response.statusCode, [301, 302, 303, 307, 308].contains(status),
            let location = response.value(forHTTPHeaderField: "location"), !location.isEmpty,
            let target = URL(string: location, relativeTo: source)?.absoluteURL
        else { return nil }
        // Pass on a URL without a valid host unchanged. `WebImageDownloaderJob.following` then refuses it with an error
        // that states the reason.
        self.target = target.withCanonicalHost ?? target
        self.status = status
        self.response = response
    }
}

/// Decides which redirects are followed and with which request (RFC 9110 §15.4). Curl never follows a redirect,
/// because it would send the header fields of the request to every origin.
extension WebImageDownloaderJob {
    /// Returns the request for the target of a redirect.
    ///
    /// - Parameter count: The number of redirects so far, including this one.
    /// - Throws: `.transport` if there are too many redirects, or if the target is not an http or https URL.
    ///   `.invalidDownloadOperation` if the policy refuses the target, or if the redirect would send a body, or a method
    ///   other than GET and HEAD, to a different origin.
    func following(
        _ redirect: Redirect, count: Int, of first: URL
    ) throws(WebImageError) -> WebImageDownloaderJob {
        if let refusal = refusal(of: redirect, from: first) { throw refusal }
        guard let next = redirected(redirect) else {
            throw .redirectedBody(request.httpMethod, redirect.target)
        }
        let maxRedirects = route.members.maxRedirects
        guard count <= maxRedirects else { throw .tooManyRedirects(maxRedirects, first) }
        return next
    }

    private func refusal(of redirect: Redirect, from first: URL) -> WebImageError? {
        if let policy { return policy.refusal(ofRedirectFrom: request.url, to: redirect.target) }
        let scheme = redirect.target.scheme?.lowercased() ?? ""
        guard ["http", "https"].contains(scheme) else { return .redirectedElsewhere(scheme, first) }
        return CanonicalHost(of: redirect.target) == nil ? .redirectedNowhere(first) : nil
    }

    /// Returns the request for the target of a redirect. A different origin receives no credentials and only the header
    /// fields in `harmlessFields`.
    ///
    /// Returns nil if the redirect would send a body, or a method other than GET and HEAD, to a different origin.
    private func redirected(_ redirect: Redirect) -> WebImageDownloaderJob? {
        var next = request
        next.url = redirect.target
        let becomesGet =
            redirect.status == 303
            ? request.httpMethod != "HEAD" : [301, 302].contains(redirect.status) && request.httpMethod == "POST"
        if becomesGet {
            (next.httpMethod, next.httpBody) = ("GET", nil)
            // These fields describe the body, which is no longer sent (RFC 9110 §15.4).
            for field in request.allHTTPHeaderFields.keys where field.lowercased().hasPrefix("content-") {
                next.setValue(nil, forHTTPHeaderField: field)
            }
        }
        guard !request.url.hasOrigin(of: redirect.target) else { return with(next) }
        guard ["GET", "HEAD"].contains(next.httpMethod), next.httpBody == nil else { return nil }
        for field in request.allHTTPHeaderFields.keys where !Self.harmlessFields.contains(field.lowercased()) {
            next.setValue(nil, forHTTPHeaderField: field)
        }
        return withoutCredentials(next)
    }

    /// The header fields that another origin may receive: they identify neither the user nor the page. `Range` is among
    /// them, because without it the caller would receive other bytes than it asked for.
    private static let harmlessFields: Set<String> = [
        "accept", "accept-language", "accept-encoding", "user-agent", "cache-control", "pragma", "range",
    ]
}

extension URL {
    /// Whether both URLs have the same origin: scheme, host and port (RFC 6454).
    func hasOrigin(of other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
        return scheme?.lowercased() == other.scheme?.lowercased()
            && host()?.lowercased() == other.host()?.lowercased() && port(self) == port(other)
    }

    /// A digest of the URL without its fragment. Stored metadata contains the digest instead of the URL, because the
    /// target of a redirect often contains a secret.
    var sourceDigest: String {
        let text = absoluteString
        return SHA256.shortName(of: String(text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]))
    }
}

extension WebImageError {
    /// The error for a redirect that would send a body, or a method other than GET and HEAD, to a different origin.
    static func redirectedBody(_ method: String, _ target: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .download, url: target,
            underlying: .message("the redirect would send the request's method (\(method)) and body to another origin"),
            hint: "Ask for the final URL.")
    }

    // The codes below are curl's codes for the same failures, so that callers can compare them.

    static func tooManyRedirects(_ limit: Int, _ url: URL) -> WebImageError {
        redirectFailure(
            47, "over \(limit) redirects", url: url, hint: "The server redirects in a loop; ask for the final URL.")
    }

    fileprivate static func redirectedElsewhere(_ scheme: String, _ first: URL) -> WebImageError {
        redirectFailure(
            1, "redirect to the scheme \(scheme)", url: first,
            hint: "The server redirected to something other than http or https.")
    }

    fileprivate static func redirectedNowhere(_ first: URL) -> WebImageError {
        redirectFailure(
            3, "redirect to a URL without a host", url: first, hint: "The server redirected to an invalid URL.")
    }

    private static func redirectFailure(_ code: Int, _ message: String, url: URL, hint: String) -> WebImageError {
        WebImageError(
            .transport, stage: .download, url: url, underlying: .curl(code: code, message: message), hint: hint)
    }
}

/// The status codes and media types that a download accepts.
package struct ResponseAcceptance: Sendable, Hashable {
    /// The accepted status codes; nil accepts every status code.
    var statusCodes: IndexSet?
    /// The accepted media types (`Content-Type`) in lower case; nil accepts every type.
    package var contentTypes: Set<String>?

    package init(statusCodes: IndexSet? = IndexSet(200..<300), contentTypes: Set<String>? = nil) {
        self.statusCodes = statusCodes
        self.contentTypes = contentTypes.map { Set($0.map { $0.lowercased() }) }
    }

    /// The reason why a response head is refused; nil if it is accepted. A missing `Content-Type` is accepted, as in
    /// SDWebImage.
    package func refusal(of response: WebImageResponse, for url: URL) -> WebImageError? {
        var refusal = reason(for: response, url)
        refusal?.response = response
        return refusal
    }

    private func reason(for response: WebImageResponse, _ url: URL) -> WebImageError? {
        if let status = response.statusCode, let statusCodes, !statusCodes.contains(status) {
            return WebImageError(
                .invalidDownloadStatusCode, stage: .download, url: url, underlying: .http(status: status),
                hint: Self.hint(for: status))
        }
        if let contentTypes, let type = response.mimeType, !contentTypes.contains(type) {
            return WebImageError(
                .invalidDownloadContentType, stage: .download, url: url, underlying: .message("content type \(type)"),
                hint: "Accepted are \(contentTypes.sorted().joined(separator: ", ")).")
        }
        return nil
    }

    private static func hint(for status: Int) -> String? {
        switch status {
        case 304: "The server reports no change, but nothing is cached; load without validators."
        case 401, 407: "The server requires credentials; set username and password or an Authorization header."
        case 403: "The server refuses this client; check its rules, referrer and user agent."
        case 404, 410: "There is nothing at this URL; check it."
        case 429: "The server asks for fewer requests; try again later."
        case 500...599: "The server has an internal problem; try again later."
        default: nil
        }
    }
}
