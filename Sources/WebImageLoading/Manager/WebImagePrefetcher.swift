public import Foundation
import WebImageCore

/// Loads images before they are needed, so that a view finds the images in the cache. Only a few images are loaded at
/// the same time.
///
/// Safe on any thread. Each list ends with exactly one completion, even if the list is cancelled.
public final class WebImagePrefetcher: Sendable {
    private struct State {
        var waiting: [PrefetchItem] = []
        var running = 0
        var maxConcurrent = 3
        var isPaused = false
        var options: WebImageOptions = .lowPriority
        var context = RequestContext(nil)
        var delegateQueue: (queue: DispatchQueue, callbacks: CallbackQueue)?
        var tokens: [ObjectIdentifier: WebImagePrefetchToken] = [:]
    }

    /// Receives the number of finished URLs and the number of all URLs of one list.
    public typealias ProgressBlock = @Sendable (_ finishedCount: Int, _ totalCount: Int) -> Void
    /// Receives the number of finished URLs of one list, and how many of them failed or were cancelled.
    public typealias CompletionBlock = @Sendable (_ finishedCount: Int, _ skippedCount: Int) -> Void

    /// The default prefetcher. Its manager shares the cache and the loader of the shared manager.
    public static let shared = WebImagePrefetcher()

    /// The manager that performs the prefetch loads.
    public let manager: WebImageManager
    private let state = Locked(State())
    // Loads are started on this serial queue. A slow key filter then blocks only one thread.
    private let starts = DispatchQueue(label: "webimage.prefetcher")
    private let weakDelegate = Locked(WeakDelegate())

    private struct WeakDelegate {
        weak var delegate: (any WebImagePrefetcherDelegate)?
    }

    /// Creates a prefetcher with a new manager. The new manager uses the cache, the loader and the running work of the
    /// shared manager, but remembers failed URLs separately.
    public convenience init() {
        self.init(imageManager: WebImageManager(sharingWorkOf: .shared))
    }

    /// Creates a prefetcher that loads with a manager.
    public init(imageManager: WebImageManager) { manager = imageManager }

    /// The maximum number of URLs that are loaded at the same time; at least 1. Default 3.
    public var maxConcurrentPrefetchCount: Int {
        get { state.withLock { $0.maxConcurrent } }
        set {
            state.withLock { $0.maxConcurrent = max(newValue, 1) }
            admit()
        }
    }

    /// The options of lists that are started without options. Default `.lowPriority`.
    public var options: WebImageOptions {
        get { state.withLock { $0.options } }
        set { state.withLock { $0.options = newValue } }
    }

    /// The context of lists that are started without a context.
    public var context: WebImageContext? {
        get { state.withLock { $0.context }.forRoles }
        set {
            let shared = RequestContext(newValue)
            state.withLock { $0.context = shared }
        }
    }

    /// The queue on which blocks and delegate methods are called, unless the context of the list names a callback
    /// queue. Default: the main queue.
    public var delegateQueue: DispatchQueue {
        get { state.withLock { $0.delegateQueue?.queue } ?? .main }
        set {
            let queue = (newValue, CallbackQueue(queue: newValue, policy: .dispatch))
            state.withLock { $0.delegateQueue = queue }
        }
    }

    /// The delegate, which receives the end of the load of every URL of every list. The reference is weak.
    public var delegate: (any WebImagePrefetcherDelegate)? {
        get { weakDelegate.withLock { $0.delegate } }
        set { weakDelegate.withLock { $0.delegate = newValue } }
    }

