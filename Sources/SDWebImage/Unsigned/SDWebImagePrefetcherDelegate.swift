public import Foundation
public import WebImage

/// Receives the progress of prefetching, with SDWebImage's signatures: counts are `UInt`.
///
/// Called on the list's callback queue. Both methods are optional. Methods with `Int` counts, as in older code for this
/// package, are also called.
@preconcurrency public protocol SDWebImagePrefetcherDelegate: WebImagePrefetcherDelegate {
    /// Called when a URL has ended; the counts include all running lists.
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: UInt, totalCount: UInt)
    /// Called when the last running list has ended.
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt)
}

extension SDWebImagePrefetcherDelegate {
    /// Does nothing unless implemented.
    public func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: UInt, totalCount: UInt
    ) {}
    /// Does nothing unless implemented.
    public func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt
    ) {}
    /// Forwards the call with SDWebImage's types.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int
    ) {
        let (finished, total) = (UInt(clamping: finishedCount), UInt(clamping: totalCount))
        self.imagePrefetcher(imagePrefetcher, didPrefetch: imageURL, finishedCount: finished, totalCount: total)
    }
    /// Forwards the call with SDWebImage's types.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
    ) {
        let (total, skipped) = (UInt(clamping: totalCount), UInt(clamping: skippedCount))
        self.imagePrefetcher(imagePrefetcher, didFinishWithTotalCount: total, skippedCount: skipped)
    }
}

extension WebImagePrefetcher {
    /// Receives the progress of all lists; referenced weakly.
    public var delegate: (any SDWebImagePrefetcherDelegate)? {
        get { ownDelegate as? any SDWebImagePrefetcherDelegate }
        set { ownDelegate = newValue }
    }

    /// The number of URLs that are loaded at the same time; at least 1.
    public var maxConcurrentPrefetchCount: UInt {
        get { UInt(clamping: ownMaxConcurrentPrefetchCount) }
        set { ownMaxConcurrentPrefetchCount = Int(clamping: newValue) }
    }

    /// Loads a list with the prefetcher's options and context; returns nil for an empty list, which completes inline.
    @preconcurrency @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, progress progressBlock: SDWebImagePrefetcherProgressBlock?,
        completed completionBlock: SDWebImagePrefetcherCompletionBlock?
    ) -> SDWebImagePrefetchToken? {
        prefetchURLs(urls, progress: Self.counted(progressBlock), completed: Self.counted(completionBlock))
    }

    /// Loads a list with exactly these options and this context; returns nil for an empty list, which completes inline.
    @preconcurrency @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, options: SDWebImageOptions = [], context: SDWebImageContext?,
        progress progressBlock: SDWebImagePrefetcherProgressBlock?,
        completed completionBlock: SDWebImagePrefetcherCompletionBlock?
    ) -> SDWebImagePrefetchToken? {
        prefetchURLs(
            urls, options: options, context: context, progress: Self.counted(progressBlock),
            completed: Self.counted(completionBlock))
    }

    private static func counted(
        _ block: (@Sendable (UInt, UInt) -> Void)?
    ) -> (@Sendable (Int, Int) -> Void)? {
        guard let block else { return nil }
        return { first, second in block(UInt(clamping: first), UInt(clamping: second)) }
    }
}
