public import Foundation
public import WebImageCore

/// One caller's handle of a download; cancelling it does not affect other subscribers of the same download.
public final class WebImageDownloadToken: WebImageOperation {
    /// The requested URL.
    public let url: URL
    /// The HTTP request as it is sent, after the modifier.
    public let request: WebImageRequest

    private let load: DataLoadOperation
    private let download: SharedDownload?

    init(_ plan: DownloadPlan, _ load: DataLoadOperation, _ download: SharedDownload?) {
        url = plan.requestedURL
        request = plan.transfer.request
        self.load = load
        self.download = download
    }

    /// Makes the token of a file, which needs no download.
    init(_ file: URL, _ load: DataLoadOperation) {
        url = file
        request = WebImageRequest(url: file)
        self.load = load
        download = nil
    }

    /// The head of the response, after the modifier; nil before it is received.
    public var response: WebImageResponse? { download?.response }

    /// The times of the transfer; nil before the bytes are received.
    public var metrics: DownloadMetrics? { download?.metrics }

    /// The transfer that runs or ran last; nil before the first.
    public var downloadOperation: (any WebImageDownloaderOperationProtocol)? { download?.operation }

    /// Ends this caller's wait with `.cancelled`; idempotent, on any thread.
    public func cancel() { load.cancel() }

    /// Whether ``cancel()`` was called before the operation ended.
    public var isCancelled: Bool { load.isCancelled }
}
