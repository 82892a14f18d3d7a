public import WebImageCore

/// Changes the head of a response before the downloader validates the response.
///
/// The downloader calls a modifier on a queue of the download, after the complete body has arrived.
@preconcurrency public protocol WebImageDownloaderResponseModifierProtocol: Sendable {
    /// Returns the head that is validated and delivered instead of `response`. Nil ends the load with
    /// `.invalidDownloadResponse`.
    func modifiedResponse(with response: WebImageResponse) -> WebImageResponse?
}

/// A response modifier that is created from a block.
public final class WebImageDownloaderResponseModifier: WebImageDownloaderResponseModifierProtocol {
    private let block: @Sendable (WebImageResponse) -> WebImageResponse?

    /// Creates a modifier that runs a block.
    public init(block: @escaping @Sendable (WebImageResponse) -> WebImageResponse?) { self.block = block }

    /// Creates a modifier that sets the status and the HTTP version, and adds header fields. If `version` is nil, the
    /// version is `HTTP/1.1`. The modifier does not change responses that are not HTTP responses.
    public convenience init(statusCode: Int, version: String?, headers: [String: String]?) {
        self.init { response in
            guard response.statusCode != nil else { return response }
            var response = response
            response.statusCode = statusCode
            response.httpVersion = version ?? "HTTP/1.1"
            for (field, value) in headers ?? [:] { response.allHeaderFields[field.lowercased()] = value }
            return response
        }
    }

    /// Creates a modifier that sets the status, and sets the version to `HTTP/1.1`.
    public convenience init(statusCode: Int) { self.init(statusCode: statusCode, version: nil, headers: nil) }
    /// Creates a modifier that sets the version, and sets the status to 200. If `version` is nil, the version is
    /// `HTTP/1.1`.
    public convenience init(version: String?) { self.init(statusCode: 200, version: version, headers: nil) }
    /// Creates a modifier that adds header fields, sets the status to 200, and sets the version to `HTTP/1.1`.
    public convenience init(headers: [String: String]?) {
        self.init(statusCode: 200, version: nil, headers: headers)
    }

    /// Returns the result of the block.
    public func modifiedResponse(with response: WebImageResponse) -> WebImageResponse? { block(response) }
}
