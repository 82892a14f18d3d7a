public import Foundation
public import WebImageCore

/// The handle of one list of URLs that are prefetched.
///
/// Cancelling the token ends the list immediately with one completion. URLs whose loads have not ended before the
/// cancel count as skipped.
public final class WebImagePrefetchToken: WebImageOperation {
    private struct State {
        var finished = 0
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
    public let urls: [URL]
    private let prefetcher: WebImagePrefetcher
    private let queue: CallbackQueue
    private let state: Locked<State>

    init(
        _ urls: [URL], prefetcher: WebImagePrefetcher, queue: CallbackQueue,
        progress: WebImagePrefetcher.ProgressBlock?, completed: WebImagePrefetcher.CompletionBlock?
    ) {
        self.urls = urls
        self.prefetcher = prefetcher
        self.queue = queue
        state = Locked(State(claim: CompletionClaim(completed), progress: progress))
    }

    /// Whether ``cancel()`` was called before the list ended.
    public var isCancelled: Bool { state.withLock { $0.claim.isCancelled } }

    /// Ends the list. No further URL is loaded, running loads are cancelled, and the completion is called on the
    /// callback queue of the list.
    public func cancel() {
        let ended = state.withLock { state -> (Claimed, [any WebImageOperation])? in
            guard let claimed = state.claim.claim(isCancel: true) else { return nil }
            state.skipped += urls.count - state.finished
            state.finished = urls.count
            defer { state.operations = [:] }
            return (claimed, Array(state.operations.values))
        }
        guard let (claimed, operations) = ended else { return }
        let remaining = prefetcher.remove(self)
        for operation in operations { operation.cancel() }
        complete(claimed.receiver, notifiesDelegate: remaining == 0)
    }

    package var counts: (finished: Int, skipped: Int, total: Int) {
        state.withLock { ($0.finished, $0.skipped, urls.count) }
    }

    /// Whether the list has not ended, so that loads of further URLs may begin.
    var isWanted: Bool { !state.withLock { $0.claim.isClaimed } }

    /// Stores the operation that loads a URL, so that a cancel of the list also cancels the operation. If the list
    /// has already ended, cancels the operation immediately.
    func hold(_ operation: any WebImageOperation, _ index: Int) {
        let isOver = state.withLock { state in
            if !state.claim.isClaimed { state.operations[index] = operation }
            return state.claim.isClaimed
        }
        if isOver { operation.cancel() }
    }

    /// Records that the load of a URL has ended.
    func end(_ index: Int, isSkipped: Bool) {
        let others = prefetcher.totals(without: self)
        let (url, prefetcher) = (urls[index], prefetcher)
        let (ended, mustRun) = state.withLock { state -> (Claimed?, Bool) in
            guard !state.claim.isClaimed else { return (nil, false) }
            state.operations[index] = nil
            state.finished += 1
            if isSkipped { state.skipped += 1 }
            // Count and enqueue under one lock, so that the blocks are called with increasing counts.
            let (finished, total) = (state.finished, urls.count)
            state.calls.append {
                prefetcher.delegate?.imagePrefetcher(
                    prefetcher, didPrefetch: url, finishedCount: finished + others.finished,
                    totalCount: total + others.total)
            }
            if let progress = state.progress { state.calls.append { progress(finished, total) } }
            return (state.finished == urls.count ? state.claim.claim() : nil, true)
        }
        guard mustRun else { return }
        guard let ended else { return runCalls() }
        complete(ended.receiver, notifiesDelegate: prefetcher.remove(self) == 0)
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
            while let next = nextCall() { next() }
        }
    }

    private func nextCall() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.calls.isEmpty else {
                state.isCalling = false
                return nil
            }
            return state.calls.removeFirst()
        }
    }
}
