public import Foundation

/// One list of URLs being prefetched.
///
/// Cancelling ends it at once with one completion, in which the URLs that had not ended count as skipped.
public final class WebImagePrefetchToken: WebImageOperation {
    private struct State {
        var finished = 0
        var skipped = 0
        var operations: [Int: any WebImageOperation] = [:]
        var isCancelled = false
        var isOver = false
        var progress: WebImagePrefetcher.ProgressBlock?
        var completed: WebImagePrefetcher.CompletionBlock?
        /// Blocks in the order they are to run: counts must not overtake each other on a concurrent queue.
        var calls: [@Sendable () -> Void] = []
        var isCalling = false
    }

    /// The list.
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
        state = Locked(State(progress: progress, completed: completed))
    }

    /// Whether ``cancel()`` was called before the end.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Ends the list: nothing more is loaded for it, and its completion comes on its callback queue.
    public func cancel() {
        let operations = state.withLock { state -> [any WebImageOperation]? in
            guard !state.isOver else { return nil }
            (state.isOver, state.isCancelled) = (true, true)
            state.skipped += urls.count - state.finished
            state.finished = urls.count
            defer { state.operations = [:] }
            return Array(state.operations.values)
        }
        guard let operations else { return }
        let remaining = prefetcher.remove(self)
        for operation in operations { operation.cancel() }
        complete(tellsDelegate: remaining == 0)
    }

    package var counts: (finished: Int, skipped: Int, total: Int) {
        state.withLock { ($0.finished, $0.skipped, urls.count) }
    }

    /// Whether a URL of the list may still be begun.
    var isWanted: Bool { !state.withLock { $0.isOver } }

    /// Keeps what loads a URL, to cancel it; cancels it at once after a cancel.
    func hold(_ operation: any WebImageOperation, _ index: Int) {
        let isOver = state.withLock { state in
            if !state.isOver { state.operations[index] = operation }
            return state.isOver
        }
        if isOver { operation.cancel() }
    }

    /// A URL has ended.
    func end(_ index: Int, isSkipped: Bool) {
        let others = prefetcher.totals(without: self)
        let (url, prefetcher) = (urls[index], prefetcher)
        let (isLast, mustRun) = state.withLock { state -> (Bool, Bool) in
            guard !state.isOver else { return (false, false) }
            state.operations[index] = nil
            state.finished += 1
            if isSkipped { state.skipped += 1 }
            state.isOver = state.finished == urls.count
            // Counted and lined up under one lock, so that no count overtakes another.
            let (finished, total) = (state.finished, urls.count)
            state.calls.append {
                prefetcher.delegate?.imagePrefetcher(
                    prefetcher, didPrefetch: url, finishedCount: finished + others.finished,
                    totalCount: total + others.total)
            }
            if let progress = state.progress { state.calls.append { progress(finished, total) } }
            return (state.isOver, true)
        }
        guard mustRun else { return }
        if isLast { complete(tellsDelegate: prefetcher.remove(self) == 0) } else { runCalls() }
    }

    private func complete(tellsDelegate: Bool) {
        let prefetcher = prefetcher
        state.withLock { state in
            let (finished, skipped) = (state.finished, state.skipped)
            if tellsDelegate {
                state.calls.append {
                    prefetcher.delegate?.imagePrefetcher(
                        prefetcher, didFinishWithTotalCount: finished, skippedCount: skipped)
                }
            }
            if let completed = state.completed.take() { state.calls.append { completed(finished, skipped) } }
            state.progress = nil
        }
        runCalls()
    }

    /// Runs what is lined up on the callback queue, one after the other.
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
