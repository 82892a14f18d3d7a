import Foundation
import WebImageCore

/// Performs what ``DownloadQueue`` decides: starts and cancels transfers, and tells subscribers.
final class SharedDownloads: Sendable {
    private struct State {
        var queue: DownloadQueue<CurlTransferRequest, ObjectIdentifier>
        var subscribers: [ObjectIdentifier: DownloadSubscriber] = [:]
        var running: [Int: (download: SharedDownload, transfer: CurlTransfer)] = [:]
    }

    private let engine: CurlEngine
    private let state: Locked<State>

    init(engine: CurlEngine, config: WebImageDownloaderConfig) {
        self.engine = engine
        state = Locked(State(queue: DownloadQueue(maxConcurrent: config.maxConcurrentDownloads)))
        apply(config)
    }

    var count: Int { state.withLock { $0.queue.count } }

    var isSuspended: Bool {
        get { state.withLock { $0.queue.isSuspended } }
        set { state.withLock { state in perform(state.queue.setSuspended(newValue), &state) } }
    }

    func apply(_ config: WebImageDownloaderConfig) {
        state.withLock { state in
            state.queue.newestFirst = config.executionOrder == .lifo
            perform(state.queue.setMaxConcurrent(config.maxConcurrentDownloads), &state)
        }
    }

    /// Adds a subscriber to the download of its request.
    @discardableResult
    func join(
        _ subscriber: DownloadSubscriber, _ order: CurlTransferRequest, acceptance: ResponseAcceptance
    ) -> SharedDownload? {
        let download = state.withLock { state -> SharedDownload? in
            // The patience of the first to ask rules; it changes no byte, so it is no part of the identity.
            var key = order
            key.request.timeoutInterval = 0
            let (number, isNew, actions) = state.queue.join(
                ObjectIdentifier(subscriber), key: key, priority: subscriber.priority)
            state.subscribers[ObjectIdentifier(subscriber)] = subscriber
            if isNew {
                let download = SharedDownload(order, acceptance: acceptance) { [weak self] outcome in
                    self?.finish(number, outcome)
                }
                state.running[number] = (download, CurlTransfer(order, sink: download))
            }
            perform(actions, &state)
            return state.running[number]?.download
        }
        download?.add(subscriber)
        // A cancel that came before the subscriber was known could not take it away.
        if subscriber.hasEnded { leave(subscriber) }
        return download
    }

    /// Ends a subscriber with `.cancelled` at once, and the download if nobody else waits for it.
    func cancel(_ subscriber: DownloadSubscriber) {
        subscriber.end(.failure(.cancelled.with(url: subscriber.url)))
        leave(subscriber)
    }

    private func leave(_ subscriber: DownloadSubscriber) {
        state.withLock { state in
            state.subscribers[ObjectIdentifier(subscriber)] = nil
            perform(state.queue.leave(ObjectIdentifier(subscriber)), &state)
        }
    }

    /// Cancels every download; every subscriber hears `.cancelled`.
    func cancelAll() {
        let subscribers = state.withLock { state in
            let (identifiers, actions) = state.queue.cancelAll()
            perform(actions, &state)
            return identifiers.compactMap { state.subscribers.removeValue(forKey: $0) }
        }
        for subscriber in subscribers { subscriber.end(.failure(.cancelled.with(url: subscriber.url))) }
    }

    private func finish(_ number: Int, _ outcome: DownloadSubscriber.Outcome) {
        let (download, subscribers) = state.withLock { state in
            let download = state.running.removeValue(forKey: number)?.download
            let (identifiers, actions) = state.queue.finish(number)
            perform(actions, &state)
            return (download, identifiers.compactMap { state.subscribers.removeValue(forKey: $0) })
        }
        download?.deliver(outcome, to: subscribers)
    }

    /// Called under the lock, so that the engine gets starts and cancels in the order they were decided; it only
    /// appends them to its mailbox.
    private func perform(
        _ actions: [DownloadQueue<CurlTransferRequest, ObjectIdentifier>.Action], _ state: inout State
    ) {
        for action in actions {
            switch action {
            case .start(let number):
                if let transfer = state.running[number]?.transfer { engine.start(transfer) }
            case .cancel(let number):
                if let transfer = state.running.removeValue(forKey: number)?.transfer { engine.cancel(transfer) }
            }
        }
    }
}
