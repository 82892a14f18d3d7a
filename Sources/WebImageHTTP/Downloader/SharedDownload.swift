import Foundation
import WebImageCore
import WebImageLoading

/// One download that several subscribers may wait for. It performs the decisions of ``DownloadState``.
///
/// User code (progress blocks, retry strategies, modifiers) runs on the download's own serial queue, whose threads all
/// downloads share. It never runs on the engine's thread, because slow user code would block all transfers. If bytes arrive faster than the subscribers
/// process progress, several progress reports are combined into one.
final class SharedDownload: Sendable {
    private struct State {
        var decisions: DownloadState
        var progressListeners = ProgressListeners<DownloadSubscriber>()
        /// Whether a subscriber wants the part of a cancelled download to be kept.
        var keepsPart = false
        /// The subscribers that read the body while it grows.
        var bodyListeners: [@Sendable (GrowingBody, WebImageResponse) -> Void] = []
        /// The current transfer or, between transfers, the previous one.
        var operation: (any WebImageDownloaderOperationProtocol)?
        /// The operation of the first transfer, if a caller read it before this transfer began.
        var prepared: (operation: any WebImageDownloaderOperationProtocol, priority: LoadPriority)?
        var metrics: ImmutableBox<DownloadMetrics>?
        var delivery: SerialUserCode?
        /// The timer that ends the wait before the next attempt.
        var wait: (any WebImageOperation)?
        var deadline: (any WebImageOperation)?
    }

    let parameters: DownloadParameters
    let environment: DownloadEnvironment
    private let state: Locked<State>
    let events: DownloadEvents

    /// - Parameter priority: The current priority of the first subscriber. The parameters' priority may be outdated.
    init(
        _ parameters: DownloadParameters, priority: LoadPriority, environment: DownloadEnvironment,
        events: DownloadEvents
    ) {
        self.parameters = parameters
        self.environment = environment
        self.events = events
        let transfer =
            parameters.transfer.priority == priority ? parameters.transfer : parameters.transfer.with(priority)
        state = Locked(
            State(decisions: DownloadState(parameters.rules, transfer: transfer, validators: parameters.validators)))
    }

    /// The serial queue on which user code runs. Created at its first use, because most downloads end without progress,
    /// modifiers or a retry.
    var delivery: SerialUserCode {
        state.withLock { state in
            let queue = state.delivery ?? SerialUserCode(pool: .downloads)
            state.delivery = queue
            return queue
        }
    }

    var response: WebImageResponse? { state.withLock { $0.decisions.head } }
    var metrics: DownloadMetrics? { state.withLock { $0.metrics?.value } }
    var operation: (any WebImageDownloaderOperationProtocol)? { state.withLock { $0.operation } }

    /// The current or previous transfer. Before the first transfer, this is its operation, which has not sent anything.
    /// Nil only if the download ended without a transfer.
    var preparedOperation: (any WebImageDownloaderOperationProtocol)? {
        let (existing, transfer) = state.withLock { state in
            (state.operation ?? state.prepared?.operation, state.decisions.firstTransfer)
        }
        guard existing == nil, let transfer else { return existing }
        // Not under the lock, because the initialiser can be user code.
        let made = operation(for: transfer)
        return state.withLock { state in
            if let existing = state.operation ?? state.prepared?.operation { return existing }
            guard !state.decisions.isOver else { return nil }
            state.prepared = (made, transfer.priority)
            return made
        }
    }

    private func operation(for transfer: WebImageDownloaderJob) -> any WebImageDownloaderOperationProtocol {
        parameters.operationClass.init(transfer)
    }

    /// Whether the missing part of the body is so small that finishing the download costs less than fetching it again.
    var isNearlyComplete: Bool {
        state.withLock { state in
            state.decisions.fraction >= SharedDownloads.minFractionToFinish
                && state.decisions.missing <= SharedDownloads.maxBytesToFinish
        }
    }

