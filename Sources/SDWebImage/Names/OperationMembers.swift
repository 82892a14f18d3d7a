public import Foundation
import WebImage
public import WebImageHTTP

// SDWebImage's operation is a delegate of `URLSession`. Here libcurl performs the transfers, and the downloader shares,
// authenticates and checks them. The members for these steps are therefore unavailable.

extension WebImageDownloaderOperation {
    /// The options of the download.
    public var options: SDWebImageDownloaderOptions { SDWebImageDownloaderOptions(job.options) }
    /// The context of the download.
    public var context: SDWebImageContext? { job.context }

    /// Unavailable, because the downloader collects the completions of a shared download.
    @available(
        *, unavailable, message: "Override start(_:) and give the bytes to its sink; the downloader has the handlers"
    )
    public func addHandlers(
        forProgress progressBlock: SDWebImageDownloaderProgressBlock?,
        completed completedBlock: SDWebImageDownloaderCompletedBlock? = nil, decodeOptions: SDImageCoderOptions? = nil
    ) -> Any? { nil }
    /// Unavailable, because the downloader removes a cancelled download from a shared transfer.
    @available(*, unavailable, message: "Cancel the SDWebImageDownloadToken of the download")
    public func cancel(_ token: Any?) -> Bool { false }
    /// Unavailable, because this package has no `URLCredential`.
    @available(*, unavailable, message: "Set username and password of SDWebImageDownloaderConfig")
    public var credential: AnyObject? {
        get { nil }
        set {}
    }
    /// Unavailable, because the downloader reports progress.
    @available(*, unavailable, message: "Set minimumProgressInterval of SDWebImageDownloaderConfig")
    public var minimumProgressInterval: Double {
        get { 0 }
        set {}
    }
    /// Unavailable, because the downloader checks the status.
    @available(*, unavailable, message: "Set acceptableStatusCodes of SDWebImageDownloaderConfig")
    public var acceptableStatusCodes: IndexSet? {
        get { nil }
        set {}
    }
    /// Unavailable, because the downloader checks the content type.
    @available(*, unavailable, message: "Set acceptableContentTypes of SDWebImageDownloaderConfig")
    public var acceptableContentTypes: Set<String>? {
        get { nil }
        set {}
    }
    /// Unavailable, because libcurl performs the transfer.
    @available(*, unavailable, message: "There is no URLSessionTask; the operation itself is the transfer")
    public var dataTask: AnyObject? { nil }
    /// Unavailable, because the downloader collects the metrics.
    @available(*, unavailable, message: "Read metrics of the SDWebImageDownloadToken")
    public var metrics: AnyObject? { nil }
    /// Unavailable, because the downloader checks the response.
    @available(*, unavailable, message: "Read response of the SDWebImageDownloadToken")
    public var response: AnyObject? { nil }
}

extension WebImageDownloaderOperationProtocol {
    /// Unavailable, because the downloader collects the completions of a shared download.
    @available(
        *, unavailable, message: "Implement start(_:) and give the bytes to its sink; the downloader has the handlers"
    )
    public func addHandlers(
        forProgress progressBlock: SDWebImageDownloaderProgressBlock?,
        completed completedBlock: SDWebImageDownloaderCompletedBlock? = nil, decodeOptions: SDImageCoderOptions? = nil
    ) -> Any? { nil }
    /// Unavailable, because the downloader removes a cancelled download from a shared transfer.
    @available(*, unavailable, message: "Cancel the SDWebImageDownloadToken of the download")
    public func cancel(_ token: Any?) -> Bool { false }
    /// Unavailable, because this package has no `URLCredential`.
    @available(*, unavailable, message: "Set username and password of SDWebImageDownloaderConfig")
    public var credential: AnyObject? { nil }
    /// Unavailable, because the downloader reports progress.
    @available(*, unavailable, message: "Set minimumProgressInterval of SDWebImageDownloaderConfig")
    public var minimumProgressInterval: Double { 0 }
    /// Unavailable, because the downloader checks the status.
    @available(*, unavailable, message: "Set acceptableStatusCodes of SDWebImageDownloaderConfig")
    public var acceptableStatusCodes: IndexSet? { nil }
    /// Unavailable, because the downloader checks the content type.
    @available(*, unavailable, message: "Set acceptableContentTypes of SDWebImageDownloaderConfig")
    public var acceptableContentTypes: Set<String>? { nil }
    /// Unavailable, because libcurl performs the transfer.
    @available(*, unavailable, message: "There is no URLSessionTask; the operation itself is the transfer")
    public var dataTask: AnyObject? { nil }
    /// Unavailable, because the downloader collects the metrics.
    @available(*, unavailable, message: "Read metrics of the SDWebImageDownloadToken")
    public var metrics: AnyObject? { nil }
    /// Unavailable, because the downloader checks the response.
    @available(*, unavailable, message: "Read response of the SDWebImageDownloadToken")
    public var response: AnyObject? { nil }
}
