/// Changes the head of an answer before it is judged.
///
/// Called on a queue of the download's, once the body has come.
@preconcurrency public protocol WebImageDownloaderResponseModifierProtocol: Sendable {
    /// The head to judge and hand out instead; nil ends the load with `.invalidDownloadResponse`.
    func modifiedResponse(with response: WebImageResponse) -> WebImageResponse?
}

/// A response modifier made of a block.
public final class WebImageDownloaderResponseModifier: WebImageDownloaderResponseModifierProtocol {
    private let block: @Sendable (WebImageResponse) -> WebImageResponse?

    /// A modifier that runs a block.
    public init(block: @escaping @Sendable (WebImageResponse) -> WebImageResponse?) { self.block = block }

    /// Sets status, version (nil is `HTTP/1.1`) and header fields beside those there are; passes what is not HTTP.
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
    /// Sets header fields beside those there are, and the status to 200.
    public convenience init(headers: [String: String]?) {
        self.init(statusCode: 200, version: nil, headers: headers)
    }

    /// What the block says.
    public func modifiedResponse(with response: WebImageResponse) -> WebImageResponse? { block(response) }
}
