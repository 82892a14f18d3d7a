import Foundation
import WebImageCore

/// Performs what ``DownloadQueue`` decides: starts and cancels downloads, and tells subscribers.
final class SharedDownloads: Sendable {
    private typealias Queue = DownloadQueue<DownloadPlan.Key, ObjectIdentifier>

    private struct State {
        var queue: Queue
        var subscribers: [ObjectIdentifier: DownloadSubscriber] = [:]
        var downloads: [Int: SharedDownload] = [:]
        /// Who wants the body of a download that everybody left when it was nearly done.
        var heirs: [Int: @Sendable (ImageDataResult) -> Void] = [:]
    }

    /// The part of a body from which on a download may end although everybody left.
    static let nearlyDone = 0.9

    private let environment: DownloadEnvironment
    private let notifications: DownloadNotifications
    private let state: Locked<State>

    init(environment: DownloadEnvironment, config: WebImageDownloaderConfig) {
        self.environment = environment
        notifications = DownloadNotifications()
        state = Locked(State(queue: Queue(maxConcurrent: config.maxConcurrentDownloads)))
        apply(config)
    }

    var count: Int { state.withLock { $0.queue.count } }

    var isSuspended: Bool {
        get { state.withLock { $0.queue.isSuspended } }
        set { change { $0.queue.setSuspended(newValue) } }
    }

    func apply(_ config: WebImageDownloaderConfig) {
        change { state in
            state.queue.newestFirst = config.executionOrder == .lifo
            return state.queue.setMaxConcurrent(
                config.maxConcurrentDownloads, perHost: config.maxConcurrentDownloadsPerHost ?? .max)
        }
    }

    /// Adds a subscriber to the download of its plan.
    @discardableResult
    func join(_ subscriber: DownloadSubscriber, _ plan: DownloadPlan) -> SharedDownload? {
        let id = ObjectIdentifier(subscriber)
        let host = plan.host
        let (download, isNew, raised, works) = state.withLock {
            state -> (SharedDownload?, Bool, LoadPriority?, [Work]) in
            state.subscribers[id] = subscriber
            let known = state.downloads.count
            let (number, isNew, actions) = state.queue.join(
                id, key: DownloadPlan.Key(plan: plan), host: host, priority: subscriber.priority)
            if isNew { state.downloads[number] = make(plan, number) }
            state.heirs[number] = nil
            let priority = isNew || known == 0 ? nil : state.queue.priority(of: number)
            return (state.downloads[number], isNew, priority, work(for: actions, &state))
        }
        if isNew, let download { scheduleDeadline(of: download) }
        if let raised { download?.setPriority(raised) }
        download?.add(subscriber)
        perform(works)
        // A cancel that came before the subscriber was known could not take it away.
        if subscriber.hasEnded { leave(subscriber) }
        return download
    }

    private func make(_ plan: DownloadPlan, _ number: Int) -> SharedDownload {
        SharedDownload(
            plan, environment: environment,
            events: DownloadEvents(downloads: self, number: number, notifications: notifications))
    }

    private func scheduleDeadline(of download: SharedDownload) {
        guard let deadline = download.plan.deadline else { return }
        let timer = environment.clock.schedule(after: deadline) { [weak download] in
            download?.passDeadline(deadline)
        }
        download.state.withLock { $0.deadline = timer }
    }

    /// Ends a subscriber with `.cancelled` at once, and the download if nobody else waits for it.
    func cancel(_ subscriber: DownloadSubscriber) {
        subscriber.end(.failure(.cancelled.with(url: subscriber.url)))
        leave(subscriber)
    }

    private func leave(_ subscriber: DownloadSubscriber) {
        let id = ObjectIdentifier(subscriber)
        change { state in
            state.subscribers[id] = nil
            guard let heir = subscriber.finishedAfterCancel, let number = state.queue.download(of: id),
                let download = state.downloads[number], download.fraction >= Self.nearlyDone
            else { return state.queue.leave(id) }
            let actions = state.queue.leave(id, mayGoOn: true)
            if actions.isEmpty { state.heirs[number] = heir }
            return actions
        }
    }

    /// Changes how urgent a download is to one of its subscribers.
    func setPriority(_ priority: LoadPriority, of subscriber: DownloadSubscriber) {
        let raised = state.withLock { state -> (SharedDownload?, LoadPriority)? in
            state.queue.setPriority(priority, of: ObjectIdentifier(subscriber)).map { (state.downloads[$0.0], $0.1) }
        }
        if let raised { raised.0?.setPriority(raised.1) }
    }

    /// Cancels every download; every subscriber hears `.cancelled`.
    func cancelAll() {
        let (subscribers, works) = state.withLock { state in
            let (identifiers, actions) = state.queue.cancelAll()
            state.heirs = [:]
            return (identifiers.compactMap { state.subscribers.removeValue(forKey: $0) }, work(for: actions, &state))
        }
        perform(works)
        for subscriber in subscribers { subscriber.end(.failure(.cancelled.with(url: subscriber.url))) }
    }

    func pause(_ number: Int) { change { $0.queue.pause(number) } }

    func resume(_ number: Int) { change { $0.queue.resume(number) } }

    func finish(_ number: Int, _ outcome: DownloadSubscriber.Outcome) {
        let (download, subscribers, heir, works) = state.withLock { state in
            let download = state.downloads.removeValue(forKey: number)
            let (identifiers, actions) = state.queue.finish(number)
            let subscribers = identifiers.compactMap { state.subscribers.removeValue(forKey: $0) }
            return (download, subscribers, state.heirs.removeValue(forKey: number), work(for: actions, &state))
        }
        // First, so that the next request is on its way while this end is told.
        perform(works)
        download?.deliver(outcome, to: subscribers)
        if let heir, let download, case .success(let result) = outcome {
            download.delivery.async { heir(result) }
        }
    }

    // MARK: Performing

    private enum Work {
        case start(SharedDownload)
        case cancel(SharedDownload)
    }

    private func change(_ decide: (inout State) -> [Queue.Action]) {
        perform(state.withLock { state in work(for: decide(&state), &state) })
    }

    private func work(for actions: [Queue.Action], _ state: inout State) -> [Work] {
        actions.compactMap { action in
            switch action {
            case .start(let number): state.downloads[number].map { .start($0) }
            case .cancel(let number): state.downloads.removeValue(forKey: number).map { .cancel($0) }
            }
        }
    }

    /// Outside the lock, since operations may be the user's; a download that is cancelled before it is started starts
    /// nothing.
    private func perform(_ works: [Work]) {
        for work in works {
            switch work {
            case .start(let download): download.start()
            case .cancel(let download): download.cancel()
            }
        }
    }
}
