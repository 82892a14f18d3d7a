import Foundation
import WebImageCore

/// Passes the events and the end of one load to any number of readers, and to one callback.
final class EventBroadcast: Sendable {
    typealias Outcome = Result<WebImageResult, WebImageError>

    /// The blocks of a load that calls back.
    struct Callback: Sendable {
        /// The queue on which `completion` runs.
        let queue: CallbackQueue
        /// Called on the thread that receives the bytes.
        let progress: (@Sendable (ImageTask.Progress) -> Void)?
        let completion: @Sendable (Outcome) -> Void
    }

    private struct State {
        var journal = EventJournal()
        var lastID: UInt64 = 0
        /// The readers that wait for the next event.
        var readers: [UInt64: Completion<Void>] = [:]
        /// The calls that wait for the end.
        var waits: [UInt64: Completion<Outcome>] = [:]
        /// Nil without a callback, and after its completion has run.
        var callback: Callback?
        /// Whether the load was cancelled before the completion of the callback has run.
        var isCallbackCancelled = false
    }

    private let url: URL
    private let state: Locked<State>

    init(_ url: URL, callback: Callback? = nil) {
        self.url = url
        state = Locked(State(callback: callback))
    }

    /// The result of the load; nil until the load has ended.
    var outcome: Outcome? { state.withLock { $0.journal.outcome } }

    var progress: (received: Int, expected: Int)? { state.withLock { $0.journal.progress } }

    /// Whether the load ended because it was cancelled, or its callback receives `.cancelled`.
    var isCancelled: Bool {
        state.withLock { state in
            if case .failure(let error) = state.journal.outcome, error.isCancellation { return true }
            return state.isCallbackCancelled
        }
    }

    // MARK: The load

    /// Receives what the load delivers. Deliveries after the end are ignored.
    func receive(_ delivery: LoadDelivery) {
        let (readers, waits, outcome, callback) = state.withLock { state in
            guard state.journal.outcome == nil else {
                return ([Completion<Void>](), [Completion<Outcome>](), nil as Outcome?, nil as Callback?)
            }
            state.journal.add(delivery, url)
            let readers = Array(state.readers.values)
            state.readers = [:]
            guard let outcome = state.journal.outcome else { return (readers, [], nil, state.callback) }
            defer { state.waits = [:] }
            return (readers, Array(state.waits.values), outcome, state.callback)
        }
        for reader in readers { reader.complete(with: ()) }
        guard let outcome else {
            if case .progress(let received, let expected, _) = delivery {
                callback?.progress?(ImageTask.Progress(received: received, expected: expected))
            }
            return
        }
        for wait in waits { wait.complete(with: outcome) }
        if let callback { callBack(on: callback.queue) }
    }

    /// Makes the callback receive `.cancelled`, unless its completion has already run.
    func cancelCallback() {
        let ended = state.withLock { state -> CallbackQueue? in
            guard let callback = state.callback else { return nil }
            state.isCallbackCancelled = true
            return state.journal.outcome == nil ? nil : callback.queue
        }
        if let ended { callBack(on: ended) }
    }

    private func callBack(on queue: CallbackQueue) {
        queue.async {
            let (callback, outcome) = self.state.withLock { state in
                (state.callback.take(), state.isCallbackCancelled ? nil : state.journal.outcome)
            }
            callback?.completion(outcome ?? .failure(.cancelled.with(url: self.url)))
        }
    }

    // MARK: Readers

    /// Waits for the end of the load. If the surrounding task is cancelled, the wait ends immediately with `.cancelled`.
    /// If neither another call nor a callback waits for the end then, calls `cancel`.
    func end(cancel: @escaping @Sendable () -> Void) async -> Outcome {
        let wait = Completion<Outcome>()
        let (outcome, id) = state.withLock { state -> (Outcome?, UInt64) in
            if let outcome = state.journal.outcome { return (outcome, 0) }
            state.lastID += 1
            state.waits[state.lastID] = wait
            return (nil, state.lastID)
        }
        if let outcome { return outcome }
        return await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                wait.whenCompleted { continuation.resume(returning: $0) }
            }
        } onCancel: {
            let isLast = state.withLock { state in
                state.waits.removeValue(forKey: id) != nil && state.waits.isEmpty && state.callback == nil
            }
            wait.complete(with: .failure(.cancelled.with(url: url)))
            if isLast { cancel() }
        }
    }

    /// Waits for the step that follows the event with the given number. Nil if the surrounding task was cancelled before
    /// there was such a step.
    func step(after number: UInt64) async -> EventJournal.Step? {
        while true {
            let reader = Completion<Void>()
            let isCancelled = Task.isCancelled
            let (step, id) = state.withLock { state -> (EventJournal.Step, UInt64) in
                let step = state.journal.step(after: number)
                guard case .wait = step, !isCancelled else { return (step, 0) }
                state.lastID += 1
                state.readers[state.lastID] = reader
                return (step, state.lastID)
            }
            guard case .wait = step else { return step }
            guard !isCancelled else { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in reader.whenCompleted { continuation.resume() } }
            } onCancel: {
                state.withLock { $0.readers[id] = nil }
                reader.complete(with: ())
            }
        }
    }
}
