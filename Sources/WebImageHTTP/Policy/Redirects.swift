import Foundation
import WebImageCore

/// Decides which redirects are followed and with which request (RFC 9110 §15.4).
extension CurlTransferRequest {
    /// Whether curl follows redirects. Curl handles GET, HEAD and POST as RFC 9110 §15.4 requires. With a policy or
    /// another method, the download follows redirects itself and checks each redirect first.
    var followsRedirects: Bool { policy == nil && ["GET", "HEAD", "POST"].contains(request.httpMethod) }

    /// Returns the request for the target of a redirect. A different origin receives no credentials and only the header
    /// fields in `harmlessFields`.
    ///
    /// Returns nil if the redirect would send a body, or a method other than GET and HEAD, to a different origin.
    func redirected(_ redirect: DownloadState.Redirect) -> CurlTransferRequest? {
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
        return CurlTransferRequest(next, route: route.anonymous, priority: priority)
    }

    private static let harmlessFields: Set<String> = ["accept", "accept-language", "accept-encoding", "user-agent"]
}

extension URL {
    /// Whether both URLs have the same origin: scheme, host and port (RFC 6454).
    func hasOrigin(of other: URL) -> Bool {
        func port(_ url: URL) -> Int { url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80) }
        return scheme?.lowercased() == other.scheme?.lowercased()
            && host()?.lowercased() == other.host()?.lowercased() && port(self) == port(other)
    }
}

extension DownloadPolicy {
    /// The policy for redirects if the configuration has no policy. It allows any host over http and https, and
    /// redirects from https to http.
    static let anyWebRedirect: DownloadPolicy = {
        var policy = DownloadPolicy()
        policy.allowsDowngrade = true
        return policy
    }()
}

extension WebImageError {
    /// The error for a redirect that would send a body, or a method other than GET and HEAD, to a different origin.
    static func redirectedBody(_ method: String, _ target: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .download, url: target,
            underlying: .message("the redirect would send the request's method (\(method)) and body to another origin"),
            hint: "Ask for the final URL.")
    }

    static func tooManyRedirects(_ limit: Int, _ url: URL) -> WebImageError {
        WebImageError(
            .transport, stage: .download, url: url,
            underlying: .curl(code: 47, message: "over \(limit) redirects"),
            hint: "The server redirects in a loop; ask for the final URL.")
    }
}
