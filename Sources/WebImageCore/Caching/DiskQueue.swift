import Dispatch
import Foundation

/// A disk layer and the serial queue it is used on: opening it is the queue's first work, so nobody waits for that
/// who does not need it.
final class DiskQueue: Sendable {
    private let queue = DispatchQueue(label: "webimage.image-cache.io")
    private let cache = Locked<(any DiskCaching)?>(nil)
    private let isOpen = Locked(false)

    init(open: @escaping @Sendable () -> (any DiskCaching)?) {
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
        queue.async { [cache, isOpen] in
            let opened = open()
            cache.withLock { $0 = opened }
            isOpen.withLock { $0 = true }
        }
    }

    func async(_ work: @escaping @Sendable ((any DiskCaching)?) -> Void) {
        queue.async { [cache] in work(cache.withLock { $0 }) }
    }

    /// Blocks the caller; on the queue itself (a completion that asks again) it runs at once.
    func sync<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) { return work(cache.withLock { $0 }) }
        return queue.sync { work(cache.withLock { $0 }) }
    }

    /// The disk layer itself, which is safe on any thread, without waiting for the work before; opening is waited for.
    func now<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if !isOpen.withLock({ $0 }) { sync { _ in } }
        return work(cache.withLock { $0 })
    }

    func run<Result: Sendable>(_ work: @escaping @Sendable ((any DiskCaching)?) -> Result) async -> Result {
        await withHandover { continuation in
            async { continuation.resume(returning: work($0)) }
        }
    }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()
}
