import Dispatch
import Foundation
import WebImageCore

/// A disk layer and its serial queue. The first work item of the queue opens the layer. The creation of a cache
/// therefore does not wait for the disk.
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

    /// Runs `work` on the queue and blocks the caller until `work` has finished. If the caller already runs on the
    /// queue, `work` runs directly, because waiting for the queue would deadlock. For example, a completion can start
    /// another query.
    func sync<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) { return work(cache.withLock { $0 }) }
        return queue.sync { work(cache.withLock { $0 }) }
    }

    /// Runs `work` on the calling thread, concurrently with queued work. Concurrent work is allowed, because the disk
    /// layer is safe on any thread. The call waits only until the layer is open.
    func now<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if !isOpen.withLock({ $0 }) { sync { _ in } }
        return work(cache.withLock { $0 })
    }

    func run<Result: Sendable>(_ work: @escaping @Sendable ((any DiskCaching)?) -> Result) async -> Result {
        await withValueContinuation { continuation in
            async { continuation.resume(returning: work($0)) }
        }
    }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()
}
