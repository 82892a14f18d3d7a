import Foundation
import WebImageCore
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
            let location = response.address(forHTTPHeaderField: "location"), !location.isEmpty,
            let target = URL(webAddress: location, relativeTo: source)
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
    /// - Parameters:
    ///   - count: The number of redirects so far, including this one.
    ///   - first: The URL that the caller asked for, which errors name instead of a target that may contain a secret.
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
        guard !request.url.hasSameOrigin(as: redirect.target) else { return with(next) }
        guard ["GET", "HEAD"].contains(next.httpMethod), next.httpBody == nil else { return nil }
        return forOtherOrigin(next)
    }

    private func forOtherOrigin(_ request: WebImageRequest) -> WebImageDownloaderJob {
        var next = request
        for field in request.allHTTPHeaderFields.keys where !Self.harmlessFields.contains(field.lowercased()) {
            next.setValue(nil, forHTTPHeaderField: field)
        }
        return withoutCredentials(next)
    }

    /// Returns the request for a URL that a page names. The author of the page has chosen the URL, so the rules are those of
    /// a redirect from the page: the policy is asked, and another origin receives no credentials.
    ///
    /// - Throws: `.invalidDownloadOperation` if the policy refuses the URL, or if the request to another origin has a body.
    func named(by page: URL) throws(WebImageError) -> WebImageDownloaderJob {
        if let refusal = policy?.refusal(ofRedirectFrom: page, to: request.url) { throw refusal }
        guard !request.url.hasSameOrigin(as: page) else { return self }
        guard ["GET", "HEAD"].contains(request.httpMethod), request.httpBody == nil else {
            throw .redirectedBody(request.httpMethod, request.url)
        }
        return forOtherOrigin(request)
    }

    /// The header fields that another origin may receive: they identify neither the user nor the page. `Range` is among
    /// them, because without it the caller would receive other bytes than it asked for.
    private static let harmlessFields: Set<String> = [
        "accept", "accept-language", "accept-encoding", "user-agent", "cache-control", "pragma", "range",
    ]
}

extension URL {
    /// Whether both URLs have the same origin: scheme, host and port (RFC 6454).
    func hasSameOrigin(as other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
        return scheme?.lowercased() == other.scheme?.lowercased()
            && host()?.lowercased() == other.host()?.lowercased() && port(self) == port(other)
    }
}

extension WebImageError {
    /// The error for a redirect that would send a body, or a method other than GET and HEAD, to a different origin.
    fileprivate static func redirectedBody(_ method: String, _ target: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .download, url: target,
            underlying: .message("the redirect would send the request (\(method)) to another origin"),
            hint: "Ask for the final URL.")
    }

    // The codes below are curl's codes for the same failures, so that callers can compare them.

    fileprivate static func tooManyRedirects(_ limit: Int, _ url: URL) -> WebImageError {
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
