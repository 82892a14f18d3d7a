package import Foundation

/// What shared work knows of its subscribers: their highest priority, and how to tell them of progress.
package final class SharedTaskHandle: Sendable {
    private struct State {
        var priority = LoadPriority.normal
        var listeners: [UInt64: ImageLoaderProgressBlock] = [:]
        var last: (received: Int, expected: Int, url: URL?)?
    }

    private let state = Locked(State())

    package init() {}

    /// The maximum over the subscribers there are now.
    package var priority: LoadPriority { state.withLock { $0.priority } }

    package func setPriority(_ priority: LoadPriority) { state.withLock { $0.priority = priority } }

    /// Tells every subscriber.
    package func report(received: Int, expected: Int, url: URL?) {
        let listeners = state.withLock { state in
            state.last = (received, expected, url)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(received, expected, url) }
    }

    /// Adds a subscriber, who learns at once how far the work is.
    package func addListener(_ listener: @escaping ImageLoaderProgressBlock, id: UInt64) {
        let last = state.withLock { state in
            state.listeners[id] = listener
            return state.last
        }
        if let last { listener(last.received, last.expected, last.url) }
    }

    package func removeListener(id: UInt64) { state.withLock { $0.listeners[id] = nil } }
}
