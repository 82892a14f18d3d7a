public import Foundation
import WebImageCore

// Lists of URLs, with callbacks.
extension WebImagePrefetcher {
    /// Loads a list with the options and the context of the prefetcher.
    @discardableResult
    public func prefetchURLs(_ urls: [URL]?) -> WebImagePrefetchToken? {
        prefetchURLs(urls, progress: nil, completed: nil)
    }

    /// Loads a list with the options and the context of the prefetcher, without reporting progress.
    ///
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @_disfavoredOverload @discardableResult
    public func prefetchURLs(_ urls: [URL]?, completed: CompletionBlock?) -> WebImagePrefetchToken? {
        prefetchURLs(urls, progress: nil, completed: completed)
    }

    /// Loads a list with `options` and `context` instead of those of the prefetcher, without reporting progress.
    ///
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @_disfavoredOverload @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, options: WebImageOptions, context: WebImageContext? = nil, completed: CompletionBlock?
    ) -> WebImagePrefetchToken? {
        prefetchURLs(urls, options: options, context: context, progress: nil, completed: completed)
    }

    /// Loads a list with the options and the context of the prefetcher.
    ///
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @_disfavoredOverload @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, progress: ProgressBlock?, completed: CompletionBlock?
    ) -> WebImagePrefetchToken? {
        let (options, context) = defaults
        return prefetchURLs(
            urls, options: options, context: context.dictionary, progress: progress, completed: completed)
    }

    /// Loads a list with `options` and `context` instead of those of the prefetcher.
    ///
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @_disfavoredOverload @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, options: WebImageOptions, context: WebImageContext?,
        progress: ProgressBlock?, completed: CompletionBlock?
    ) -> WebImagePrefetchToken? {
        prefetchRequests(
            (urls ?? []).map { ImageRequest(url: $0, options: options, context: context) }, progress: progress,
            completed: completed)
    }
}

// Lists of requests, with callbacks.
extension WebImagePrefetcher {
    /// Loads a list of requests. The loads begin in the order of the list.
    ///
    /// The blocks run on the callback queue of the first request. If the first request names no queue, the blocks run
    /// on ``delegateQueue``.
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @discardableResult
    public func prefetchRequests(
        _ requests: [ImageRequest], progress: ProgressBlock?, completed: CompletionBlock? = nil
    ) -> WebImagePrefetchToken? {
        start(requests, destination: .memory, progress: progress, completed: completed)
    }

    /// Loads a list of requests, without reporting progress. The loads begin in the order of the list.
    ///
    /// `completed` runs on the callback queue of the first request. If the first request names no queue, it runs on
    /// ``delegateQueue``.
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @discardableResult
    public func prefetchRequests(
        _ requests: [ImageRequest], completed: CompletionBlock? = nil
    ) -> WebImagePrefetchToken? {
        prefetchRequests(requests, progress: nil, completed: completed)
    }

    /// Loads a list of requests into memory, or only onto disk. The loads begin in the order of the list.
    ///
    /// The blocks run on the callback queue of the first request. If the first request names no queue, the blocks run
    /// on ``delegateQueue``.
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @discardableResult
    public func prefetchRequests(
        _ requests: [ImageRequest], destination: Destination, progress: ProgressBlock?,
        completed: CompletionBlock? = nil
    ) -> WebImagePrefetchToken? {
        start(requests, destination: destination, progress: progress, completed: completed)
    }

    /// Loads a list of requests into memory, or only onto disk, without reporting progress. The loads begin in the order
    /// of the list.
    ///
    /// `completed` runs on the callback queue of the first request. If the first request names no queue, it runs on
    /// ``delegateQueue``.
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @discardableResult
    public func prefetchRequests(
        _ requests: [ImageRequest], destination: Destination, completed: CompletionBlock? = nil
    ) -> WebImagePrefetchToken? {
        prefetchRequests(requests, destination: destination, progress: nil, completed: completed)
    }
}

// Lists that are awaited.
extension WebImagePrefetcher {
    /// Loads a list and waits for its end. Cancelling the surrounding task cancels the list.
    ///
    /// - Parameter progress: Called on any thread, unless the context names a callback queue.
    public func prefetch(
        _ urls: [URL], options: WebImageOptions = .lowPriority, context: WebImageContext? = nil,
        progress: ProgressBlock? = nil
    ) async -> (finishedCount: Int, skippedCount: Int) {
        await end(
            of: urls.map { ImageRequest(url: $0, options: options, context: context) }, destination: .memory,
            progress: progress)
    }

    /// Loads a list of requests into memory, or only onto disk, and waits for its end. The loads begin in the order of
    /// the list. Cancelling the surrounding task cancels the list; its other requests then count as skipped.
    ///
    /// ```swift
    /// let requests = urls.map { ImageRequest(url: $0, priority: .low) }
    /// let (_, skipped) = await prefetcher.prefetch(requests, destination: .disk)
    /// ```
    ///
    /// - Parameter progress: Called with increasing counts, one call after another. Called on any thread, unless the
    ///   first request names a callback queue.
    @_disfavoredOverload
    public func prefetch(
        _ requests: [ImageRequest], destination: Destination = .memory, progress: ProgressBlock? = nil
    ) async -> (finishedCount: Int, skippedCount: Int) {
        await end(of: requests, destination: destination, progress: progress)
    }

    private func end(
        of requests: [ImageRequest], destination: Destination, progress: ProgressBlock?
    ) async -> (finishedCount: Int, skippedCount: Int) {
        let hold = Locked<(token: WebImagePrefetchToken?, isCancelled: Bool)>((nil, false))
        return await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                let token = start(
                    requests, destination: destination, queue: .invoking, progress: progress,
                    completed: { continuation.resume(returning: ($0, $1)) })
                let isCancelled = hold.withLock { hold in
                    hold.token = token
                    return hold.isCancelled
                }
                if isCancelled { token?.cancel() }
            }
        } onCancel: {
            let token = hold.withLock { hold in
                hold.isCancelled = true
                return hold.token
            }
            token?.cancel()
        }
    }
}
