import Foundation
import WebImageCore

/// The entries that an operation of a disk layer concerns.
enum DiskEntries: Sendable {
    case key(String)
    /// The variants of the original with this fingerprint.
    case variants(of: KeyFingerprint)
    case all

    func include(_ store: PendingStore) -> Bool {
        switch self {
        case .key(let key): store.key == key
        case .variants(let source): store.variantSource == source
        case .all: true
        }
    }
}

/// A store whose image is still being encoded.
final class PendingStore: Sendable {
    let key: String
    /// The fingerprint of the original if the entry is a variant; otherwise nil.
    let variantSource: KeyFingerprint?
    /// Encodes the image; nil if no encoder can. Runs on a thread of the decode pool, or on the thread of a blocking
    /// operation that needs the entry first. Both may run at the same time, and the first result is used.
    let encode: @Sendable () -> Data?
    /// Writes the encoded image on the disk queue. Returns whether the entry was written.
    let write: @Sendable (Data, (any DiskCaching)?) -> Bool
    /// Reports the end of the store.
    let finish: @Sendable () -> Void
    /// Whether the store has ended. The pool does not encode the image of a store that has ended.
    let hasEnded = Locked(false)
    /// Changes of the entry that were called after this store. They run only if this store writes the entry, because
    /// they would not be right for other bytes.
    let changes = Locked<[PendingStores.Work]>([])

    init(
        key: String, variantSource: KeyFingerprint?, encode: @escaping @Sendable () -> Data?,
        write: @escaping @Sendable (Data, (any DiskCaching)?) -> Bool, finish: @escaping @Sendable () -> Void
    ) {
        (self.key, self.variantSource) = (key, variantSource)
        (self.encode, self.write, self.finish) = (encode, write, finish)
    }
}

/// The stores of a cache whose images are still being encoded, in the order of the calls, and the operations that wait
/// for them. The value only decides; ``DiskQueue`` performs the operations, and is the only user.
///
/// A later store or removal of the same entry does not wait: it ends the earlier stores. Only reads wait.
struct PendingStores {
    typealias Work = @Sendable ((any DiskCaching)?) -> Void

    /// An operation that waits for the stores with a number up to `last`.
    private struct Waiter {
        let entries: DiskEntries
        let last: Int
        let work: Work
    }

    private var stores: [String: [(number: Int, store: PendingStore)]] = [:]
    private var waiters: [Waiter] = []
    private var last = 0

    mutating func insert(_ store: PendingStore) {
        last += 1
        stores[store.key, default: []].append((last, store))
    }

    /// The stores of these entries, in the order of the calls.
    func stores(of entries: DiskEntries) -> [PendingStore] {
        if case .key(let key) = entries { return stores[key]?.map(\.store) ?? [] }
        guard !stores.isEmpty else { return [] }
        return stores.values.joined().sorted { $0.number < $1.number }.map(\.store).filter(entries.include)
    }

    /// Ends a store and, if it has written its entry, the earlier stores of this entry. Returns the stores that ended;
    /// an empty list if the store had ended before.
    mutating func end(_ store: PendingStore, hasWritten: Bool) -> [PendingStore] {
        guard let known = stores[store.key], let index = known.firstIndex(where: { $0.store === store }) else {
            return []
        }
        let ended = hasWritten ? known.prefix(index + 1) : known[index...index]
        remove(ended.map(\.store))
        return ended.map(\.store)
    }

    /// Ends all stores of these entries. Returns them in the order of the calls.
    mutating func end(_ entries: DiskEntries) -> [PendingStore] {
        let ended = stores(of: entries)
        remove(ended)
        return ended
    }

    private mutating func remove(_ ended: [PendingStore]) {
        for store in ended {
            stores[store.key]?.removeAll { $0.store === store }
            if stores[store.key]?.isEmpty == true { stores[store.key] = nil }
        }
    }

    /// Adds an operation if a store of its entries is pending. Returns false if the operation need not wait.
    mutating func wait(for entries: DiskEntries, _ work: @escaping Work) -> Bool {
        guard isPending(entries, until: last) else { return false }
        waiters.append(Waiter(entries: entries, last: last, work: work))
        return true
    }

    /// Removes the operations whose stores have all ended, and returns them in the order of the calls.
    mutating func takeReady() -> [Work] {
        guard !waiters.isEmpty else { return [] }
        let isReady = waiters.map { !isPending($0.entries, until: $0.last) }
        let ready = zip(waiters, isReady).filter(\.1).map(\.0.work)
        waiters = zip(waiters, isReady).filter { !$0.1 }.map(\.0)
        return ready
    }

    private func isPending(_ entries: DiskEntries, until last: Int) -> Bool {
        guard !stores.isEmpty else { return false }
        if case .key(let key) = entries { return stores[key].map { $0[0].number <= last } ?? false }
        return stores.values.contains { $0.contains { $0.number <= last && entries.include($0.store) } }
    }
}
