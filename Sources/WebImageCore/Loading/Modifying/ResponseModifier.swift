/// Changes the head of a response before it is validated.
///
/// Called on a queue of the download after the complete body has arrived.
@preconcurrency public protocol WebImageDownloaderResponseModifierProtocol: Sendable {
    /// Returns the head to validate and deliver instead; nil ends the load with `.invalidDownloadResponse`.
    func modifiedResponse(with response: WebImageResponse) -> WebImageResponse?
}

/// A response modifier that is created from a block.
public final class WebImageDownloaderResponseModifier: WebImageDownloaderResponseModifierProtocol {
    private let block: @Sendable (WebImageResponse) -> WebImageResponse?

    /// Creates a modifier that runs a block.
    public init(block: @escaping @Sendable (WebImageResponse) -> WebImageResponse?) { self.block = block }

    /// Sets status, version (nil is `HTTP/1.1`) and adds header fields; leaves non-HTTP responses unchanged.
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

    /// Sets the status.
    public convenience init(statusCode: Int) { self.init(statusCode: statusCode, version: nil, headers: nil) }
    /// Sets the version, and the status to 200.
    public convenience init(version: String?) { self.init(statusCode: 200, version: version, headers: nil) }
    /// Adds header fields and sets the status to 200.
    public convenience init(headers: [String: String]?) {
        self.init(statusCode: 200, version: nil, headers: headers)
    }

    /// Returns the result of the block.
    public func modifiedResponse(with response: WebImageResponse) -> WebImageResponse? { block(response) }
}
