import Foundation

/// The view that shared work has of its subscribers: their highest priority, and a way to send them events.
package final class SharedTaskHandle: Sendable {
    private struct State {
        var listeners: [UInt64: LoadNewsListener] = [:]
        var past = Past()
    }

    /// The events that a late subscriber receives at once.
    private struct Past {
        var progress: LoadNews?
        var started: LoadNews?
        var size: LoadNews?
        var partial: LoadNews?
        var bytes: [LoadNews] = []
        var byteCount = 0

        /// Maximum size of a body that is kept for late subscribers (8 MiB); the loader may have moved a longer one to
        /// a file.
        static let maxBytes = 8 << 20

        mutating func add(_ news: LoadNews) {
            switch news {
            case .progress: progress = news
            case .loaderStarted: started = news
            case .size: size = news
            case .partial: partial = news
            case .bytes(let data, _):
                byteCount += data.count
                if byteCount <= Self.maxBytes { bytes.append(news) } else { bytes = [] }
            }
        }

        var all: [LoadNews] { [started, progress, size].compactMap { $0 } + bytes + [partial].compactMap { $0 } }
    }

    private let state = Locked(State())

    /// The maximum of the current subscribers' priorities.
    package let priority: LoadPriorityHandle

    package init(_ priority: LoadPriority = .normal) { self.priority = LoadPriorityHandle(priority) }

    /// Sends an event to every subscriber.
    package func tell(_ news: LoadNews) {
        let listeners = state.withLock { state in
            state.past.add(news)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(news) }
    }

    /// Adds a subscriber, which at once receives the progress so far.
    ///
    /// It receives no bytes of a body above the limit, and therefore no partial images. Events from another thread may
    /// reach it before the earlier ones: bytes carry their offset.
    package func addListener(_ listener: @escaping LoadNewsListener, id: UInt64) {
        let past = state.withLock { state in
            state.listeners[id] = listener
            return state.past.all
        }
        for news in past { listener(news) }
    }

    package func removeListener(id: UInt64) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: id) }
        withExtendedLifetime(listener) {}
    }
}

/// The view that a stage has of its subscribers.
struct StageHandle: Sendable {
    let priority: LoadPriorityHandle
    let tell: LoadNewsListener

    /// Returns a handle that applies `change` to every event.
    func mapping(_ change: @escaping @Sendable (LoadNews) -> LoadNews) -> StageHandle {
        StageHandle(priority: priority) { tell(change($0)) }
    }
}

extension SharedTaskHandle {
    var stage: StageHandle { StageHandle(priority: priority) { self.tell($0) } }
}
