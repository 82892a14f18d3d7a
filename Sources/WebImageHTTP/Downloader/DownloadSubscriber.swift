import Foundation
import WebImageCore

/// One subscriber of a shared download: receives progress that only increases, bytes without gaps, and one end.
final class DownloadSubscriber: Sendable {
    typealias Outcome = Result<ImageDataResult, WebImageError>

    private struct State {
        /// The continuation of a waiting task. Unchecked, because thousands may wait and each check costs; the claim
        /// returns it once.
        var claim = CompletionClaim<UnsafeContinuation<DownloadEnding, Never>>()
        /// An end that arrived before the task waited.
        var ending: DownloadEnding?
        var reported: (received: Int, expected: Int)?
        var delivered = 0
        var generation: Int?
    }

    let url: URL
    private let initialPriority: LoadPriority
    private let priorityHandle: LoadPriorityHandle?
    /// Receives the body of a download that continued because it was nearly complete when its last subscriber left.
    let finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?
    /// Decodes the image for a direct caller of the downloader; nil when a task waits for the bytes.
    let operation: DataLoadOperation?
    private let progress: ImageLoaderProgressBlock?
    private let receivedData: ImageLoaderDataBlock?
    private let minimumInterval: Double
    private let state = Locked(State())

    init(
        _ load: ImageDataLoad, minimumInterval: Double = 0, operation: DataLoadOperation? = nil,
        progress: ImageLoaderProgressBlock?
    ) {
        url = load.url
        self.operation = operation
        initialPriority = load.priority
        priorityHandle = load.priorityHandle
        receivedData = load.receivedData
        finishedAfterCancel = load.finishedAfterCancel
        self.minimumInterval = minimumInterval
        self.progress = progress
    }

    /// Read when the subscriber joins: an earlier change had no subscriber to reach.
    var priority: LoadPriority { priorityHandle?.priority ?? initialPriority }
    var receivesProgressOrBytes: Bool { progress != nil || receivedData != nil }
    /// Whether a task waits. Its end is quick and runs no user code, so any thread may deliver it.
    var isWaitingTask: Bool { operation == nil }
    var hasEnded: Bool { state.withLock { $0.claim.isClaimed } }

    /// Waits for the end. Calls `join` first, unless the end has already arrived.
    func waitForEnd(_ join: () -> Void) async -> DownloadEnding {
        await withUnsafeContinuation { continuation in
            let ending = state.withLock { state in
                state.claim.setReceiver(continuation) ? nil : state.ending.take() ?? .cancelled
            }
            if let ending { continuation.resume(returning: ending) } else { join() }
        }
    }

    /// Delivers the end; false when it was already delivered.
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

    /// Reports progress; called by one thread at a time.
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

    /// Delivers the bytes of `body` that were not delivered yet. Bytes of a later generation than the first are never
    /// delivered.
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

    init(_ outcome: DownloadSubscriber.Outcome) { self.outcome = outcome }

    static let cancelled = DownloadEnding(.failure(.cancelled))
}

extension DownloadSubscriber: Hashable {
    static func == (left: DownloadSubscriber, right: DownloadSubscriber) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
