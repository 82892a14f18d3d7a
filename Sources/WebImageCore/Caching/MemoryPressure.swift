import Foundation

/// How short memory is.
public enum MemoryPressure: Int, Sendable {
    /// Some work waits for memory: give back what is easily made again.
    case warning = 1
    /// All work waits for memory, or there is nearly none: give back everything.
    case critical = 2
}

/// Who tells when memory is short.
@preconcurrency public protocol MemoryPressureSource: Sendable {
    /// Calls `handler`, on any thread, whenever memory is short, until the token is released.
    func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> any Sendable
}

/// Tells observers of memory pressure that somebody else noticed; what it is told comes from a watcher or a test.
public final class MemoryPressureRelay: MemoryPressureSource {
    private let observers = Locked<[UInt: @Sendable (MemoryPressure) -> Void]>([:])
    private let next = Locked<UInt>(0)
    private let start: Completion<Void>

    /// Told by ``report(_:)`` alone.
    public convenience init() { self.init {} }

    /// With something to begin when the first observer comes.
    init(start: @escaping @Sendable () -> Void) { self.start = Completion(start) }

    /// The pressure of this machine, or of this process's control group when it may be watched. Watching begins with the
    /// first observer, on a thread of its own.
    public static let system: MemoryPressureRelay = MemoryPressureRelay { MemoryPressureWatcher.start() }

    /// Tells every observer, on the calling thread.
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
