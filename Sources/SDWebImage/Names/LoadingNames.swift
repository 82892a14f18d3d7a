public import Foundation
public import WebImage
public import WebImageHTTP

/// Downloads images over HTTP. SDWebImage's name for ``WebImageHTTP/WebImageDownloader``.
public typealias SDWebImageDownloader = WebImageDownloader
/// Options of a download. SDWebImage's name for ``WebImageHTTP/WebImageDownloaderOptions``.
public typealias SDWebImageDownloaderOptions = WebImageDownloaderOptions
/// The order in which waiting downloads start. SDWebImage's name for
/// ``WebImageHTTP/WebImageDownloaderConfig/ExecutionOrder``.
public typealias SDWebImageDownloaderExecutionOrder = WebImageDownloaderConfig.ExecutionOrder
/// A token to cancel a download. SDWebImage's name for ``WebImageHTTP/WebImageDownloadToken``.
public typealias SDWebImageDownloadToken = WebImageDownloadToken
/// One transfer. Also the base class for custom transfers. SDWebImage's name for
/// ``WebImageHTTP/WebImageDownloaderOperation``.
public typealias SDWebImageDownloaderOperation = WebImageDownloaderOperation
/// The requirements of a custom transfer. SDWebImage's name for ``WebImageHTTP/WebImageDownloaderOperationProtocol``.
public typealias SDWebImageDownloaderOperationProtocol = WebImageDownloaderOperationProtocol
/// Uses a block to change HTTP requests. SDWebImage's name for ``WebImageCore/WebImageDownloaderRequestModifier``.
public typealias SDWebImageDownloaderRequestModifier = WebImageDownloaderRequestModifier
/// Changes HTTP requests. SDWebImage's name for ``WebImageCore/WebImageDownloaderRequestModifierProtocol``.
public typealias SDWebImageDownloaderRequestModifierProtocol = WebImageDownloaderRequestModifierProtocol
/// Uses a block to change HTTP responses. SDWebImage's name for ``WebImageCore/WebImageDownloaderResponseModifier``.
public typealias SDWebImageDownloaderResponseModifier = WebImageDownloaderResponseModifier
/// Changes HTTP responses. SDWebImage's name for ``WebImageCore/WebImageDownloaderResponseModifierProtocol``.
public typealias SDWebImageDownloaderResponseModifierProtocol = WebImageDownloaderResponseModifierProtocol
/// Uses a block to convert downloaded bytes to the bytes of an image. SDWebImage's name for
/// ``WebImageCore/WebImageDownloaderDecryptor``.
public typealias SDWebImageDownloaderDecryptor = WebImageDownloaderDecryptor
/// Converts downloaded bytes to the bytes of an image. SDWebImage's name for
/// ``WebImageCore/WebImageDownloaderDecryptorProtocol``.
public typealias SDWebImageDownloaderDecryptorProtocol = WebImageDownloaderDecryptorProtocol
/// The registered loaders. The URL decides which loader is used. SDWebImage's name for
/// ``WebImageCore/ImageLoadersManager``.
public typealias SDImageLoadersManager = ImageLoadersManager

/// Not available: the downloader has requests of its own. Foundation gives a message of its own for `URLResponse`.
@available(
    *, unavailable,
    message: "Write WebImageRequest, or import FoundationNetworking and SDWebImageFoundationNetworking to convert"
)
public typealias URLRequest = WebImageRequest

extension DownloadMetrics {
    /// Not available: a download is measured as a whole.
    @available(*, unavailable, message: "Read nameLookup, connect, secureConnect, firstByte and total of the metrics")
    public var transactionMetrics: [DownloadMetrics] { [self] }
}

extension WebImageDownloaderConfig.ExecutionOrder {
    /// Downloads start in the order of their requests (first in, first out).
    public static let fifoExecutionOrder = Self.fifo
    /// The download that was requested last starts first (last in, first out).
    public static let lifoExecutionOrder = Self.lifo
}

extension Notification.Name {
    /// Posted before the first transfer of a download starts.
    public static let SDWebImageDownloadStart = webImageDownloadStart
    /// Posted when the status and header fields of a response were accepted.
    public static let SDWebImageDownloadReceiveResponse = webImageDownloadReceiveResponse
    /// Posted when a download has succeeded, failed or been cancelled.
    public static let SDWebImageDownloadStop = webImageDownloadStop
    /// Posted when a download has succeeded, directly after ``SDWebImageDownloadStop``.
    public static let SDWebImageDownloadFinish = webImageDownloadFinish
}