    /// Adds a subscriber. When it needs progress or bytes, schedules a report of the current progress to it.
    func add(_ subscriber: DownloadSubscriber) {
        if subscriber.keepsPart { state.withLock { $0.keepsPart = true } }
        // The bytes of a decryptor or a modified head are not known before the end.
        if let listener = subscriber.receivedBody, parameters.decryptor == nil, parameters.responseModifier == nil {
            let known = state.withLock { state in
                state.bodyListeners.append(listener)
                return state.decisions.newBody
            }
            if let known { listener(growing(known.body, known.head), known.head) }
        }
        subscriber.whenListening {
            self.state.withLock { if !$0.decisions.isOver { $0.progressListeners.add(subscriber) } }
            self.scheduleReport()
        }
    }

    /// Starts the download, or continues it after a pause. Called when the download receives a slot. Never called under
    /// a lock, because this function may run user code.
    func start() {
        switch state.withLock({
            $0.decisions.start(hasStore: environment.resumeStore != nil && parameters.isShared)
        }) {
        case .nothing: break
        case .beginLeg: beginFirstLeg()
        case .loadPrefix:
            guard let store = environment.resumeStore, let name = parameters.sharing else { return beginFirstLeg() }
            store.load(name, storage: parameters.settings.storage) { partial in
                self.state.withLock { $0.decisions.didLoad(partial) }
                self.beginFirstLeg()
            }
        }
    }

    /// Begins the next leg after the download received a slot. A custom operation class is initialized on the delivery
    /// queue, because its initializer may be slow and this function is often called on the engine's thread.
    private func beginFirstLeg() {
        guard parameters.operationClass != WebImageDownloaderOperation.self else { return beginLeg() }
        delivery.async { self.beginLeg() }
    }

    func beginLeg() {
        let (now, date) = (environment.clock.now, environment.clock.date)
        guard let leg = state.withLock({ $0.decisions.beginLeg(now: now, date: date) }) else { return }
        // A prepared operation lacks the range fields of a download that continues a partial body.
        let prepared = state.withLock { $0.prepared.take() }.flatMap { leg.prefix == nil ? $0 : nil }
        let operation = prepared?.operation ?? operation(for: leg.transfer)
        let isFirst = state.withLock { state in
            defer { state.operation = operation }
            return state.operation == nil
        }
        // Post before the transfer starts. Otherwise `webImageDownloadReceiveResponse` could be posted before the start
        // notification.
        if isFirst { events.post(.start, self) }
        operation.start(DownloadLeg(leg.number, of: self))
        if let prepared, prepared.priority != leg.transfer.priority {
            operation.priorityDidChange(leg.transfer.priority)
        }
        if state.withLock({ $0.decisions.isOver }) { operation.cancel() }
    }

    /// Ends the download without notifying subscribers. A partial body that can be continued is stored on disk.
    func cancel() {
        let (isFirst, operation, prepared, waits, partial) = state.withLock { state in
            let isFirst = state.decisions.cancel()
            let partial = state.keepsPart ? state.decisions.partial : nil
            // Release the leg and the body, which a cancelled download no longer needs.
            state.decisions.clear()
            state.progressListeners.removeAll()
            state.bodyListeners = []
            let waits = [state.wait.take(), state.deadline.take()]
            return (isFirst, state.operation, state.prepared.take(), waits, partial)
        }
        guard isFirst else { return }
        for wait in waits { wait?.cancel() }
        operation?.cancel()
        prepared?.operation.cancel()
        storePartial(partial)
        if operation != nil { events.post(.stop, self) }
    }

    /// Ends the download: cancels its timers, stores a partial body after a failure, and reports the result. Returns
    /// false if the download has already ended.
    @discardableResult
    func finish(_ outcome: DownloadSubscriber.Outcome) -> Bool {
        let isSuccess = (try? outcome.get()) != nil
        let (isFirst, partial, wait, deadline, ending) = state.withLock { state in
            let isFirst = state.decisions.finish()
            let partial = isFirst && !isSuccess ? state.decisions.partial : nil
            let ending = DownloadEnding(
                outcome, received: state.decisions.body?.count ?? 0, expected: state.decisions.expected)
            return (isFirst, partial, state.wait.take(), state.deadline.take(), ending)
        }
        guard isFirst else { return false }
        wait?.cancel()
        deadline?.cancel()
        storePartial(partial)
        // Post before the end is reported, because the end starts the next download.
        events.post(.stop, self)
        if isSuccess { events.post(.finish, self) }
        events.end(ending)
        return true
    }

