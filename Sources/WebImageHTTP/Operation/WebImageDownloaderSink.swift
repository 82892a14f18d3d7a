public import WebImageCore

/// Receives the head, the bytes and the end of one transfer.
///
/// The functions are called on any thread, one at a time, and must return quickly.
public protocol WebImageDownloaderSink: AnyObject, Sendable {
    /// Receives the head of the final response. Called at most once, before the body. A returned error ends the
    /// transfer.
    func transferDidReceive(head: WebImageResponse) -> WebImageError?
    /// Receives the next bytes of the body, after content decoding. A returned error ends the transfer.
    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError?
    /// Receives the result of the transfer. Called exactly once, also after an error or a cancel.
    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>)
}

/// The result of a transfer that succeeded.
public struct WebImageDownloadEnd: Sendable {
    /// The head of the response.
    public var response: WebImageResponse
    /// The durations of the transfer's phases.
    public var metrics: DownloadMetrics

    /// Makes a result.
    public init(response: WebImageResponse, metrics: DownloadMetrics = DownloadMetrics()) {
        self.response = response
        self.metrics = metrics
    }
}
