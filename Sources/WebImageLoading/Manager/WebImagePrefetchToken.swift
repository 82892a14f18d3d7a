public import Foundation
public import WebImageCore

/// The handle of one list of URLs that are prefetched.
///
/// Cancelling the token ends the list immediately with one completion. URLs whose loads have not ended before the
/// cancel count as skipped.
public final class WebImagePrefetchToken: WebImageOperation {
    private struct State {
        var finished = 0
        /// Whether the load of each request has ended.
        var hasEnded: [Bool]
        var skipped = 0
        var operations: [Int: any WebImageOperation] = [:]
        var claim: CompletionClaim<WebImagePrefetcher.CompletionBlock>
        var progress: WebImagePrefetcher.ProgressBlock?
        /// The blocks that wait to run, in order. They run one after another, because a concurrent queue could
        /// otherwise deliver a lower count after a higher count.
        var calls: [@Sendable () -> Void] = []
        var isCalling = false
    }

    private typealias Claimed = CompletionClaim<WebImagePrefetcher.CompletionBlock>.Claimed

    /// The URLs of the list.
    public var urls: [URL] { requests.map(\.url) }
    let requests: [ImageRequest]
    let destination: WebImagePrefetcher.Destination
    private let prefetcher: WebImagePrefetcher
    private let queue: CallbackQueue
    private let state: Locked<State>

    init(
        _ requests: [ImageRequest], destination: WebImagePrefetcher.Destination, prefetcher: WebImagePrefetcher,
        queue: CallbackQueue, progress: WebImagePrefetcher.ProgressBlock?,
        completed: WebImagePrefetcher.CompletionBlock?
    ) {
        self.requests = requests
        self.destination = destination
        self.prefetcher = prefetcher
        self.queue = queue
        state = Locked(
            State(
                hasEnded: Array(repeating: false, count: requests.count), claim: CompletionClaim(completed),
                progress: progress))
    }

    /// Whether ``cancel()`` was called before the list ended.
    public var isCancelled: Bool { state.withLock { $0.claim.isCancelled } }

    /// Ends the list. No further URL is loaded, running loads are cancelled, and the completion is called on the
    /// callback queue of the list.
    public func cancel() {
        let ended = state.withLock { state -> (Claimed, [any WebImageOperation])? in
            guard let claimed = state.claim.claim(isCancel: true) else { return nil }
            state.skipped += requests.count - state.finished
            state.finished = requests.count
            defer { state.operations = [:] }
            return (claimed, Array(state.operations.values))
        }
        guard let (claimed, operations) = ended else { return }
        let remaining = prefetcher.remove(self)
        for operation in operations { operation.cancel() }
        complete(claimed.receiver, notifiesDelegate: remaining == 0)
    }

    /// Stops the loads of some URLs of the list, of all sizes. They count as skipped, and the list continues with its other
    /// URLs. URLs whose loads have ended are left alone.
    public func cancel(_ urls: [URL]) {
        let urls = Set(urls)
        stop { urls.contains($0.url) }
    }

    /// Stops some requests of the list. They count as skipped, and the list continues with its other requests. Requests
    /// whose loads have ended are left alone.
    ///
    /// A request of the list is stopped if it has the URL and the cache key of a request in `requests`: the same size,
    /// transformers and scope.
    public func cancel(_ requests: [ImageRequest]) {
        let manager = prefetcher.manager
        let keys = Dictionary(grouping: requests, by: \.url).mapValues { Set($0.map { manager.cacheKey(for: $0) }) }
        stop { request in keys[request.url]?.contains(manager.cacheKey(for: request)) ?? false }
    }

    private func stop(where matches: (ImageRequest) -> Bool) {
        // Derive the cache keys outside the lock, because a key filter is code of the program.
        let hasEnded = state.withLock { $0.hasEnded }
        let stopped = requests.indices.filter { !hasEnded[$0] && matches(requests[$0]) }
        // Count each load before it is cancelled; otherwise its own end could be counted first.
        for index in stopped { end(index, isSkipped: true)?.cancel() }
    }

    package var counts: (finished: Int, skipped: Int, total: Int) {
        state.withLock { ($0.finished, $0.skipped, requests.count) }
    }

    /// Whether the load of a request may begin: neither the list nor this request was stopped.
    func isWanted(_ index: Int) -> Bool { state.withLock { !$0.claim.isClaimed && !$0.hasEnded[index] } }

    /// Stores the operation that loads a request, so that a cancel of the list also cancels the operation. If the list or
    /// the request was stopped in the meantime, cancels the operation immediately.
    func hold(_ operation: any WebImageOperation, _ index: Int) {
        let isOver = state.withLock { state in
            let isOver = state.claim.isClaimed || state.hasEnded[index]
            if !isOver { state.operations[index] = operation }
            return isOver
        }
        if isOver { operation.cancel() }
    }

    /// Records that the load of a request has ended. The first call for a request counts, and returns the operation that
    /// loads the request, if there is one.
    @discardableResult
    func end(_ index: Int, isSkipped: Bool) -> (any WebImageOperation)? {
        let others = prefetcher.totals(without: self)
        let (url, prefetcher) = (requests[index].url, prefetcher)
        let (operation, ended, mustRun) = state.withLock { state -> ((any WebImageOperation)?, Claimed?, Bool) in
            guard !state.claim.isClaimed, !state.hasEnded[index] else { return (nil, nil, false) }
            state.hasEnded[index] = true
            let operation = state.operations.removeValue(forKey: index)
            state.finished += 1
            if isSkipped { state.skipped += 1 }
            // Count and enqueue under one lock, so that the blocks are called with increasing counts.
            let (finished, total) = (state.finished, requests.count)
            state.calls.append {
                prefetcher.delegate?.imagePrefetcher(
                    prefetcher, didPrefetch: url, finishedCount: finished + others.finished,
                    totalCount: total + others.total)
            }
            if let progress = state.progress { state.calls.append { progress(finished, total) } }
            return (operation, state.finished == requests.count ? state.claim.claim() : nil, true)
        }
        guard mustRun else { return nil }
        if let ended {
            complete(ended.receiver, notifiesDelegate: prefetcher.remove(self) == 0)
        } else {
            runCalls()
        }
        return operation
    }

    private func complete(_ completed: WebImagePrefetcher.CompletionBlock?, notifiesDelegate: Bool) {
        let prefetcher = prefetcher
        state.withLock { state in
            let (finished, skipped) = (state.finished, state.skipped)
            if notifiesDelegate {
                state.calls.append {
                    prefetcher.delegate?.imagePrefetcher(
                        prefetcher, didFinishWithTotalCount: finished, skippedCount: skipped)
                }
            }
            if let completed { state.calls.append { completed(finished, skipped) } }
            state.progress = nil
        }
        runCalls()
    }

    /// Runs the queued blocks on the callback queue, one after the other.
    private func runCalls() {
        let isFirst = state.withLock { state in
            defer { state.isCalling = true }
            return !state.isCalling
        }
        guard isFirst else { return }
        queue.async { [self] in
            while let calls = nextCalls() { for call in calls { call() } }
        }
    }

    private func nextCalls() -> [@Sendable () -> Void]? {
        state.withLock { state in
            guard !state.calls.isEmpty else {
                state.isCalling = false
                return nil
            }
            defer { state.calls = [] }
            return state.calls
        }
    }
}
