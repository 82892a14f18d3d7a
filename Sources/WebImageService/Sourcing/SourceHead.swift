import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// The properties of a source that the head of its response decides. They are known before its bytes.
struct SourceHead: Sendable {
    let lifetime: Lifetime
    /// Scheme and host from which the bytes come, if the source's server redirected to another host; otherwise nil.
    let redirect: String?
    /// The tags that the origin has given to the source.
    let tags: [String]
    /// The strong validator of the origin, with its quotes; nil if it has sent none that can be passed on.
    let entityTag: String?

    /// - Parameters:
    ///   - stored: The head as the loader describes it for a cache; nil if it does not.
    ///   - url: The URL of the source, from which the response may have been redirected.
    ///   - isShared: Whether other machines could receive the source.
    /// - Throws: `.invalidDownloadOperation` if the response comes from a URL with a user.
    init(
        _ response: WebImageResponse, _ stored: StoredResponse?, of url: URL, now: TimeInterval,
        bounds: Lifetime.Bounds, isShared: Bool
    ) throws(WebImageError) {
        // A target must not name a user, and a redirect must not do so instead.
        guard response.url?.user() == nil, response.url?.password() == nil else {
            throw WebImageError(
                .invalidDownloadOperation, stage: .download, url: url,
                underlying: .message("the redirect leads to a URL with a user name"))
        }
        let record =
            stored ?? StoredResponse(response, to: WebImageRequest(url: url), requestTime: now, responseTime: now)
        let fields = record.fields
        var lifetime = Lifetime(origin: record, bounds: bounds)
        if isShared, !Self.mayShare(response, after: stored, to: url) { lifetime.staysHere = true }
        self.lifetime = lifetime
        redirect = Self.redirect(from: url, to: response.url)
        tags = CacheTags.tags(fields)
        entityTag = Self.entityTag(fields)
    }

    /// The strong validator in the fields of a response. A longer one than 256 bytes is not passed on.
    static func entityTag(_ fields: [String: String]) -> String? {
        guard let tag = fields["etag"], (3...256).contains(tag.utf8.count), tag.first == "\"", tag.last == "\"",
            tag.dropFirst().dropLast().utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") })
        else { return nil }
        return tag
    }

    /// Whether other machines may receive a response. An answer of 304 may leave out fields that the stored response has.
    private static func mayShare(_ response: WebImageResponse, after stored: StoredResponse?, to url: URL) -> Bool {
        let responses = [response.allHeaderFields] + (stored.map { [$0.fields] } ?? [])
        return responses.allSatisfy {
            HTTPCachePolicy.mayShare(
                WebImageResponse(url: url, statusCode: 200, allHeaderFields: $0), to: WebImageRequest(url: url))
        }
    }

    private static func redirect(from source: URL, to target: URL?) -> String? {
        guard let target, let scheme = target.scheme,
            let host = URLComponents(url: target, resolvingAgainstBaseURL: false)?
                .percentEncodedHost, target.host() != source.host()
        else { return nil }
        return "\(scheme)://\(host)"
    }
}
