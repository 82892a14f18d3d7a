public import Foundation
public import WebImageCore
public import WebImageLoading

/// A handle with which one caller cancels its download. A cancel does not affect other subscribers of the same
/// download.
public final class WebImageDownloadToken: WebImageOperation {
    /// The requested URL.
    public let url: URL
    /// The HTTP request of the download, after the request modifier has changed it.
    public let request: WebImageRequest

    private let load: DataLoadOperation
    private let download: SharedDownload?

    init(_ parameters: DownloadParameters, _ load: DataLoadOperation, _ download: SharedDownload?) {
        url = parameters.requestedURL
        request = parameters.transfer.request
        self.load = load
        self.download = download
    }

    /// Makes the token of a load that reads a file. Such a load has no download.
    init(_ file: URL, _ load: DataLoadOperation) {
        url = file
        request = WebImageRequest(url: file)
        self.load = load
        download = nil
    }

    /// The response head, after the response modifier has changed it; nil before the head is received.
    public var response: WebImageResponse? { download?.response }

    /// The durations of the phases of the transfer; nil before the transfer has succeeded.
    public var metrics: DownloadMetrics? { download?.metrics }

    /// The current or previous transfer. Before the first transfer, this is its operation, which has not sent anything: it
    /// is set as soon as the downloader has returned the token. Nil for a load that needs no download.
    ///
    /// A download that continues a partial body on disk replaces this operation when it begins.
    public var downloadOperation: (any WebImageDownloaderOperationProtocol)? { download?.preparedOperation }

    /// Completes this caller's load with `.cancelled`. Further calls do nothing. May be called on any thread.
    public func cancel() { load.cancel() }

    /// Whether ``cancel()`` was called before the load ended.
    public var isCancelled: Bool { load.isCancelled }
}
