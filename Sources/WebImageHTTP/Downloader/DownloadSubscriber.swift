import Foundation
import WebImageCore

/// One of those who wait for a shared download: hears progress that only grows, bytes without gaps, and one end.
final class DownloadSubscriber: Sendable {
    typealias Outcome = Result<ImageDataResult, WebImageError>

    private struct State {
        var outcome: Outcome?
        var onEnd: (@Sendable (Outcome) -> Void)?
        var reported: (received: Int, expected: Int)?
        var delivered = 0
        var generation: Int?
    }

    let url: URL
    let priority: LoadPriority
    /// Gets the body if the download may end although this one left it nearly done.
    let finishedAfterCancel: (@Sendable (ImageDataResult) -> Void)?
    /// Whether the outcome stays for ``takeOutcome()``. Hearing of the end is quick then and runs nobody's code, so that
    /// any thread may tell it.
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
        priority = load.priorityHandle?.priority ?? load.priority
        receivedData = load.receivedData
        finishedAfterCancel = load.finishedAfterCancel
        self.minimumInterval = minimumInterval
        self.progress = progress
    }

    var listens: Bool { progress != nil || receivedData != nil }
    var wantsData: Bool { receivedData != nil }
    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Sets what hears the end; called at once when the end has come already.
    func whenEnded(_ action: @escaping @Sendable (Outcome) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.onEnd = action }
            return state.outcome
        }
        if let outcome { action(outcome) }
    }

    /// How it ended, with the bytes, once.
    func takeOutcome() -> Outcome {
        state.withLock { state in
            defer { state.outcome = .failure(.cancelled) }
            return state.outcome ?? .failure(.cancelled)
        }
    }

    /// Ends it, unless it has ended.
    func end(_ outcome: Outcome) {
        let action = state.withLock { state -> (@Sendable (Outcome) -> Void)? in
            guard state.outcome == nil else { return nil }
            // Else only whether it ended matters afterwards; the bytes belong to whoever heard.
            state.outcome = state.onEnd == nil || keepsOutcome ? outcome : .failure(.cancelled)
            return state.onEnd.take()
        }
        action?(outcome)
    }

    /// Passes news on, called by one thread at a time.
    func report(received: Int, expected: Int) {
        guard let progress else { return }
        let isNews = state.withLock { state in
            if state.outcome != nil { return false }
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
            guard state.outcome == nil else { return nil }
            if state.generation == nil { state.generation = generation }
            return state.generation == generation ? state.delivered : nil
        }
    }
}
