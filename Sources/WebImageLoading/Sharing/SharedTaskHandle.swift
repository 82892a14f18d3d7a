package import Foundation
package import WebImageCore

/// The connection from shared work to its subscribers. The handle provides the highest priority of the subscribers
/// and sends events to the subscribers.
package final class SharedTaskHandle: Sendable {
    private struct State {
        var listeners = SmallTable<Listener>()
        var past = Past()
        /// Whether a subscriber has needed progress. Remains true after this subscriber has left.
        var needsProgress = false
        /// What runs once, when the first subscriber needs progress.
        var whenNeeded: (@Sendable () -> Void)?
        /// The work inside this work, whose progress the subscribers receive.
        var inner = SmallTable<SharedTaskHandle>()
    }

    private struct Listener {
        let receive: StageEventListener
        let demand: ProgressDemand
    }

    /// The previous events that a late subscriber receives when it joins.
    private struct Past {
        var progress: StageEvent?
        var started: StageEvent?
        var size: StageEvent?
        var partial: StageEvent?
        var bytes: [StageEvent] = []
        var byteCount = 0
        private var isEmpty = true

        /// The maximum size of a body that is kept in memory for late subscribers: 8 MiB. A longer body is not kept:
        /// the loader can move such a body to a file to save memory, and a second copy here would use this memory
        /// again.
        static let maxBytes = 8 << 20

        mutating func add(_ event: StageEvent) {
            isEmpty = false
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

        var all: [StageEvent] {
            guard !isEmpty else { return [] }
            return [started, progress, size].compactMap { $0 } + bytes + [partial].compactMap { $0 }
        }
    }

    private let state = Locked(State())

    /// The maximum of the current subscribers' priorities.
    package let priority: LoadPriorityHandle

    package init(_ priority: LoadPriority = .normal) { self.priority = LoadPriorityHandle(priority) }

    /// Sends an event to every subscriber.
    package func send(_ event: StageEvent) {
        let listeners = state.withLock { state in
            state.past.add(event)
            return state.listeners
        }
        listeners.forEach { $1.receive(event) }
    }

    /// Adds a subscriber. The subscriber receives all previous events before this method returns. If no earlier
    /// subscriber needed progress and this one does, it receives the progress so far from the source of the events.
    ///
    /// If more than 8 MiB of the body have already arrived, the subscriber does not receive these bytes and cannot make
    /// partial images. If another thread sends a new event during this call, the subscriber can receive the new event
    /// before the previous events. Byte events therefore contain the offset of their bytes.
    func addListener(_ listener: @escaping StageEventListener, id: UInt64, demand: ProgressDemand = .always) {
        let past = state.withLock { state in
            state.listeners[id] = Listener(receive: listener, demand: demand)
            return state.past.all
        }
        for event in past { listener(event) }
        switch demand {
        case .never: break
        case .always: needProgress()
        case .sameAs(let outer): if outer.add(inner: self) { needProgress() }
        }
    }

    func removeListener(id: UInt64) {
        let listener = state.withLock { $0.listeners.remove(id) }
        if case .sameAs(let outer) = listener?.demand { outer.remove(inner: self) }
        withExtendedLifetime(listener) {}
    }

    // MARK: The need for progress

    /// See ``ProgressDemand/whenNeeded(_:)``.
    fileprivate func whenProgressIsNeeded(_ action: (@Sendable () -> Void)?) {
        let (isNeeded, earlier) = state.withLock { state in
            let earlier = state.whenNeeded
            state.whenNeeded = state.needsProgress ? nil : action
            return (state.needsProgress, earlier)
        }
        withExtendedLifetime(earlier) {}
        if isNeeded { action?() }
    }

    private func needProgress() {
        let (action, inner) = state.withLock { state in
            state.needsProgress = true
            defer { state.inner = SmallTable() }
            return (state.whenNeeded.take(), state.inner)
        }
        action?()
        inner.forEach { $1.needProgress() }
    }

    /// Adds work whose progress this work reports. Returns whether a subscriber needs progress now; otherwise the inner
    /// work is told when one does.
    private func add(inner: SharedTaskHandle) -> Bool {
        state.withLock { state in
            if !state.needsProgress { state.inner[inner.number] = inner }
            return state.needsProgress
        }
    }

    private func remove(inner: SharedTaskHandle) {
        let inner = state.withLock { $0.inner.remove(inner.number) }
        withExtendedLifetime(inner) {}
    }

    /// The address, which identifies a handle while it exists.
    private var number: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(self))) }
}

/// Whether a listener needs the progress of work while the work runs.
///
/// If no listener does, the work reports its progress only at its end. A download then needs no change of thread for
/// each piece of its body.
package enum ProgressDemand: Sendable {
    case never
    case always
    /// If a subscriber of the outer work does, now or later.
    case sameAs(SharedTaskHandle)

    /// Calls `action` once, when progress is needed; at once if it is needed already. Replaces the earlier action, and
    /// nil removes it.
    package func whenNeeded(_ action: (@Sendable () -> Void)?) {
        switch self {
        case .never: break
        case .always: action?()
        case .sameAs(let work): work.whenProgressIsNeeded(action)
        }
    }
}

/// The connection from one stage of the shared work to its subscribers. The handle provides their highest priority and
/// sends events to them.
package struct StageHandle: Sendable {
    package let priority: LoadPriorityHandle
    package let demand: ProgressDemand
    package let send: StageEventListener

    package init(
        priority: LoadPriorityHandle, demand: ProgressDemand = .always, send: @escaping StageEventListener
    ) {
        self.priority = priority
        self.demand = demand
        self.send = send
    }
}

extension SharedTaskHandle {
    package var stage: StageHandle { StageHandle(priority: priority, demand: .sameAs(self)) { self.send($0) } }
}

/// An event that running shared work sends to its subscribers.
package enum StageEvent: Sendable {
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

package typealias StageEventListener = @Sendable (StageEvent) -> Void
