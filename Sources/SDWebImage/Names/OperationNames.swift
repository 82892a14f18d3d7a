public import Dispatch
public import Foundation
public import WebImage
public import WebImageHTTP

extension WebImageOperation {
    /// The default implementation. Always false. It exists because the property is optional in SDWebImage.
    public var isCancelled: Bool { false }
}

extension Operation: WebImageOperation {}

extension ImageCache {
    /// Looks an image up in all layers.
    @preconcurrency @discardableResult
    public func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: SDWebImageContext?,
        completion completionBlock: SDImageCacheQueryCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        queryImage(forKey: key, options: options, context: context, cacheType: .all, completion: completionBlock)
    }
}

extension ImageCachesManager {
    /// Looks an image up in the caches that the manager's query policy selects.
    @preconcurrency @discardableResult
    public func queryImage(
        forKey key: String?, options: SDWebImageOptions = [], context: SDWebImageContext?,
        completion completionBlock: SDImageCacheQueryCompletionBlock? = nil
    ) -> (any SDWebImageOperation)? {
        queryImage(forKey: key, options: options, context: context, cacheType: .all, completion: completionBlock)
    }
}

extension WebImageDownloaderOptions {
    /// Unavailable, because the downloader has no cache.
    @available(*, unavailable, message: "Load through SDWebImageManager with SDWebImageOptions.refreshCached")
    public static var useNSURLCache: WebImageDownloaderOptions { [] }
    /// Unavailable, because the downloader has no cache.
    @available(*, unavailable, message: "Load through SDWebImageManager with SDWebImageOptions.refreshCached")
    public static var ignoreCachedResponse: WebImageDownloaderOptions { [] }
}

extension WebImageDownloader {
    /// Unavailable, because the downloader has no `URLSession`. libcurl performs the transfers.
    @available(
        *, unavailable, message: "Set the properties of config: downloadTimeout, proxy, certificateAuthorityFile"
    )
    public var sessionConfiguration: Never? { nil }
}

extension SDWebImageDownloaderConfig {
    /// Unavailable, because the downloader has no `URLSession`. libcurl performs the transfers.
    @available(*, unavailable, message: "Set properties such as downloadTimeout, proxy and certificateAuthorityFile")
    public var sessionConfiguration: Never? {
        get { nil }
        set {}
    }
    /// Unavailable, because this package has no `URLCredential`. It uses a user name and a password instead.
    @available(*, unavailable, message: "Set username and password")
    public var urlCredential: Never? {
        get { nil }
        set {}
    }
}

extension SDImageCacheConfig {
    /// Unavailable, because Linux has no iCloud.
    @available(*, unavailable, message: "There is no backup to exclude; remove the line")
    public var shouldDisableiCloud: Bool {
        get { true }
        set {}
    }
    /// Unavailable, because the disk layer always writes atomically.
    @available(*, unavailable, message: "Writes are always atomic; remove the line")
    public var diskCacheWritingOptions: Data.WritingOptions {
        get { .atomic }
        set {}
    }
    /// Unavailable, because the disk layer accesses its folder without a `FileManager`.
    @available(*, unavailable, message: "Set diskCacheClass to a class that uses it")
    public var fileManager: FileManager? {
        get { nil }
        set {}
    }
}

extension SDImageCacheConfig {
    /// Unavailable, because the disk layer has a queue of its own.
    @available(*, unavailable, message: "The disk layer has its own queue; remove the line")
    public var ioQueueAttributes: DispatchQueue.Attributes? {
        get { nil }
        set {}
    }
}

/// The `totalUnitCount` of a `Progress` object when the size of the download is unknown.
public let SDWebImageProgressUnitCountUnknown: Int64 = 1
