import Foundation
import WebImageCore
import WebImageLoading

/// Performs the decisions of ``DownloadQueue``: starts and cancels downloads, and delivers their results to
/// subscribers.
final class SharedDownloads: Sendable {
    private typealias Queue = DownloadQueue<DownloadParameters.Key, DownloadSubscriber>

    private struct State {
        var queue: Queue
        var downloads: [Int: SharedDownload] = [:]
        /// Maps the number of a download to the closure that receives the body after a cancel. A closure is stored when
        /// its subscriber leaves a nearly complete download. It is removed when another subscriber joins the download.
        var receiversAfterCancel: [Int: @Sendable (ImageDataResult) -> Void] = [:]
        /// Maps the number of a download without subscribers to the timer that ends it.
        var graces: [Int: any WebImageOperation] = [:]
    }

    /// A download may continue after its last subscriber has left if at least this part of its body, 0 to 1, has
    /// arrived, and at most ``maxBytesToFinish`` are missing.
    static let minFractionToFinish = 0.9
    static let maxBytesToFinish = 256 * 1024
    /// The longest time for which a download continues without subscribers.
    static let maxTimeToFinish = Duration.milliseconds(500)
    /// The longest time for which an ended download keeps its slot while its image is decoded and delivered.
    static let maxSlotHold = Duration.seconds(1)

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

    /// Adds a subscriber to the download with the same key as the parameters, or to a new download.
    @discardableResult
    func join(_ subscriber: DownloadSubscriber, _ parameters: DownloadParameters) -> SharedDownload? {
        let host = parameters.host
        let (download, isNew, raised, works, grace) = state.withLock {
            state -> (SharedDownload?, Bool, LoadPriority?, [Work], (any WebImageOperation)?) in
            let priority = subscriber.priority
            let (number, isNew, actions) = state.queue.join(
                subscriber, key: DownloadParameters.Key(parameters: parameters), host: host, priority: priority)
            if isNew {
                let download = makeDownload(parameters, number: number, priority: priority)
                state.downloads[number] = download
                return (download, true, nil, work(for: actions, &state), nil)
            }
            if !state.receiversAfterCancel.isEmpty { state.receiversAfterCancel[number] = nil }
            let grace = state.graces.isEmpty ? nil : state.graces.removeValue(forKey: number)
            return (state.downloads[number], false, state.queue.priority(of: number), work(for: actions, &state), grace)
        }
        grace?.cancel()
        if isNew, let download { scheduleDeadline(of: download) }
        if let raised { download?.setPriority(raised) }
        download?.add(subscriber)
        perform(works)
        // If the subscriber was cancelled before it joined, that cancel could not remove it from the queue. Remove it
        // now.
        if subscriber.hasEnded { leave(subscriber) }
        return download
    }

    private func makeDownload(
        _ parameters: DownloadParameters, number: Int, priority: LoadPriority
    ) -> SharedDownload {
        SharedDownload(
            parameters, priority: priority, environment: environment,
            events: DownloadEvents(downloads: self, number: number, notifications: notifications))
    }

    private func scheduleDeadline(of download: SharedDownload) {
        guard let deadline = download.parameters.deadline else { return }
        let timer = environment.clock.schedule(after: deadline) { [weak download] in
            download?.passDeadline(deadline)
        }
        download.setDeadline(timer)
    }

    /// Delivers `.cancelled` to a subscriber immediately. If the download has no other subscriber, cancels the
    /// download. The download continues for at most ``maxTimeToFinish`` if it is nearly complete and the subscriber has
    /// `finishedAfterCancel`. It is cancelled earlier if a waiting download needs its slot.
    func cancel(_ subscriber: DownloadSubscriber) {
        subscriber.end(DownloadEnding(.failure(.cancelled.with(url: subscriber.url))))
        leave(subscriber)
    }

    /// Removes a subscriber from its download. The download is cancelled or continues, as ``cancel(_:)`` describes.
    private func leave(_ subscriber: DownloadSubscriber) {
        let abandoned = Locked<Int?>(nil)
        change { state in
            guard let receiverAfterCancel = subscriber.finishedAfterCancel,
                let number = state.queue.download(of: subscriber),
                let download = state.downloads[number], download.isNearlyComplete
            else { return state.queue.leave(subscriber) }
            let actions = state.queue.leave(subscriber, mayContinue: true)
            if state.queue.isAbandoned(number) {
                state.receiversAfterCancel[number] = receiverAfterCancel
                abandoned.withLock { $0 = number }
            }
            return actions
        }
        if let number = abandoned.withLock({ $0 }) { scheduleEnd(ofAbandoned: number) }
    }

