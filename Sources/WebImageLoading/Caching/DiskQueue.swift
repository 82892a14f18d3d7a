import Dispatch
import Foundation
import WebImageCore

/// A disk layer and its serial queue. The first work item of the queue opens the layer. The creation of a cache
/// therefore does not wait for the disk.
///
/// Operations take effect in the order of the calls. A store whose image must first be encoded does not occupy the queue
/// meanwhile: operations on other entries run, and ``Order`` determines what operations on the same entry do.
final class DiskQueue: Sendable {
    /// What an operation does about stores that were called before it and whose images are still being encoded.
    enum Order: Sendable {
        /// It does not concern these stores.
        case independent
        /// It must find the entries that they write: an asynchronous operation waits, and a blocking operation encodes
        /// the images on its own thread.
        case after(DiskEntries)
        /// It removes the entries that they would write. They end without a write.
        case removing(DiskEntries)
    }

    private let queue = DispatchQueue(label: "webimage.image-cache.io")
    private struct Layer: Sendable {
        var cache: (any DiskCaching)?
        var recording: (any RecordingDiskCache)?
        var isOpen = false
    }

    private let layer = Locked(Layer())
    /// Only used on the queue. The lock makes the property `Sendable`, and no work runs under it.
    private let pending = Locked(PendingStores())

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

    /// Runs `work` on the queue.
    func async(_ order: Order = .independent, _ work: @escaping @Sendable ((any DiskCaching)?) -> Void) {
        queue.async { [self] in
            switch order {
            case .independent: break
            case .after(let entries): if pending.withLock({ $0.wait(for: entries, work) }) { return }
            case .removing(let entries): drop(entries)
            }
            work(cache)
        }
    }

    /// Runs `work` on the queue and blocks the caller until `work` has finished. If the caller already runs on the
    /// queue, `work` runs directly, because waiting for the queue would deadlock. For example, a completion can start
    /// another query.
    func sync<Result>(_ order: Order = .independent, _ work: ((any DiskCaching)?) -> Result) -> Result {
        func run() -> Result {
            switch order {
            case .independent: break
            case .after(let entries): settle(entries)
            case .removing(let entries): drop(entries)
            }
            return work(cache)
        }
        if DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) { return run() }
        return queue.sync { run() }
    }

    /// Runs `work` on the calling thread, concurrently with queued work. Concurrent work is allowed, because the disk
    /// layer is safe on any thread. The call waits only until the layer is open.
    func now<Result>(_ work: ((any DiskCaching)?) -> Result) -> Result {
        if !layer.withLock({ $0.isOpen }) { sync { _ in } }
        return work(cache)
    }

    /// Runs `work` on the queue and returns its result.
    func run<Result: Sendable>(
        _ order: Order = .independent, _ work: @escaping @Sendable ((any DiskCaching)?) -> Result
    ) async -> Result {
        await withValueContinuation { continuation in
            async(order) { continuation.resume(returning: work($0)) }
        }
    }

    // MARK: Stores

    /// Writes an entry on the queue. If `write` returns true, earlier stores of the same key end without a write.
    /// `completion` runs at last.
    func store(
        _ key: String, completion: (@Sendable () -> Void)? = nil,
        write: @escaping @Sendable ((any DiskCaching)?) -> Bool
    ) {
        queue.async { [self] in
            if write(cache) { drop(.key(key)) }
            completion?()
        }
    }

    /// Changes a part of an entry on the queue. If the entry is still to be written by earlier stores, the change follows
    /// the newest of them, and does not happen if this store does not write the entry.
    func change(_ key: String, _ work: @escaping @Sendable ((any DiskCaching)?) -> Void) {
        queue.async { [self] in
            guard let store = pending.withLock({ $0.stores(of: .key(key)) }).last else { return work(cache) }
            store.changes.withLock { $0.append(work) }
        }
    }

    /// Encodes an image on `pool` and then writes its entry. The store takes its place in the order of the operations
    /// now.
    func store(_ store: PendingStore, on pool: DecodePool, cost: Int, priority: LoadPriority) {
        queue.async { [pending] in pending.withLock { $0.insert(store) } }
        pool.submit(measuring: { cost }, priority: priority) { [self] in
            guard !store.hasEnded.withLock({ $0 }) else { return }
            let data = store.encode()
            queue.async { self.end(store, data) }
        }
    }

    /// Writes the encoded image of a store, and runs the operations that waited for it. Does nothing if the store has
    /// ended.
    private func end(_ store: PendingStore, _ data: Data?) {
        guard !store.hasEnded.withLock({ $0 }) else { return }
        let hasWritten = data.map { store.write($0, cache) } ?? false
        if hasWritten {
            for change in store.changes.withLock({ $0 }) { change(cache) }
        }
        finish(pending.withLock { $0.end(store, hasWritten: hasWritten) })
    }

    /// Ends the stores of these entries without a write.
    private func drop(_ entries: DiskEntries) { finish(pending.withLock { $0.end(entries) }) }

    private func finish(_ ended: [PendingStore]) {
        guard !ended.isEmpty else { return }
        for store in ended {
            store.hasEnded.withLock { $0 = true }
            store.finish()
        }
        for work in pending.withLock({ $0.takeReady() }) { work(cache) }
    }

    /// Encodes and writes the images of these entries on the calling thread, instead of waiting for the pool: the caller
    /// may be a thread of the pool.
    private func settle(_ entries: DiskEntries) {
        // Begin with the newest. If it is written, the earlier stores of its key end.
        for store in pending.withLock({ $0.stores(of: entries) }).reversed()
        where !store.hasEnded.withLock({ $0 }) {
            end(store, store.encode())
        }
    }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()
}
