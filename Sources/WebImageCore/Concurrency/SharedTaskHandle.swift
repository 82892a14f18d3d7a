package import Foundation

/// The connection from shared work to its subscribers. The handle provides the highest priority of the subscribers
/// and sends events to the subscribers.
package final class SharedTaskHandle: Sendable {
    private struct State {
        var listeners = SmallTable<LoadEventListener>()
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

        /// The maximum size of a body that is kept in memory for late subscribers: 8 MiB. A longer body is not kept:
        /// the loader can move such a body to a file to save memory, and a second copy here would use this memory
        /// again.
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
            return state.listeners
        }
        listeners.forEach { $1(event) }
    }

    /// Adds a subscriber. The subscriber receives all previous events before this method returns.
    ///
    /// If more than 8 MiB of the body have already arrived, the subscriber does not receive these bytes and cannot make
    /// partial images. If another thread sends a new event during this call, the subscriber can receive the new event
    /// before the previous events. Byte events therefore contain the offset of their bytes.
    func addListener(_ listener: @escaping LoadEventListener, id: UInt64) {
        let past = state.withLock { state in
            state.listeners[id] = listener
            return state.past.all
        }
        for event in past { listener(event) }
    }

    func removeListener(id: UInt64) {
        let listener = state.withLock { $0.listeners.remove(id) }
        withExtendedLifetime(listener) {}
    }
}

/// The connection from one stage of the shared work to its subscribers. The handle provides their highest priority and
/// sends events to them.
package struct StageHandle: Sendable {
    package let priority: LoadPriorityHandle
    package let send: LoadEventListener

    package init(priority: LoadPriorityHandle, send: @escaping LoadEventListener) {
        self.priority = priority
        self.send = send
    }

    /// Returns a handle that applies `change` to every event.
    func mapping(_ change: @escaping @Sendable (LoadEvent) -> LoadEvent) -> StageHandle {
        StageHandle(priority: priority) { send(change($0)) }
    }
}

extension SharedTaskHandle {
    package var stage: StageHandle { StageHandle(priority: priority) { self.send($0) } }
}

/// An event that running shared work sends to its subscribers.
package enum LoadEvent: Sendable {
    /// The number of received bytes and the number of expected bytes.
    case progress(received: Int, expected: Int, url: URL?)
    /// The loader was started, because no cache contains the image.
    case loaderStarted
    /// The next bytes of a body, and the offset of these bytes in the body.
    case bytes(Data, offset: Int)
    /// The pixel size of the image before transformers.
    case size(PixelSize)
    /// A partial image.
    case partial(Image)
}

package typealias LoadEventListener = @Sendable (LoadEvent) -> Void
