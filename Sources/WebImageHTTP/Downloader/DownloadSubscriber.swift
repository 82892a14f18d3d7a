import Foundation
import WebImageCore
import WebImageLoading

/// One subscriber of a shared download. It receives progress that never decreases, bytes without gaps, and exactly
/// one result.
final class DownloadSubscriber: Sendable {
    typealias Outcome = Result<ImageDataResult, WebImageError>

    private struct State {
        /// The continuation of a waiting task. The claim returns the continuation only once, so the task is resumed
        /// only once. The continuation is an unsafe continuation, because thousands of tasks may wait and a checked
        /// continuation needs more memory and time.
        var claim = CompletionClaim<UnsafeContinuation<DownloadEnding, Never>>()
        /// The result, if it arrived before the task waited; otherwise nil.
        var ending: DownloadEnding?
        var reported: (received: Int, expected: Int)?
        var delivered = 0
        var generation: Int?
    }

    let url: URL
    private let initialPriority: LoadPriority
    private let priorityHandle: LoadPriorityHandle?
    /// Receives the body if this subscriber was cancelled and the download completes later. The caller can then store
    /// the body in a cache. A download without subscribers continues only if its
    /// body was nearly complete when its last subscriber was cancelled (``SharedDownload/isNearlyComplete``).
    let finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?
    /// ``ImageDataLoad/keepsPart`` of the load.
    let keepsPart: Bool
    /// Decodes the image for a caller of `downloadImage`; nil when a task waits for the bytes (`loadData`).
    let operation: DataLoadOperation?
    private let progress: ImageLoaderProgressBlock?
    private let progressDemand: ProgressDemand
    private let receivedData: ImageLoaderDataBlock?
    let receivedBody: (@Sendable (GrowingBody, WebImageResponse) -> Void)?
    private let minimumInterval: Double
    private let state = Locked(State())

    init(
        _ load: ImageDataLoad, minimumInterval: Double = 0, operation: DataLoadOperation? = nil,
        progress: ImageLoaderProgressBlock?
    ) {
        url = load.url
        self.operation = operation
        keepsPart = load.keepsPart
        initialPriority = load.priority
        priorityHandle = load.priorityHandle
        receivedData = load.receivedData
        receivedBody = load.receivedBody
        finishedAfterCancel = load.finishedAfterCancel
        self.minimumInterval = minimumInterval
        self.progress = progress
        progressDemand = progress == nil ? .never : load.progressDemand
    }

    /// The current priority of the load. ``SharedDownloads`` reads it when the subscriber joins, because the queue
    /// ignores all changes before the join.
    var priority: LoadPriority { priorityHandle?.priority ?? initialPriority }
    /// Whether the subscriber is a waiting task. Resuming a task is quick and runs no user code, so any thread may
    /// deliver the result.
    var isWaitingTask: Bool { operation == nil }
    var hasEnded: Bool { state.withLock { $0.claim.isClaimed } }

    /// Waits for the result. If no result has arrived yet, calls `join`, which adds the subscriber to a download.
    func waitForEnd(_ join: () -> Void) async -> DownloadEnding {
        await withUnsafeContinuation { continuation in
            let ending = state.withLock { state in
                state.claim.setReceiver(continuation) ? nil : state.ending.take() ?? .cancelled
            }
            if let ending { continuation.resume(returning: ending) } else { join() }
        }
    }

    /// Delivers the result. Returns false if a result was already delivered.
    @discardableResult
    func end(_ ending: DownloadEnding) -> Bool {
        let claimed = state.withLock { state in
            let claimed = state.claim.claim()
            if let claimed, claimed.receiver == nil, operation == nil { state.ending = ending }
            return claimed
        }
        guard let claimed else { return false }
        claimed.receiver?.resume(returning: ending)
        operation?.receive(ending.outcome)
        return true
    }

    /// Calls `listen` when this subscriber must receive progress or bytes; never if it needs neither.
    func whenListening(_ listen: @escaping @Sendable () -> Void) {
        if receivedData == nil { progressDemand.whenNeeded(listen) } else { listen() }
    }

