import Dispatch
import Foundation
import WebImageCore

/// A disk layer and its serial queue. The first work item of the queue opens the layer. The creation of a cache
/// therefore does not wait for the disk.
final class DiskQueue: Sendable {
    private let queue = DispatchQueue(label: "webimage.image-cache.io")
    private struct Layer: Sendable {
        var cache: (any DiskCaching)?
        var recording: (any RecordingDiskCache)?
        var isOpen = false
    }

    private let layer = Locked(Layer())

    init(open: @escaping @Sendable () -> (any DiskCaching)?) {
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
        queue.async { [layer] in
            let cache = open()
            let opened = Layer(cache: cache, recording: cache as? any RecordingDiskCache, isOpen: true)
            layer.withLock { $0 = opened }
        }
    }

    /// The disk layer if it stores a record with each entry; otherwise nil. Also nil until the layer is open, which it
    /// is for all work of the queue.
    var recording: (any RecordingDiskCache)? { layer.withLock { $0.recording } }

    private var cache: (any DiskCaching)? { layer.withLock { $0.cache } }

    func async(_ work: @escaping @Sendable ((any DiskCaching)?) -> Void) {
        queue.async { [layer] in work(layer.withLock { $0.cache }) }
    }

    /// Runs `work` on the queue and blocks the caller until `work` has finished. If the caller already runs on the
    /// queue, `work` runs directly, because waiting for the queue would deadlock. For example, a completion can start
    /// another query.
    func sync<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) { return work(cache) }
        return queue.sync { work(cache) }
    }

    /// Runs `work` on the calling thread, concurrently with queued work. Concurrent work is allowed, because the disk
    /// layer is safe on any thread. The call waits only until the layer is open.
    func now<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if !layer.withLock({ $0.isOpen }) { sync { _ in } }
        return work(cache)
    }

    func run<Result: Sendable>(_ work: @escaping @Sendable ((any DiskCaching)?) -> Result) async -> Result {
        await withValueContinuation { continuation in
            async { continuation.resume(returning: work($0)) }
        }
    }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()
}
