import Foundation
import WebImageCore

/// One of those who wait for a shared download: hears progress that only grows, and exactly one end.
final class DownloadSubscriber: Sendable {
    typealias Outcome = Result<ImageDataResult, WebImageError>

    private struct State {
        var outcome: Outcome?
        var onEnd: (@Sendable (Outcome) -> Void)?
        var reported: (received: Int, expected: Int)?
    }

    let url: URL
    let priority: LoadPriority
    private let progress: ImageLoaderProgressBlock?
    private let state = Locked(State())

    init(url: URL, priority: LoadPriority, progress: ImageLoaderProgressBlock?) {
        self.url = url
        self.priority = priority
        self.progress = progress
    }

    var wantsProgress: Bool { progress != nil }
    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Sets what hears the end; called at once when the end has come already.
    func whenEnded(_ action: @escaping @Sendable (Outcome) -> Void) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.onEnd = action }
            return state.outcome
        }
        if let outcome { action(outcome) }
    }

    /// Ends it, unless it has ended.
    func end(_ outcome: Outcome) {
        let action = state.withLock { state -> (@Sendable (Outcome) -> Void)? in
            guard state.outcome == nil else { return nil }
            // Only whether it ended matters afterwards; the bytes belong to whoever heard.
            state.outcome = state.onEnd == nil ? outcome : .failure(.cancelled)
            return state.onEnd.take()
        }
        action?(outcome)
    }

    /// Passes news on, called by one thread at a time.
    func report(received: Int, expected: Int) {
        guard let progress else { return }
        let isNews = state.withLock { state in
            if state.outcome != nil { return false }
            if let last = state.reported, last == (received, expected) || received < last.received { return false }
            state.reported = (received, expected)
            return true
        }
        if isNews { progress(received, expected, url) }
    }
}
