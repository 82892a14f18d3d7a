public import Foundation

/// Changes a request before it is sent.
///
/// Called on whatever thread asks for a load, more than once for one load; must be quick and give equal answers.
@preconcurrency public protocol WebImageDownloaderRequestModifierProtocol: Sendable {
    /// The request to send instead; nil ends the load with `.invalidDownloadOperation`.
    func modifiedRequest(with request: WebImageRequest) -> WebImageRequest?
    /// Who may share what is fetched with the modified request; nil when not declared.
    ///
    /// A modifier that adds credentials (`Authorization`, `Cookie`) without declaring a scope makes the load one that is
    /// neither shared nor stored.
    var cacheScope: CacheScope? { get }
}

extension WebImageDownloaderRequestModifierProtocol {
    /// Not declared.
    public var cacheScope: CacheScope? { nil }
}

/// A request modifier made of a block.
public final class WebImageDownloaderRequestModifier: WebImageDownloaderRequestModifierProtocol {
    /// The scope that was declared.
    public let cacheScope: CacheScope?
    private let block: @Sendable (WebImageRequest) -> WebImageRequest?

    /// A modifier that runs a block.
    public init(
        cacheScope: CacheScope? = nil, block: @escaping @Sendable (WebImageRequest) -> WebImageRequest?
    ) {
        self.cacheScope = cacheScope
        self.block = block
    }

    /// Sets the method (nil is `GET`), the body (nil clears it), and header fields beside those there are.
    public convenience init(
        method: String?, headers: [String: String]?, body: Data?, cacheScope: CacheScope? = nil
    ) {
        self.init(cacheScope: cacheScope) { request in
            var request = request
            request.httpMethod = method ?? "GET"
            request.httpBody = body
            for (field, value) in headers ?? [:] { request.setValue(value, forHTTPHeaderField: field) }
            return request
        }
    }

    /// Sets the method; nil is `GET`.
    public convenience init(method: String?) { self.init(method: method, headers: nil, body: nil) }

    /// Sets header fields beside those there are.
    public convenience init(headers: [String: String]?, cacheScope: CacheScope? = nil) {
        self.init(method: nil, headers: headers, body: nil, cacheScope: cacheScope)
    }

    /// Sets the body.
    public convenience init(body: Data?) { self.init(method: nil, headers: nil, body: body) }

    /// What the block says.
    public func modifiedRequest(with request: WebImageRequest) -> WebImageRequest? { block(request) }
}