    /// Whether the prefetcher is paused. While it is paused, no load begins, but running loads continue.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock { $0.isPaused = newValue }
            admit()
        }
    }

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
        let (options, context) = state.withLock { ($0.options, $0.context) }
        return prefetchURLs(urls, options: options, context: context.forRoles, progress: progress, completed: completed)
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
        guard let first = requests.first else {
            completed?(0, 0)
            return nil
        }
        let queue = first.callbackQueue ?? state.withLock { $0.delegateQueue?.callbacks }
        let token = WebImagePrefetchToken(
            requests.map(\.url), prefetcher: self, queue: queue ?? .main, progress: progress, completed: completed)
        state.withLock { state in
            state.tokens[ObjectIdentifier(token)] = token
            state.waiting += requests.indices.map { PrefetchItem(token: token, index: $0, request: requests[$0]) }
        }
        admit()
        return token
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

    /// Loads a list and waits for its end. Cancelling the surrounding task cancels the list.
    public func prefetch(
        _ urls: [URL], options: WebImageOptions = .lowPriority, context: WebImageContext? = nil,
        progress: ProgressBlock? = nil
    ) async -> (finishedCount: Int, skippedCount: Int) {
        let hold = Locked<(token: WebImagePrefetchToken?, isCancelled: Bool)>((nil, false))
        var values = RequestContext(context)
        if !values.has(.callbackQueue) { values.set(.callbackQueue, CallbackQueue.invoking) }
        let context = values
        return await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                let token = prefetchURLs(
                    urls, options: options, context: context.forRoles, progress: progress,
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

    /// Cancels every list.
    public func cancelPrefetching() {
        for token in state.withLock({ Array($0.tokens.values) }) { token.cancel() }
    }

    /// The number of lists that have not ended.
    package var runningTokenCount: Int { state.withLock { $0.tokens.count } }

    /// The number of loads that count towards ``maxConcurrentPrefetchCount``.
    package var runningLoadCount: Int { state.withLock { $0.running } }

    // MARK: Work

    private func admit() {
        while let item = nextItem() {
            guard item.token.isWanted else {
                release()
                continue
            }
            // Do not start the load on the caller's thread. The synchronous part of the load takes time and may call
            // the completion before `loadImage` returns.
            starts.async { self.load(item) }
        }
    }

    private func nextItem() -> PrefetchItem? {
        state.withLock { state in
            guard !state.isPaused, state.running < state.maxConcurrent, !state.waiting.isEmpty else { return nil }
            state.running += 1
            return state.waiting.removeFirst()
        }
    }

    private func release() { state.withLock { $0.running -= 1 } }

    private func load(_ item: PrefetchItem) {
        let completion = Completion<Bool> { isSkipped in
            item.token.end(item.index, isSkipped: isSkipped)
            // Call `release` after `end`, as SDWebImage does. `end` runs or enqueues the callbacks of this load, and a
            // callback may start another prefetch. During `end`, this load must still count towards the limit of
            // concurrent loads.
            self.release()
            self.admit()
        }
        var request = item.request
        request.callbackQueue = .invoking
        let operation = manager.loadImage(with: request) {
            _, _, error, _, finished, _ in
            if finished { completion.complete(with: error != nil) }
        }
        item.token.hold(operation, item.index)
    }

    /// Returns the sums of the counts of all other running lists.
    func totals(without token: WebImagePrefetchToken) -> (finished: Int, total: Int) {
        let tokens = state.withLock { Array($0.tokens.values) }
        return tokens.filter { $0 !== token }.reduce(into: (0, 0)) { sum, token in
            let counts = token.counts
            sum = (sum.0 + counts.finished, sum.1 + counts.total)
        }
    }

    /// Removes an ended list and its waiting URLs. Returns the number of remaining lists.
    func remove(_ token: WebImagePrefetchToken) -> Int {
        state.withLock { state in
            state.tokens[ObjectIdentifier(token)] = nil
            state.waiting.removeAll { $0.token === token }
            return state.tokens.count
        }
    }
}

/// Receives the progress of a prefetcher. Each method is called on the callback queue of the list that caused the call.
@preconcurrency public protocol WebImagePrefetcherDelegate: AnyObject, Sendable {
    /// Called when the load of a URL has ended. The counts are the sums over all running lists.
    func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int)
    /// Called when the last running list has ended. The counts are those of this list.
    func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int)
}

extension WebImagePrefetcherDelegate {
    /// Does nothing.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didPrefetch imageURL: URL?, finishedCount: Int, totalCount: Int
    ) {}
    /// Does nothing.
    public func imagePrefetcher(
        _ imagePrefetcher: WebImagePrefetcher, didFinishWithTotalCount totalCount: Int, skippedCount: Int
    ) {}
}

/// One URL of one list, with its request.
struct PrefetchItem: Sendable {
    let token: WebImagePrefetchToken
    let index: Int
    let request: ImageRequest
}
