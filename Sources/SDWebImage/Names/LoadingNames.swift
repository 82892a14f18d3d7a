public import Foundation
public import WebImage
public import WebImageHTTP

/// Loads over HTTP; ``WebImageHTTP/WebImageDownloader``.
public typealias SDWebImageDownloader = WebImageDownloader
/// Options of a download; ``WebImageHTTP/WebImageDownloaderOptions``.
public typealias SDWebImageDownloaderOptions = WebImageDownloaderOptions
/// The order of waiting downloads; ``WebImageHTTP/WebImageDownloaderConfig/ExecutionOrder``.
public typealias SDWebImageDownloaderExecutionOrder = WebImageDownloaderConfig.ExecutionOrder
/// A token to cancel a download; ``WebImageHTTP/WebImageDownloadToken``.
public typealias SDWebImageDownloadToken = WebImageDownloadToken
/// One transfer, and the base class of custom ones; ``WebImageHTTP/WebImageDownloaderOperation``.
public typealias SDWebImageDownloaderOperation = WebImageDownloaderOperation
/// The requirements of a custom transfer; ``WebImageHTTP/WebImageDownloaderOperationProtocol``.
public typealias SDWebImageDownloaderOperationProtocol = WebImageDownloaderOperationProtocol
/// Changes requests, in a block; ``WebImageCore/WebImageDownloaderRequestModifier``.
public typealias SDWebImageDownloaderRequestModifier = WebImageDownloaderRequestModifier
/// Changes requests; ``WebImageCore/WebImageDownloaderRequestModifierProtocol``.
public typealias SDWebImageDownloaderRequestModifierProtocol = WebImageDownloaderRequestModifierProtocol
/// Changes responses, in a block; ``WebImageCore/WebImageDownloaderResponseModifier``.
public typealias SDWebImageDownloaderResponseModifier = WebImageDownloaderResponseModifier
/// Changes responses; ``WebImageCore/WebImageDownloaderResponseModifierProtocol``.
public typealias SDWebImageDownloaderResponseModifierProtocol = WebImageDownloaderResponseModifierProtocol
/// Converts downloaded bytes to an image's bytes, in a block; ``WebImageCore/WebImageDownloaderDecryptor``.
public typealias SDWebImageDownloaderDecryptor = WebImageDownloaderDecryptor
/// Converts downloaded bytes to an image's bytes; ``WebImageCore/WebImageDownloaderDecryptorProtocol``.
public typealias SDWebImageDownloaderDecryptorProtocol = WebImageDownloaderDecryptorProtocol
/// The registered loaders, chosen by URL; ``WebImageCore/ImageLoadersManager``.
public typealias SDImageLoadersManager = ImageLoadersManager

extension WebImageDownloaderConfig.ExecutionOrder {
    /// First in, first out.
    public static let fifoExecutionOrder = Self.fifo
    /// Last in, first out.
    public static let lifoExecutionOrder = Self.lifo
}

extension Notification.Name {
    /// A download's first transfer was started.
    public static let SDWebImageDownloadStart = webImageDownloadStart
    /// The head of a response was accepted.
    public static let SDWebImageDownloadReceiveResponse = webImageDownloadReceiveResponse
    /// A download has ended.
    public static let SDWebImageDownloadStop = webImageDownloadStop
    /// A download has succeeded.
    public static let SDWebImageDownloadFinish = webImageDownloadFinish
}
