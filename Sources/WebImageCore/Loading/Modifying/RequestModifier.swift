public import Foundation

/// Changes an HTTP request before it is sent.
///
/// Called on the thread that starts the load, possibly more than once per load. It must be fast and return equal
/// results.
@preconcurrency public protocol WebImageDownloaderRequestModifierProtocol: Sendable {
    /// Returns the request to send instead; nil ends the load with `.invalidDownloadOperation`.
    func modifiedRequest(with request: WebImageRequest) -> WebImageRequest?
    /// The scope of responses to the modified request; nil if the modifier does not declare a scope.
    ///
    /// If a modifier adds credentials (`Authorization`, `Cookie`) without declaring a scope, the load is neither shared
    /// nor stored.
    var cacheScope: CacheScope? { get }
}

extension WebImageDownloaderRequestModifierProtocol {
    /// Nil by default: the modifier declares no scope.
    public var cacheScope: CacheScope? { nil }
}

/// A request modifier that is created from a block.
public final class WebImageDownloaderRequestModifier: WebImageDownloaderRequestModifierProtocol {
    /// The declared scope.
    public let cacheScope: CacheScope?
    private let block: @Sendable (WebImageRequest) -> WebImageRequest?

    /// Creates a modifier that runs a block.
    public init(
        cacheScope: CacheScope? = nil, block: @escaping @Sendable (WebImageRequest) -> WebImageRequest?
    ) {
        self.cacheScope = cacheScope
        self.block = block
    }

    /// Sets the method (nil is `GET`) and the body (nil removes it), and adds header fields.
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

    /// Sets the method (nil is `GET`) and removes the body.
    public convenience init(method: String?) { self.init(method: method, headers: nil, body: nil) }

    /// Adds header fields, sets the method to `GET` and removes the body.
    public convenience init(headers: [String: String]?, cacheScope: CacheScope? = nil) {
        self.init(method: nil, headers: headers, body: nil, cacheScope: cacheScope)
    }

    /// Sets the body (nil removes it) and the method to `GET`.
    public convenience init(body: Data?) { self.init(method: nil, headers: nil, body: body) }

    /// Returns the result of the block.
    public func modifiedRequest(with request: WebImageRequest) -> WebImageRequest? { block(request) }
}