    /// Ends a download without subscribers after ``maxTimeToFinish``, unless it has ended or a subscriber has joined it.
    private func scheduleEnd(ofAbandoned number: Int) {
        let timer = environment.clock.schedule(after: Self.maxTimeToFinish) { [weak self] in
            self?.change { state in
                state.graces[number] = nil
                return state.queue.endAbandoned(number)
            }
        }
        let isUseless = state.withLock { state in
            guard state.queue.isAbandoned(number) else { return true }
            state.graces[number] = timer
            return false
        }
        if isUseless { timer.cancel() }
    }

    /// Changes the priority of one subscriber.
    func setPriority(_ priority: LoadPriority, of subscriber: DownloadSubscriber) {
        let raised = state.withLock { state -> (SharedDownload?, LoadPriority)? in
            state.queue.setPriority(priority, of: subscriber).map { (state.downloads[$0.0], $0.1) }
        }
        if let raised { raised.0?.setPriority(raised.1) }
    }

    /// Cancels every download; every subscriber receives `.cancelled`.
    func cancelAll() {
        let (subscribers, works) = state.withLock { state in
            let (subscribers, actions) = state.queue.cancelAll()
            return (subscribers, work(for: actions, &state))
        }
        perform(works)
        for subscriber in subscribers { subscriber.end(DownloadEnding(.failure(.cancelled.with(url: subscriber.url)))) }
    }

    func pause(_ number: Int, holdingHost: Bool) { change { $0.queue.pause(number, holdingHost: holdingHost) } }

    func resume(_ number: Int) { change { $0.queue.resume(number) } }

    /// Removes an ended download, starts the next ones, and delivers the result to the subscribers.
    func finish(_ number: Int, _ ending: DownloadEnding) {
        let (download, subscribers, receiverAfterCancel, works, operations, grace) = state.withLock { state in
            let download = state.downloads.removeValue(forKey: number)
            var operations: [DataLoadOperation] = []
            let (subscribers, actions) = state.queue.finish(number) { subscribers in
                operations = subscribers.compactMap(\.operation)
                return !operations.isEmpty
            }
            let receiverAfterCancel =
                state.receiversAfterCancel.isEmpty ? nil : state.receiversAfterCancel.removeValue(forKey: number)
            let grace = state.graces.isEmpty ? nil : state.graces.removeValue(forKey: number)
            return (download, subscribers, receiverAfterCancel, work(for: actions, &state), operations, grace)
        }
        grace?.cancel()
        // Start the next download first, so that its request is sent while this result is delivered.
        perform(works)
        if !operations.isEmpty { freeSlot(of: number, after: operations) }
        download?.deliver(ending, to: subscribers)
        if let receiverAfterCancel, let download, case .success(let result) = ending.outcome {
            download.delivery.async { receiverAfterCancel(result) }
        }
    }

    /// Frees the slot of an ended download that has `downloadImage` callers. As in SDWebImage, the slot becomes free
    /// after the completion block of every such caller was put on its callback queue. The slot of a download without
    /// such callers becomes free when the download ends.
    ///
    /// A timer frees the slot after ``maxSlotHold``. Otherwise a completion block that runs on the calling thread and
    /// never returns would keep the slot permanently.
    private func freeSlot(of number: Int, after operations: [DataLoadOperation]) {
        let free: @Sendable () -> Void = { [weak self] in self?.change { $0.queue.free(number) } }
        let timer = environment.clock.schedule(after: Self.maxSlotHold, free)
        let remaining = Locked(operations.count)
        for operation in operations {
            operation.whenDelivered {
                let isLast = remaining.withLock { remaining in
                    remaining -= 1
                    return remaining == 0
                }
                guard isLast else { return }
                timer.cancel()
                free()
            }
        }
    }

    // MARK: Performing

    /// An action of the queue with its download. It is decided under the lock and performed outside it.
    private enum Work {
        case start(SharedDownload)
        case cancel(SharedDownload)
    }

    /// Changes the state under the lock, then performs the actions that the queue returned.
    private func change(_ decide: (inout State) -> [Queue.Action]) {
        perform(state.withLock { state in work(for: decide(&state), &state) })
    }

    /// Returns the work for actions of the queue, and removes the cancelled downloads from the state. The caller has the lock,
    /// and calls ``perform(_:)`` when it has released it. Timers are code of the library, so they are cancelled here.
    private func work(for actions: [Queue.Action], _ state: inout State) -> [Work] {
        actions.compactMap { action in
            switch action {
            case .start(let number): return state.downloads[number].map { .start($0) }
            case .cancel(let number):
                state.receiversAfterCancel[number] = nil
                state.graces.removeValue(forKey: number)?.cancel()
                return state.downloads.removeValue(forKey: number).map { .cancel($0) }
            }
        }
    }

    /// Starts and cancels downloads. Called outside the lock, because operations may be user code. A download that was
    /// cancelled meanwhile does not start.
    private func perform(_ works: [Work]) {
        for work in works {
            switch work {
            case .start(let download): download.start()
            case .cancel(let download): download.cancel()
            }
        }
    }
}
