import Foundation

/// What shared work knows of its subscribers: their highest priority, and how to tell them news.
package final class SharedTaskHandle: Sendable {
    private struct State {
        var listeners: [UInt64: LoadNewsListener] = [:]
        var past = Past()
    }

    /// What a late subscriber is told at once.
    private struct Past {
        var progress: LoadNews?
        var started: LoadNews?
        var size: LoadNews?
        var partial: LoadNews?
        var bytes: [LoadNews] = []
        var byteCount = 0

        /// Of a longer body nothing is kept: the loader may have moved it from memory to a file.
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

    /// The maximum over the subscribers there are now.
    package let priority: LoadPriorityHandle

    package init(_ priority: LoadPriority = .normal) { self.priority = LoadPriorityHandle(priority) }

    /// Tells every subscriber.
    package func tell(_ news: LoadNews) {
        let listeners = state.withLock { state in
            state.past.add(news)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(news) }
    }

    /// Adds a subscriber, who learns at once how far the work is.
    ///
    /// Of a long body it learns no bytes, and so gets no previews. What is told meanwhile on another thread may reach him first: bytes carry their offset.
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

/// What a stage knows of those it works for.
struct StageHandle: Sendable {
    let priority: LoadPriorityHandle
    let tell: LoadNewsListener

    /// The same, with news changed on their way.
    func mapping(_ change: @escaping @Sendable (LoadNews) -> LoadNews) -> StageHandle {
        StageHandle(priority: priority) { tell(change($0)) }
    }
}

extension SharedTaskHandle {
    var stage: StageHandle { StageHandle(priority: priority) { self.tell($0) } }
}