    /// Reports the progress of a download that has succeeded, unless progress was needed and reported while it ran.
    /// Called after the wait for the end.
    func reportEnd(_ ending: DownloadEnding) {
        progressDemand.whenNeeded(nil)
        guard let progress, case .success = ending.outcome, state.withLock({ $0.reported == nil }) else { return }
        progress(ending.received, ending.expected, url)
    }

    /// Reports progress if it changed by at least the minimum interval. The first report, the report of a complete
    /// body, and reports of a body of unknown length are not subject to this interval. Called by one thread at a time.
    func report(received: Int, expected: Int) {
        guard let progress else { return }
        let isNews = state.withLock { state in
            if state.claim.isClaimed { return false }
            if let last = state.reported {
                if last == (received, expected) || received < last.received { return false }
                if expected > 0, received > 0, received < expected,
                    Double(received - last.received) < minimumInterval * Double(expected)
                {
                    return false
                }
            }
            state.reported = (received, expected)
            return true
        }
        if isNews { progress(received, expected, url) }
    }

    /// Delivers the bytes of `body` that were not delivered yet.
    ///
    /// The first call sets the generation of this subscriber. Later calls with another generation deliver nothing,
    /// because their bytes belong to a different body.
    func deliver(_ body: ReceivedBody, head: WebImageResponse, generation: Int) {
        guard let receivedData else { return }
        while let offset = nextOffset(generation) {
            let news = body.piece(from: offset)
            guard !news.isEmpty else { return }
            state.withLock { $0.delivered += news.count }
            receivedData(news, head)
        }
    }

    /// The offset of the first undelivered byte; nil when no more bytes may be delivered.
    private func nextOffset(_ generation: Int) -> Int? {
        state.withLock { state in
            guard !state.claim.isClaimed else { return nil }
            if state.generation == nil { state.generation = generation }
            return state.generation == generation ? state.delivered : nil
        }
    }
}

/// The result of a download, created once and shared by every subscriber.
final class DownloadEnding: Sendable {
    let outcome: DownloadSubscriber.Outcome
    /// The last progress: the number of received and of expected bytes.
    let received: Int
    let expected: Int

    init(_ outcome: DownloadSubscriber.Outcome, received: Int = 0, expected: Int = 0) {
        (self.outcome, self.received, self.expected) = (outcome, received, expected)
    }

    static let cancelled = DownloadEnding(.failure(.cancelled))
}

extension DownloadSubscriber: Hashable {
    static func == (left: DownloadSubscriber, right: DownloadSubscriber) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The subscribers of one download that receive progress or bytes, and whether a report to them is scheduled.
///
/// At most one report is scheduled at a time. The report includes all bytes that arrive before it runs.
struct ProgressListeners<Listener: Sendable>: Sendable {
    private var listeners: [Listener] = []
    /// The listeners that were added after the last report.
    private var newListeners = PendingFlush<Listener>()
    private var hasNewBytes = false

    var isEmpty: Bool { listeners.isEmpty && newListeners.waiting.isEmpty }

    mutating func add(_ listener: Listener) { newListeners.append(listener) }

    /// Stores whether new bytes have arrived. Returns whether the caller must schedule a report now.
    mutating func schedule(hasNewBytes isNew: Bool) -> Bool {
        if isNew { hasNewBytes = true }
        return !isEmpty && newListeners.request()
    }

    /// Returns the listeners that receive the current report. Afterwards no report is scheduled.
    ///
    /// Without new bytes, only the listeners added since the last report are returned. Otherwise each of thousands of
    /// joins would cause a report to all earlier listeners.
    mutating func takeReport(where hasEnded: (Listener) -> Bool) -> [Listener] {
        let new = newListeners.takeAll()
        if hasNewBytes { listeners.removeAll(where: hasEnded) }
        listeners += new
        defer { hasNewBytes = false }
        return hasNewBytes ? listeners : new
    }

    mutating func removeAll() {
        listeners = []
        newListeners.removeAll()
    }
}
