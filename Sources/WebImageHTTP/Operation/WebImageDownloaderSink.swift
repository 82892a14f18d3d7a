public import WebImageCore

/// Takes what one transfer yields. Calls may come on any thread, one at a time, and must return quickly.
public protocol WebImageDownloaderSink: AnyObject, Sendable {
    /// The head of the last response, once, before the body; an error ends the transfer with it.
    func transferDidReceive(head: WebImageResponse) -> WebImageError?
    /// The next bytes of the body, content coding removed; an error ends the transfer with it.
    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError?
    /// The end, exactly once, whatever happened.
    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>)
}

/// A transfer that came to its end.
public struct WebImageDownloadEnd: Sendable {
    /// The head of the answer.
    public var response: WebImageResponse
    /// Where the time went.
    public var metrics: DownloadMetrics

    /// Describes an end.
    public init(response: WebImageResponse, metrics: DownloadMetrics = DownloadMetrics()) {
        self.response = response
        self.metrics = metrics
    }
}
