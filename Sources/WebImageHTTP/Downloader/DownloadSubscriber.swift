import Foundation
import WebImageCore

/// One of those who wait for a shared download: hears progress that only grows, bytes without gaps, and one end.
final class DownloadSubscriber: Sendable {
    typealias Outcome = Result<ImageDataResult, WebImageError>

    private enum Hearer {
        case task(UnsafeContinuation<Void, Never>)
        case action(@Sendable (Outcome) -> Void)
    }

    private struct State {
        var ending: DownloadEnding?
        var hearer: Hearer?
        var reported: (received: Int, expected: Int)?
        var delivered = 0
        var generation: Int?
    }

    let url: URL
    private let initialPriority: LoadPriority
    private let priorityHandle: LoadPriorityHandle?
    /// Gets the body if the download may end although this one left it nearly done.
    let finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?
    /// Whether a task waits, and takes the outcome itself. Hearing of the end is quick then and runs nobody's code, so
    /// that any thread may tell it.
    let keepsOutcome: Bool
    private let progress: ImageLoaderProgressBlock?
    private let receivedData: ImageLoaderDataBlock?
    private let minimumInterval: Double
    private let state = Locked(State())

    init(
        _ load: ImageDataLoad, minimumInterval: Double = 0, keepsOutcome: Bool = false,
        progress: ImageLoaderProgressBlock?
    ) {
        url = load.url
        self.keepsOutcome = keepsOutcome
        initialPriority = load.priority
        priorityHandle = load.priorityHandle
        receivedData = load.receivedData
        finishedAfterCancel = load.finishedAfterCancel
        self.minimumInterval = minimumInterval
        self.progress = progress
    }

    /// Read at the join: a change before it found no subscriber.
    var priority: LoadPriority { priorityHandle?.priority ?? initialPriority }
    var listens: Bool { progress != nil || receivedData != nil }
    var hasEnded: Bool { state.withLock { $0.ending != nil } }

    /// Sets what hears the end; called at once when the end has come already.
    func whenEnded(_ action: @escaping @Sendable (Outcome) -> Void) {
        let ending = state.withLock { state in
            if state.ending == nil { state.hearer = .action(action) }
            return state.ending
        }
        if let ending { action(ending.outcome) }
    }

    /// Waits for the end; `join` is called first, unless it has come already.
    func waitForEnd(_ join: () -> Void) async {
        // Unchecked, since each of thousands that wait would pay for the check: the end takes the continuation out from
        // under the lock, and comes once.
        await withUnsafeContinuation { continuation in
            let hasEnded = state.withLock { state in
                if state.ending == nil { state.hearer = .task(continuation) }
                return state.ending != nil
            }
            if hasEnded { continuation.resume() } else { join() }
        }
    }

    /// How it ended, with the bytes, once.
    func takeOutcome() -> Outcome {
        let ending = state.withLock { state in
            defer { state.ending = .cancelled }
            return state.ending
        }
        return (ending ?? .cancelled).outcome
    }

    /// Ends it, unless it has ended; tells whether it had not.
    @discardableResult
    func end(_ ending: DownloadEnding) -> Bool {
        let (isFirst, hearer) = state.withLock { state -> (Bool, Hearer?) in
            guard state.ending == nil else { return (false, nil) }
            // Else only whether it ended matters afterwards; the bytes belong to whoever heard.
            if case .action = state.hearer { state.ending = .cancelled } else { state.ending = ending }
            return (true, state.hearer.take())
        }
        switch hearer {
        case .task(let continuation): continuation.resume()
        case .action(let action): action(ending.outcome)
        case nil: break
        }
        return isFirst
    }

    /// Passes news on, called by one thread at a time.
    func report(received: Int, expected: Int) {
        guard let progress else { return }
        let isNews = state.withLock { state in
            if state.ending != nil { return false }
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

    /// Hands on the bytes of `body` that have not been; those of another body than the first are never.
    func deliver(_ body: ReceivedBody, head: WebImageResponse, generation: Int) {
        guard let receivedData else { return }
        while let offset = nextOffset(generation) {
            let news = body.piece(from: offset)
            guard !news.isEmpty else { return }
            state.withLock { $0.delivered += news.count }
            receivedData(news, head)
        }
    }

    /// Where the bytes begin that have not been handed on; nil when there are to be no more.
    private func nextOffset(_ generation: Int) -> Int? {
        state.withLock { state in
            guard state.ending == nil else { return nil }
            if state.generation == nil { state.generation = generation }
            return state.generation == generation ? state.delivered : nil
        }
    }
}

/// How a download ended: made once, handed from place to place and to all who waited for it.
final class DownloadEnding: Sendable {
    let outcome: DownloadSubscriber.Outcome

    init(_ outcome: DownloadSubscriber.Outcome) { self.outcome = outcome }

    static let cancelled = DownloadEnding(.failure(.cancelled))
}

extension DownloadSubscriber: Hashable {
    static func == (left: DownloadSubscriber, right: DownloadSubscriber) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
