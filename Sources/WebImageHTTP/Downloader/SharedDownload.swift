import Foundation
import WebImageCore

/// One download that several may wait for: its transfers one after the other, the bytes, progress and end.
///
/// Subscribers, strategies and modifiers run on a serial queue of the download's, never on the engine's thread, which
/// user code could block. Progress that comes faster than they listen is merged.
final class SharedDownload: Sendable {
    struct State {
        var leg: DownloadLeg?
        var legHasEnded = false
        var operation: (any WebImageDownloaderOperationProtocol)?
        /// The request of the next leg; redirects change it.
        var transfer: CurlTransferRequest
        var validators: [String: String]
        /// What the next leg is to continue.
        var prefix: PartialBody?
        var body: ReceivedBody?
        /// The head as handed out.
        var head: WebImageResponse?
        /// The head of an answer that was refused, for its `Retry-After`.
        var refusedHead: WebImageResponse?
        var redirect: Redirect?
        /// Whether the answer is a 304 to this download's validators: the cached body is good.
        var isConfirmed = false
        var redirects = 0
        var attempts = 0
        var begun: Duration?
        /// Counts the bodies begun, so that nobody gets bytes of two.
        var generation = 0
        var mustForgetPrefix = false
        var metrics: Unchanging<DownloadMetrics>?
        var expected = -1
        var listeners: [DownloadSubscriber] = []
        /// Listeners that came after the last report.
        var newcomers: [DownloadSubscriber] = []
        /// Whether something came since the last report.
        var hasNews = false
        var isReportScheduled = false
        var isCancelled = false
        var hasStarted = false
        var delivery: DispatchQueue?
        var wait: (any WebImageOperation)?
        var deadline: (any WebImageOperation)?
    }

    /// The next hop that an answer asks for.
    struct Redirect {
        let target: URL
        let status: Int
    }

    let plan: DownloadPlan
    let environment: DownloadEnvironment
    let state: Locked<State>
    let events: DownloadEvents

    init(_ plan: DownloadPlan, environment: DownloadEnvironment, events: DownloadEvents) {
        self.plan = plan
        self.environment = environment
        self.events = events
        state = Locked(State(transfer: plan.transfer, validators: plan.validators))
    }

    /// Made when first used: most downloads end without progress, modifiers or a retry.
    var delivery: DispatchQueue {
        state.withLock { state in
            let queue = state.delivery ?? DispatchQueue(label: "webimage.download")
            state.delivery = queue
            return queue
        }
    }

    var response: WebImageResponse? { state.withLock { $0.head } }
    var metrics: DownloadMetrics? { state.withLock { $0.metrics?.value } }
    var operation: (any WebImageDownloaderOperationProtocol)? { state.withLock { $0.operation } }

    /// The part that has come, 0 to 1; 0 while the length is not known.
    var fraction: Double {
        state.withLock { $0.expected > 0 ? Double($0.body?.count ?? 0) / Double($0.expected) : 0 }
    }

    /// Adds a listener; it hears at once how far the download is.
    func add(_ subscriber: DownloadSubscriber) {
        guard subscriber.listens else { return }
        state.withLock { $0.newcomers.append(subscriber) }
        scheduleReport()
    }

    /// Begins, or goes on after a wait: a slot is free. Not called under a lock.
    func start() {
        let isFirst = state.withLock { state in
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        guard isFirst, let store = environment.resumeStore, plan.isResumable, let name = plan.sharing else {
            return beginFirstLeg()
        }
        store.load(name, plan.settings.room) { partial in
            self.state.withLock {
                $0.prefix = partial.flatMap { $0.total <= self.plan.transfer.request.maxBodyBytes ? $0 : nil }
            }
            self.beginFirstLeg()
        }
    }

    /// A slot often frees on the engine's thread: an operation of the user's, which may be slow, is not made there.
    private func beginFirstLeg() {
        guard plan.operationClass != WebImageDownloaderOperation.self else { return beginLeg() }
        delivery.async { self.beginLeg() }
    }

    /// Ends it without telling anybody; what came is kept for the next time where that is wanted.
    func cancel() {
        let (operation, waits, partial) = state.withLock { state in
            state.isCancelled = true
            let partial = takePartial(&state)
            // The leg holds the download; letting go of it here lets both go.
            (state.leg, state.body, state.listeners, state.newcomers) = (nil, nil, [], [])
            return (state.operation, [state.wait.take(), state.deadline.take()], partial)
        }
        for wait in waits { wait?.cancel() }
        operation?.cancel()
        keep(partial)
        if operation != nil { events.post(.stop, self) }
    }

    /// Tells the running transfer how urgent it has become.
    func setPriority(_ priority: LoadPriority) {
        let operation = state.withLock { state in
            state.transfer = state.transfer.with(priority)
            return state.operation
        }
        operation?.priorityDidChange(priority)
    }

    func beginLeg() {
        let now = environment.clock.now
        let leg = state.withLock { state -> DownloadLeg? in
            guard !state.isCancelled else { return nil }
            state.attempts += 1
            if state.begun == nil { state.begun = now }
            let leg = DownloadLeg(
                Self.asking(state.transfer, state.validators, state.prefix), prefix: state.prefix,
                sentAt: environment.clock.date, download: self)
            (state.leg, state.legHasEnded) = (leg, false)
            (state.redirect, state.refusedHead, state.isConfirmed) = (nil, nil, false)
            return leg
        }
        guard let leg else { return }
        let order = WebImageDownloaderOrder(
            leg.transfer, options: plan.options, context: plan.context, engine: environment.engine)
        let operation = plan.operationClass.init(order)
        let isFirst = state.withLock { state in
            defer { state.operation = operation }
            return state.operation == nil
        }
        // Before anything can come of it: whoever counts moments hears them in their order.
        if isFirst { events.post(.start, self) }
        operation.start(leg)
        if state.withLock({ $0.isCancelled }) { operation.cancel() }
    }

    /// A transfer that asks whether what is cached still holds, or for the rest of what has come.
    private static func asking(
        _ transfer: CurlTransferRequest, _ validators: [String: String], _ prefix: PartialBody?
    ) -> CurlTransferRequest {
        if validators.isEmpty, prefix == nil { return transfer }
        var request = transfer.request
        for (field, value) in validators { request.setValue(value, forHTTPHeaderField: field) }
        if let prefix {
            for (field, value) in prefix.requestFields { request.setValue(value, forHTTPHeaderField: field) }
            request.maxBodyBytes = max(request.maxBodyBytes - prefix.count, 1)
        }
        return transfer.with(request)
    }

    /// What is worth keeping of a body that has not come whole; called under the lock.
    func takePartial(_ state: inout State) -> PartialBody? {
        guard plan.isResumable else { return nil }
        guard let head = state.head, let body = state.body else { return state.prefix }
        guard var partial = PartialBody(body, of: head, total: state.expected > 0 ? state.expected : nil) else {
            return state.prefix
        }
        partial.mayBeStored = HTTPCachePolicy.mayStore(head, to: state.transfer.request)
        return partial
    }

    /// Puts a beginning on disk, unless its server forbids storing it: then one kept earlier goes as well.
    func keep(_ partial: PartialBody?) {
        guard let partial, let store = environment.resumeStore, let name = plan.sharing else { return }
        if partial.mayBeStored { store.save(partial, name) } else { store.remove(name) }
    }
}

/// A value in a place of its own: those who have none of it yet keep room for a reference alone.
final class Unchanging<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
