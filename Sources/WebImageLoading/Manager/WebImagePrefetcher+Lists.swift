public import Foundation
import WebImageCore

// Lists with callbacks. Each has a form without `progress`, so that a trailing closure is `completed`.
extension WebImagePrefetcher {
    /// Loads a list of URLs.
    ///
    /// - Parameters:
    ///   - options: Nil for those of the prefetcher, and then with its context.
    ///   - context: Used with `options`.
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @_disfavoredOverload @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, options: WebImageOptions? = nil, context: WebImageContext? = nil,
        completed: CompletionBlock? = nil
    ) -> WebImagePrefetchToken? {
        prefetchURLs(urls, options: options, context: context, progress: nil, completed: completed)
    }

    /// Loads a list of URLs and reports progress, as ``prefetchURLs(_:options:context:completed:)``.
    @_disfavoredOverload @discardableResult
    public func prefetchURLs(
        _ urls: [URL]?, options: WebImageOptions? = nil, context: WebImageContext? = nil,
        progress: ProgressBlock?, completed: CompletionBlock?
    ) -> WebImagePrefetchToken? {
        let defaults = defaults
        let requests = (urls ?? []).map { url in
            options.map { ImageRequest(url: url, options: $0, context: context) }
                ?? ImageRequest(url: url, options: defaults.options, context: defaults.context.dictionary)
        }
        return prefetchRequests(requests, progress: progress, completed: completed)
    }

    /// Loads a list of requests into memory, or only onto disk. The loads begin in the order of the list.
    ///
    /// `completed` runs on the callback queue of the first request. If the first request names no queue, it runs on
    /// ``delegateQueue``.
    /// - Returns: The handle of the list. Nil if the list is empty; `completed` is then called with zeros before this
    ///   function returns.
    @discardableResult
    public func prefetchRequests(
        _ requests: [ImageRequest], destination: Destination = .memory, completed: CompletionBlock? = nil
    ) -> WebImagePrefetchToken? {
        start(requests, destination: destination, progress: nil, completed: completed)
    }

    /// Loads a list of requests and reports progress, as ``prefetchRequests(_:destination:completed:)``. Both blocks run on
    /// the same queue.
    @discardableResult
    public func prefetchRequests(
        _ requests: [ImageRequest], destination: Destination = .memory, progress: ProgressBlock?,
        completed: CompletionBlock? = nil
    ) -> WebImagePrefetchToken? {
        start(requests, destination: destination, progress: progress, completed: completed)
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
