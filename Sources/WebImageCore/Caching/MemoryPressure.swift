import Foundation

/// The level of memory pressure.
public enum MemoryPressure: Int, Sendable {
    /// Some work waits for memory: release whatever is cheap to make again.
    case warning = 1
    /// All work waits for memory, or almost none is available: release everything.
    case critical = 2
}

/// A source of memory pressure events.
@preconcurrency public protocol MemoryPressureSource: Sendable {
    /// Calls `handler`, on any thread, whenever memory is short, until the token is released.
    func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> any Sendable
}

/// Forwards memory pressure events from a watcher or a test to observers.
public final class MemoryPressureRelay: MemoryPressureSource {
    private let observers = Locked<[UInt: @Sendable (MemoryPressure) -> Void]>([:])
    private let next = Locked<UInt>(0)
    private let start: Completion<Void>

    /// Creates a relay that only ``report(_:)`` feeds.
    public convenience init() { self.init {} }

    /// Creates a relay that calls `start` at the first observer.
    init(start: @escaping @Sendable () -> Void) { self.start = Completion(start) }

    /// The pressure of this process's control group, or of the machine when the group cannot be watched. The first
    /// observer starts the watcher on its own thread.
    public static let system: MemoryPressureRelay = MemoryPressureRelay { MemoryPressureWatcher.start() }

    /// Calls every observer on the calling thread.
    public func report(_ pressure: MemoryPressure) {
        for observer in observers.withLock({ Array($0.values) }) { observer(pressure) }
    }

    /// Calls `handler` whenever memory is short, until the token is released.
    public func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> any Sendable {
        let number = next.withLock { number in
            number += 1
            return number
        }
        observers.withLock { $0[number] = handler }
        start.complete(with: ())
        return Token { [weak self] in self?.observers.withLock { $0[number] = nil } }
    }

    private final class Token: Sendable {
        let release: @Sendable () -> Void
        init(_ release: @escaping @Sendable () -> Void) { self.release = release }
        deinit { release() }
    }
}
