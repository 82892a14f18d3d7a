public import Foundation
public import WebImage

/// Told how prefetching gets on, in the original's shape: counts are `UInt`. Called on the list's callback queue.
///
/// Both methods may be left out. Methods with `Int` counts, which older code for this package has, are called as well.
@preconcurrency public protocol SDWebImagePrefetcherDelegate: WebImagePrefetcherDelegate {
    /// A URL has ended; counts are those of all lists under way.
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: UInt, totalCount: UInt)
    /// The last list under way has ended.
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt)
}

extension SDWebImagePrefetcherDelegate {
    /// Nothing, unless implemented.
    public func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: UInt, totalCount: UInt
    ) {}
    /// Nothing, unless implemented.
    public func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt
    ) {}
    /// Hands the call on in the original's shape.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int
    ) {
        let (finished, total) = (UInt(clamping: finishedCount), UInt(clamping: totalCount))
        self.imagePrefetcher(imagePrefetcher, didPrefetch: imageURL, finishedCount: finished, totalCount: total)
    }
    /// Hands the call on in the original's shape.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
    ) {
        let (total, skipped) = (UInt(clamping: totalCount), UInt(clamping: skippedCount))
        self.imagePrefetcher(imagePrefetcher, didFinishWithTotalCount: total, skippedCount: skipped)
    }
}

extension WebImagePrefetcher {
    /// Told of every URL of every list; held weakly.
    public var delegate: (any SDWebImagePrefetcherDelegate)? {
        get { ownDelegate as? any SDWebImagePrefetcherDelegate }
        set { ownDelegate = newValue }
    }

    /// URLs that are loaded at the same time; at least 1.
    public var maxConcurrentPrefetchCount: UInt {
        get { UInt(clamping: ownMaxConcurrentPrefetchCount) }
        set { ownMaxConcurrentPrefetchCount = Int(clamping: newValue) }
    }

    /// Loads a list with the prefetcher's own options and context; nil for an empty list, which completes inline.
    @preconcurrency @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, progress progressBlock: SDWebImagePrefetcherProgressBlock?,
        completed completionBlock: SDWebImagePrefetcherCompletionBlock?
    ) -> SDWebImagePrefetchToken? {
        prefetchURLs(urls, progress: Self.counted(progressBlock), completed: Self.counted(completionBlock))
    }

    /// Loads a list with exactly these options and this context; nil for an empty list, which completes inline.
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
