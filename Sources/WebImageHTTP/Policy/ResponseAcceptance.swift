package import Foundation
package import WebImageCore
import WebImageLoading

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

    /// Returns the rules for a load with terms of its own.
    func accepting(_ terms: FetchTerms) -> ResponseAcceptance {
        var rules = self
        rules.contentTypes?.formUnion(terms.contentTypes)
        if terms.acceptsParts { rules.statusCodes?.insert(206) }
        return rules
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
        case 407: "The proxy requires credentials; write user and password into the URL of the proxy."
        case 401: "The server requires credentials; set username and password or an Authorization header."
        case 403: "The server refuses this client; check its rules, referrer and user agent."
        case 404, 410: "There is nothing at this URL; check it."
        case 429: "The server asks for fewer requests; try again later."
        case 500...599: "The server has an internal problem; try again later."
        default: nil
        }
    }
}
