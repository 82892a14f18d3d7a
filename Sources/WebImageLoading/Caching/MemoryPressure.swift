import Foundation
import WebImageCore

/// The level of memory pressure.
public enum MemoryPressure: Int, Sendable {
    /// Some threads wait for memory. Observers should release everything that is cheap to recreate.
    case warning = 1
    /// All threads wait for memory, or almost no memory is available. Observers should release everything.
    case critical = 2
}

/// A source of memory pressure events.
@preconcurrency public protocol MemoryPressureSource: Sendable {
    /// Calls `handler` on any thread whenever memory is short. The calls end when the returned token is released.
    func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> any Sendable
}

/// A source of memory pressure events. A watcher or a test reports each event with ``report(_:)``.
public final class MemoryPressureRelay: MemoryPressureSource {
    private let observers = Locked<[UInt: @Sendable (MemoryPressure) -> Void]>([:])
    private let next = Locked<UInt>(0)
    private let start: Completion<Void>

    /// Creates a relay without a watcher. Its only events are calls of ``report(_:)``.
    public convenience init() { self.init {} }

    /// Creates a relay that calls `start` once, when the first observer is added.
    init(start: @escaping @Sendable () -> Void) { self.start = Completion(start) }

    /// Reports the memory pressure of this process's control group, or of the whole machine if the group
    /// cannot be watched. The watcher starts on a separate thread when the first observer is added.
    ///
    /// Every event calls the observers. It also releases all images that were loaded by name, and all animation frames
    /// except the next frame of each animation.
    public static let system: MemoryPressureRelay = {
        let relay = MemoryPressureRelay { MemoryPressureWatcher.start() }
        // The numbers of other observers begin at 1. Observer 0 is therefore never replaced or removed.
        relay.observers.withLock { observers in
            observers[0] = { _ in
                FrameStoreRegistry.shared.trim()
                AnimatedImage.removeNamedImages()
            }
        }
        return relay
    }()

    /// Calls every observer on the calling thread.
    public func report(_ pressure: MemoryPressure) {
        for observer in observers.withLock({ Array($0.values) }) { observer(pressure) }
    }

    /// Calls `handler` whenever memory is short. The calls end when the returned token is released.
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
