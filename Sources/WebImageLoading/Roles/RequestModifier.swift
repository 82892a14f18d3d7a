public import Foundation
import WebImageCore

/// Changes an HTTP request before the request is sent.
///
/// A modifier is called on the thread that starts the load, and can be called more than once per load. It must be fast,
/// and must return equal results for equal requests.
@preconcurrency public protocol WebImageDownloaderRequestModifierProtocol: Sendable {
    /// Returns the request that is sent instead of `request`; nil ends the load with `.invalidDownloadOperation`.
    func modifiedRequest(with request: WebImageRequest) -> WebImageRequest?
    /// The scope of responses to the modified request; nil if the modifier does not declare a scope.
    ///
    /// If a modifier sets credentials (`Authorization`, `Cookie`, `Proxy-Authorization`) without declaring a scope,
    /// their value is the scope: only loads for which the modifier sets the same value find the picture, also after a
    /// restart. If the value differs in each load of a URL, as a signature with a time does, the loads are neither
    /// shared nor stored, and the log says so once. Declare the user as the scope then.
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

    /// Creates a modifier that sets the method and the body, and adds header fields. If `method` is nil, the method is
    /// `GET`. If `body` is nil, the body is removed.
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

    /// Creates a modifier that sets the method and removes the body. If `method` is nil, the method is `GET`.
    public convenience init(method: String?) { self.init(method: method, headers: nil, body: nil) }

    /// Creates a modifier that adds header fields, sets the method to `GET` and removes the body.
    public convenience init(headers: [String: String]?, cacheScope: CacheScope? = nil) {
        self.init(method: nil, headers: headers, body: nil, cacheScope: cacheScope)
    }

    /// Creates a modifier that sets the body, and sets the method to `GET`. If `body` is nil, the body is removed.
    public convenience init(body: Data?) { self.init(method: nil, headers: nil, body: body) }

    /// Returns the result of the block.
    public func modifiedRequest(with request: WebImageRequest) -> WebImageRequest? { block(request) }
}
