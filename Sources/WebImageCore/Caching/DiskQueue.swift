import Dispatch
import Foundation

/// A disk layer and its serial queue. The queue opens the layer as its first work item, so that only callers that use
/// the disk wait for it.
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

    /// Blocks the caller. On the queue itself (a completion that makes another query) `work` runs at once.
    func sync<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) { return work(cache.withLock { $0 }) }
        return queue.sync { work(cache.withLock { $0 }) }
    }

    /// Runs `work` on the calling thread without waiting for queued work; waits only until the layer is open. The disk
    /// layer is safe on any thread.
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
