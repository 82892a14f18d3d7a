public import Foundation
import WebImageCore

/// Loads images before they are needed, so that a view finds the images in the cache. Only a few images are loaded at
/// the same time.
///
/// Safe on any thread. Each list ends with exactly one completion, even if the list is cancelled.
///
/// The blocks of a list and the methods of the delegate run one after another, with increasing counts, on the callback
/// queue of the first request of the list. If that request names no queue, they run on ``delegateQueue``, which is the
/// main queue by default. Blocks of the `async` functions run on any thread, unless a request names a queue.
public final class WebImagePrefetcher: Sendable {
    private struct State {
        var waiting = PrefetchQueue()
        var running = 0
        var maxConcurrent = 3
        var isPaused = false
        var options: WebImageOptions = .lowPriority
        var context = RequestContext(nil)
        var delegateQueue: (queue: DispatchQueue, callbacks: CallbackQueue)?
        var tokens: [ObjectIdentifier: WebImagePrefetchToken] = [:]
    }

    /// The caches into which the images of a list are loaded.
    public enum Destination: Sendable, Hashable, CaseIterable {
        /// The images are loaded as by a load: they are decoded, and stored in memory and on disk.
        case memory
        /// The fetched bytes are stored on disk, at their full size. The images are not decoded and not stored in memory,
        /// so a list of any length needs the memory of a few files. A later load of any size then decodes the file.
        ///
        /// A file that is already on disk is not read. A file whose format no coder recognizes is not stored, and counts
        /// as skipped. Local files and `data:` URLs are left alone. If a delegate of the manager must approve the image,
        /// or if the loader returns decoded images, the image is decoded, but still not stored in memory.
        case disk
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
        get { state.withLock { $0.context }.dictionary }
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

    // MARK: Lists

    /// Starts a list. The blocks run on `queue`. Nil: on the callback queue of the first request, or on
    /// ``delegateQueue``.
    func start(
        _ requests: [ImageRequest], destination: Destination, queue: CallbackQueue? = nil, progress: ProgressBlock?,
        completed: CompletionBlock?
    ) -> WebImagePrefetchToken? {
        guard let first = requests.first else {
            completed?(0, 0)
            return nil
        }
        let chosen = first.callbackQueue ?? queue ?? state.withLock { $0.delegateQueue?.callbacks }
        let token = WebImagePrefetchToken(
            requests, destination: destination, prefetcher: self, queue: chosen ?? .main, progress: progress,
            completed: completed)
        state.withLock { state in
            state.tokens[ObjectIdentifier(token)] = token
            state.waiting.append(token)
        }
        admit()
        return token
    }

    /// The options and the context of lists that are started without options and context.
    var defaults: (options: WebImageOptions, context: RequestContext) { state.withLock { ($0.options, $0.context) } }

    /// Cancels every list.
    public func cancelPrefetching() {
        for token in tokens { token.cancel() }
    }

    /// Stops the loads of some URLs in every list, of all sizes. They count as skipped, and the lists continue with their
    /// other URLs. URLs whose loads have ended are left alone.
    public func cancelPrefetching(of urls: [URL]) {
        for token in tokens { token.cancel(urls) }
    }

    /// Stops some requests in every list. They count as skipped, and the lists continue with their other requests.
    /// Requests whose loads have ended are left alone.
    ///
    /// A request of a list is stopped if it has the URL and the cache key of a request in `requests`: the same size,
    /// transformers and scope.
    public func cancelPrefetching(of requests: [ImageRequest]) {
        for token in tokens { token.cancel(requests) }
    }

    private var tokens: [WebImagePrefetchToken] { state.withLock { Array($0.tokens.values) } }

    /// The number of lists that have not ended.
    package var runningTokenCount: Int { state.withLock { $0.tokens.count } }

    /// The number of loads that count towards ``maxConcurrentPrefetchCount``.
    package var runningLoadCount: Int { state.withLock { $0.running } }

    // MARK: Work

    private func admit() {
        while let (token, index) = nextItem() {
            guard token.isWanted(index) else {
                release()
                continue
            }
            // Do not start the load on the caller's thread. The synchronous part of the load takes time and may call
            // the completion before `loadImage` returns.
            starts.async { self.load(index, of: token) }
        }
    }

    private func nextItem() -> (WebImagePrefetchToken, Int)? {
        state.withLock { state in
            guard !state.isPaused, state.running < state.maxConcurrent, let item = state.waiting.popFirst() else {
                return nil
            }
            state.running += 1
            return item
        }
    }

    private func release() { state.withLock { $0.running -= 1 } }

    private func load(_ index: Int, of token: WebImagePrefetchToken) {
        let completion = Completion<Bool> { isSkipped in
            token.end(index, isSkipped: isSkipped)
            // Call `release` after `end`, as SDWebImage does. `end` runs or enqueues the callbacks of this load, and a
            // callback may start another prefetch. During `end`, this load must still count towards the limit of
            // concurrent loads.
            self.release()
            self.admit()
        }
        // The list or this request was stopped after it had been admitted.
        guard token.isWanted(index) else { return _ = completion.complete(with: true) }
        var request = token.requests[index]
        request.callbackQueue = .invoking
        let operation =
            switch token.destination {
            case .memory:
                manager.loadImage(with: request) { _, _, error, _, finished, _ in
                    if finished { completion.complete(with: error != nil) }
                }
            case .disk: manager.storeOriginal(of: request) { completion.complete(with: $0 != nil) }
            }
        token.hold(operation, index)
    }

    /// Returns the sums of the counts of all other running lists.
    func totals(without token: WebImagePrefetchToken) -> (finished: Int, total: Int) {
        tokens.filter { $0 !== token }.reduce(into: (0, 0)) { sum, token in
            let counts = token.counts
            sum = (sum.0 + counts.finished, sum.1 + counts.total)
        }
    }

    /// Removes an ended list and its waiting URLs. Returns the number of remaining lists.
    func remove(_ token: WebImagePrefetchToken) -> Int {
        state.withLock { state in
            state.tokens[ObjectIdentifier(token)] = nil
            state.waiting.remove(token)
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

/// The requests that wait, in the order in which their lists were started. Contains each list once, however long it is.
struct PrefetchQueue {
    private var lists: [(token: WebImagePrefetchToken, next: Int)] = []

    mutating func append(_ token: WebImagePrefetchToken) { lists.append((token, 0)) }

    mutating func remove(_ token: WebImagePrefetchToken) { lists.removeAll { $0.token === token } }

    /// Removes and returns the first waiting request as its list and its index in the list.
    mutating func popFirst() -> (WebImagePrefetchToken, Int)? {
        guard let (token, next) = lists.first else { return nil }
        if next + 1 < token.requests.count { lists[0].next += 1 } else { lists.removeFirst() }
        return (token, next)
    }
}
