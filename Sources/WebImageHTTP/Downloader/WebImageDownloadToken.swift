public import Foundation
public import WebImageCore

/// One caller's hold on a download; cancelling it leaves those alone who asked for the same.
public final class WebImageDownloadToken: WebImageOperation {
    /// The URL that was asked for.
    public let url: URL
    /// The request as it is sent, modified.
    public let request: WebImageRequest

    private let load: DataLoadOperation
    private let download: SharedDownload?

    init(_ plan: DownloadPlan, _ load: DataLoadOperation, _ download: SharedDownload?) {
        url = plan.requestedURL
        request = plan.transfer.request
        self.load = load
        self.download = download
    }

    /// Of a file, which takes no download.
    init(_ file: URL, _ load: DataLoadOperation) {
        url = file
        request = WebImageRequest(url: file)
        self.load = load
        download = nil
    }

    /// The head of the answer, modified, once it has come.
    public var response: WebImageResponse? { download?.response }

    /// Where the time went, once the bytes have come.
    public var metrics: DownloadMetrics? { download?.metrics }

    /// The transfer that runs or ran last; nil before the first.
    public var downloadOperation: (any WebImageDownloaderOperationProtocol)? { download?.operation }

    /// Ends this caller's wait with `.cancelled`; idempotent, on any thread.
    public func cancel() { load.cancel() }

    /// Whether ``cancel()`` was called before the end.
    public var isCancelled: Bool { load.isCancelled }
}