    /// Sets the priority of the running transfer and of all later transfers.
    func setPriority(_ priority: LoadPriority) {
        let operation = state.withLock { state in
            state.decisions.setPriority(priority)
            return state.operation
        }
        operation?.priorityDidChange(priority)
    }

    /// Stores a partial body on disk. If the response forbids storing, removes the partial body stored earlier.
    func storePartial(_ partial: PartialBody?) {
        guard let partial, let store = environment.resumeStore, let name = parameters.sharing else { return }
        if partial.mayBeStored { store.save(partial, name) } else { store.remove(name) }
    }

    /// Removes the stored partial body, if there is one. Called when the body is complete or cannot be continued.
    func removeStoredPartial() {
        if let store = environment.resumeStore, let name = parameters.sharing { store.remove(name) }
    }

    /// Releases the body and the listeners of an ended download.
    func release() {
        state.withLock { state in
            state.decisions.clear()
            state.progressListeners.removeAll()
            state.bodyListeners = []
        }
    }

    // MARK: The state for the parts in other files

    /// Asks for a decision, or changes the decisions, under the lock.
    func decide<Decision>(_ decide: (inout DownloadState) -> Decision) -> Decision {
        state.withLock { decide(&$0.decisions) }
    }

    /// Tells the listeners that a new body begins to arrive, if one does.
    func announceBody() {
        let (listeners, known) = state.withLock { ($0.bodyListeners, $0.decisions.newBody) }
        if let known { for listener in listeners { listener(growing(known.body, known.head), known.head) } }
    }

    /// The body for readers that follow its growth, and need not wait for its end to describe it to a cache.
    private func growing(_ body: ReceivedBody, _ head: WebImageResponse) -> GrowingBody {
        var growing = body.growing
        let decisions = decide { $0 }
        guard let leg = decisions.leg else { return growing }
        let (request, redirects, url, sentAt) = (
            decisions.firstRequest, decisions.redirects, leg.transfer.request.url, leg.sentAt
        )
        let receivedAt = environment.clock.date
        // The function must not capture `decisions`, because that value retains the body.
        growing.metadata = {
            StoredResponse(head, to: request, from: url, requestTime: sentAt, responseTime: receivedAt)
                .following(redirects).serialized
        }
        return growing
    }

    /// Stores the metrics of a transfer that has ended.
    func record(_ metrics: DownloadMetrics) {
        state.withLock { state in
            var metrics = metrics
            metrics.redirectCount = state.decisions.redirects.count
            state.metrics = ImmutableBox(metrics)
        }
    }

    /// Stores the timer that ends the wait before the next attempt. Returns false if the download has ended.
    func setWait(_ timer: any WebImageOperation) -> Bool {
        state.withLock { state in
            if !state.decisions.isOver { state.wait = timer }
            return !state.decisions.isOver
        }
    }

    func setDeadline(_ timer: any WebImageOperation) { state.withLock { $0.deadline = timer } }

    /// Whether a subscriber receives progress or bytes.
    var reportsProgress: Bool { !state.withLock { $0.progressListeners.isEmpty } }

    /// Whether the caller must schedule a report of the progress now.
    func needsReport(hasNewBytes: Bool) -> Bool {
        state.withLock { $0.progressListeners.schedule(hasNewBytes: hasNewBytes) }
    }

    /// Returns the subscribers that receive the current report, with what they receive.
    func takeReport() -> (decisions: DownloadState, listeners: [DownloadSubscriber]) {
        state.withLock { ($0.decisions, $0.progressListeners.takeReport(where: \.hasEnded)) }
    }
}

extension DownloadParameters {
    fileprivate var rules: DownloadState.Rules {
        DownloadState.Rules(
            url: url, isResumable: isResumable, storage: settings.storage, acceptance: acceptance,
            hasResponseModifier: responseModifier != nil, hasDecryptor: decryptor != nil)
    }
}

/// An immutable value in its own heap object. As long as a download has no such value, it stores only a nil reference.
/// This saves memory, because thousands of downloads may wait.
final class ImmutableBox<Value: Sendable>: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
