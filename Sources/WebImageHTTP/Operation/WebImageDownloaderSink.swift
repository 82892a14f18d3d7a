public import WebImageCore

/// Receives the head, the bytes and the end of one transfer. Calls may come on any thread, one at a time, and must
/// return quickly.
public protocol WebImageDownloaderSink: AnyObject, Sendable {
    /// Receives the head of the last response, once, before the body; a returned error ends the transfer.
    func transferDidReceive(head: WebImageResponse) -> WebImageError?
    /// Receives the next bytes of the body, after content decoding; a returned error ends the transfer.
    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError?
    /// Receives the end, exactly once, in every case.
    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>)
}

/// The result of a transfer that succeeded.
public struct WebImageDownloadEnd: Sendable {
    /// The head of the response.
    public var response: WebImageResponse
    /// The times of the transfer.
    public var metrics: DownloadMetrics

    /// Makes a result.
    public init(response: WebImageResponse, metrics: DownloadMetrics = DownloadMetrics()) {
        self.response = response
        self.metrics = metrics
    }
}
