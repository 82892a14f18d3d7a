public import Foundation
public import WebImageCore

/// One caller's hold on a download; cancelling it leaves those alone who asked for the same.
public final class WebImageDownloadToken: WebImageOperation {
    /// The URL that was asked for.
    public let url: URL
    /// The request as it is sent.
    public let request: WebImageRequest

    private let operation: DataLoadOperation
    private let download: SharedDownload?

    init(_ request: WebImageRequest, _ operation: DataLoadOperation, _ download: SharedDownload?) {
        url = request.url
        self.request = request
        self.operation = operation
        self.download = download
    }

    /// The head of the answer, once it has come.
    public var response: WebImageResponse? { download?.response }

    /// Where the time went, once the bytes have come.
    public var metrics: DownloadMetrics? { download?.metrics }

    /// Ends this caller's wait with `.cancelled`; idempotent, on any thread.
    public func cancel() { operation.cancel() }

    /// Whether ``cancel()`` was called before the end.
    public var isCancelled: Bool { operation.isCancelled }
}
