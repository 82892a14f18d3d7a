public import Foundation
public import WebImage
public import WebImageHTTP

/// Loads over HTTP; ``WebImageHTTP/WebImageDownloader``.
public typealias SDWebImageDownloader = WebImageDownloader
/// Options of a download; ``WebImageHTTP/WebImageDownloaderOptions``.
public typealias SDWebImageDownloaderOptions = WebImageDownloaderOptions
/// The order in which waiting downloads start; ``WebImageHTTP/WebImageDownloaderConfig/ExecutionOrder``.
public typealias SDWebImageDownloaderExecutionOrder = WebImageDownloaderConfig.ExecutionOrder
/// A token to cancel a download; ``WebImageHTTP/WebImageDownloadToken``.
public typealias SDWebImageDownloadToken = WebImageDownloadToken
/// One transfer, and the base class of custom transfers; ``WebImageHTTP/WebImageDownloaderOperation``.
public typealias SDWebImageDownloaderOperation = WebImageDownloaderOperation
/// The requirements of a custom transfer; ``WebImageHTTP/WebImageDownloaderOperationProtocol``.
public typealias SDWebImageDownloaderOperationProtocol = WebImageDownloaderOperationProtocol
/// Changes HTTP requests with a block; ``WebImageCore/WebImageDownloaderRequestModifier``.
public typealias SDWebImageDownloaderRequestModifier = WebImageDownloaderRequestModifier
/// Changes HTTP requests; ``WebImageCore/WebImageDownloaderRequestModifierProtocol``.
public typealias SDWebImageDownloaderRequestModifierProtocol = WebImageDownloaderRequestModifierProtocol
/// Changes HTTP responses with a block; ``WebImageCore/WebImageDownloaderResponseModifier``.
public typealias SDWebImageDownloaderResponseModifier = WebImageDownloaderResponseModifier
/// Changes responses; ``WebImageCore/WebImageDownloaderResponseModifierProtocol``.
public typealias SDWebImageDownloaderResponseModifierProtocol = WebImageDownloaderResponseModifierProtocol
/// Converts downloaded bytes to the bytes of an image with a block; ``WebImageCore/WebImageDownloaderDecryptor``.
public typealias SDWebImageDownloaderDecryptor = WebImageDownloaderDecryptor
/// Converts downloaded bytes to the bytes of an image; ``WebImageCore/WebImageDownloaderDecryptorProtocol``.
public typealias SDWebImageDownloaderDecryptorProtocol = WebImageDownloaderDecryptorProtocol
/// The registered loaders, chosen by URL; ``WebImageCore/ImageLoadersManager``.
public typealias SDImageLoadersManager = ImageLoadersManager

extension WebImageDownloaderConfig.ExecutionOrder {
    /// Downloads start in the order of their requests (first in, first out).
    public static let fifoExecutionOrder = Self.fifo
    /// The latest requested download starts first (last in, first out).
    public static let lifoExecutionOrder = Self.lifo
}

extension Notification.Name {
    /// Posted when the first transfer of a download was started.
    public static let SDWebImageDownloadStart = webImageDownloadStart
    /// Posted when the status and header fields of a response were accepted.
    public static let SDWebImageDownloadReceiveResponse = webImageDownloadReceiveResponse
    /// Posted when a download has ended.
    public static let SDWebImageDownloadStop = webImageDownloadStop
    /// Posted when a download has succeeded.
    public static let SDWebImageDownloadFinish = webImageDownloadFinish
}
