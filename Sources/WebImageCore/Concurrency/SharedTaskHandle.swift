import Foundation

/// The connection from shared work to its subscribers. It provides their highest priority and sends them events.
package final class SharedTaskHandle: Sendable {
    private struct State {
        var listeners: [UInt64: LoadEventListener] = [:]
        var past = Past()
    }

    /// The previous events that a late subscriber receives when it joins.
    private struct Past {
        var progress: LoadEvent?
        var started: LoadEvent?
        var size: LoadEvent?
        var partial: LoadEvent?
        var bytes: [LoadEvent] = []
        var byteCount = 0

        /// The maximum size of a body that is kept in memory for late subscribers: 8 MiB. The loader may have
        /// moved a longer body to a file.
        static let maxBytes = 8 << 20

        mutating func add(_ event: LoadEvent) {
            switch event {
            case .progress: progress = event
            case .loaderStarted: started = event
            case .size: size = event
            case .partial: partial = event
            case .bytes(let data, _):
                byteCount += data.count
                if byteCount <= Self.maxBytes { bytes.append(event) } else { bytes = [] }
            }
        }

        var all: [LoadEvent] { [started, progress, size].compactMap { $0 } + bytes + [partial].compactMap { $0 } }
    }

    private let state = Locked(State())

    /// The maximum of the current subscribers' priorities.
    package let priority: LoadPriorityHandle

    package init(_ priority: LoadPriority = .normal) { self.priority = LoadPriorityHandle(priority) }

    /// Sends an event to every subscriber.
    package func send(_ event: LoadEvent) {
        let listeners = state.withLock { state in
            state.past.add(event)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(event) }
    }

    /// Adds a subscriber, which immediately receives the events so far.
    ///
    /// If the body is already longer than 8 MiB, the subscriber does not receive its previous bytes and
    /// cannot make partial images. New events that another thread sends may arrive before the previous
    /// events; therefore byte events contain their offset.
    package func addListener(_ listener: @escaping LoadEventListener, id: UInt64) {
        let past = state.withLock { state in
            state.listeners[id] = listener
            return state.past.all
        }
        for event in past { listener(event) }
    }

    package func removeListener(id: UInt64) {
        let listener = state.withLock { $0.listeners.removeValue(forKey: id) }
        withExtendedLifetime(listener) {}
    }
}

/// The connection from one stage of a load to the subscribers of its work.
struct StageHandle: Sendable {
    let priority: LoadPriorityHandle
    let send: LoadEventListener

    /// Returns a handle that applies `change` to every event.
    func mapping(_ change: @escaping @Sendable (LoadEvent) -> LoadEvent) -> StageHandle {
        StageHandle(priority: priority) { send(change($0)) }
    }
}

extension SharedTaskHandle {
    var stage: StageHandle { StageHandle(priority: priority) { self.send($0) } }
}
