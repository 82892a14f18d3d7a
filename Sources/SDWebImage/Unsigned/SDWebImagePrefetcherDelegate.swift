public import Foundation
public import WebImage
import WebImageCompatibility

/// Receives the progress of prefetching. Has SDWebImage's signatures, in which counts are `UInt`.
///
/// Both methods are optional. They are called on the callback queue of the prefetched list. Older code for this
/// package can implement the methods of ``WebImageCore/WebImagePrefetcherDelegate`` instead.
@preconcurrency public protocol SDWebImagePrefetcherDelegate: WebImagePrefetcherDelegate {
    /// Called when the load of a URL has ended. The counts include all running lists.
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetchURL imageURL: URL?, finishedCount: UInt, totalCount: UInt)
    /// The same with the label that earlier versions of this package required. Implement only one of both methods.
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: UInt, totalCount: UInt)
    /// Called when the last running list has ended.
    func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt)
}

extension SDWebImagePrefetcherDelegate {
    /// The default implementation. Calls the method with the label `didPrefetch`.
    public func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetchURL imageURL: URL?, finishedCount: UInt, totalCount: UInt
    ) {
        self.imagePrefetcher(
            imagePrefetcher, didPrefetch: imageURL, finishedCount: finishedCount, totalCount: totalCount)
    }
    /// The default implementation. Does nothing.
    public func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: UInt, totalCount: UInt
    ) {}
    /// The default implementation. Does nothing.
    public func imagePrefetcher(
        _ imagePrefetcher: SDWebImagePrefetcher, didFinishWithTotalCount totalCount: UInt, skippedCount: UInt
    ) {}
    /// Calls the method with `UInt` counts.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int
    ) {
        let (finished, total) = (UInt(clamping: finishedCount), UInt(clamping: totalCount))
        self.imagePrefetcher(imagePrefetcher, didPrefetchURL: imageURL, finishedCount: finished, totalCount: total)
    }
    /// Calls the method with `UInt` counts.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
    ) {
        let (total, skipped) = (UInt(clamping: totalCount), UInt(clamping: skippedCount))
        self.imagePrefetcher(imagePrefetcher, didFinishWithTotalCount: total, skippedCount: skipped)
    }
}

extension WebImagePrefetcher {
    /// The delegate that receives the progress of all prefetched lists. The prefetcher references the delegate weakly.
    public var delegate: (any SDWebImagePrefetcherDelegate)? {
        get { ownDelegate as? any SDWebImagePrefetcherDelegate }
        set { ownDelegate = newValue }
    }

    /// The maximum number of URLs that the prefetcher loads at the same time. At least 1.
    public var maxConcurrentPrefetchCount: UInt {
        get { UInt(clamping: ownMaxConcurrentPrefetchCount) }
        set { ownMaxConcurrentPrefetchCount = Int(clamping: newValue) }
    }

    /// Loads a list of URLs with the prefetcher's options and context. For an empty list, calls the completion inline
    /// and returns nil.
    @preconcurrency @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, progress progressBlock: SDWebImagePrefetcherProgressBlock?,
        completed completionBlock: SDWebImagePrefetcherCompletionBlock? = nil
    ) -> SDWebImagePrefetchToken? {
        prefetchURLs(urls, progress: Self.counted(progressBlock), completed: Self.counted(completionBlock))
    }

    /// Loads a list of URLs with `options` and `context` instead of the prefetcher's options and context. For an empty
    /// list, calls the completion inline and returns nil.
    @preconcurrency @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, options: SDWebImageOptions = [], context: SDWebImageContext?,
        progress progressBlock: SDWebImagePrefetcherProgressBlock?,
        completed completionBlock: SDWebImagePrefetcherCompletionBlock? = nil
    ) -> SDWebImagePrefetchToken? {
        prefetchURLs(
            urls, options: options, context: context, progress: Self.counted(progressBlock),
            completed: Self.counted(completionBlock))
    }

    /// Loads a list of URLs with the prefetcher's options and context, and reports only the end. For an empty list,
    /// calls the completion inline and returns nil.
    ///
    /// A single trailing closure is the completion. In SDWebImage it is the progress block.
    @preconcurrency @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, completed completionBlock: SDWebImagePrefetcherCompletionBlock?
    ) -> SDWebImagePrefetchToken? {
        prefetchURLs(urls, progress: nil, completed: Self.counted(completionBlock))
    }

    private static func counted(
        _ block: (@Sendable (UInt, UInt) -> Void)?
    ) -> (@Sendable (Int, Int) -> Void)? {
        guard let block else { return nil }
        return { first, second in block(UInt(clamping: first), UInt(clamping: second)) }
    }
}
