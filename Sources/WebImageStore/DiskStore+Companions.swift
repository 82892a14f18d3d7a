import Foundation
import WebImageCore

/// Reads and writes companions (the extended data and the metadata of an entry) and pixel sizes. A pixel size remains
/// after its entry was removed.
extension DiskStore {
    /// Returns the extended data or metadata of an entry.
    func companion(_ companion: Companion, forKey key: String) -> Data? {
        let hash = KeyHash(key)
        switch state.withLock({ $0.answer(companion, of: hash) }) {
        case .known(let data): return data
        case .knownForExistingEntry(let data): return contains(hash) ? data : nil
        case .unknown: return read { reader throws(DatabaseError) in try reader.companion(companion, of: hash) } ?? nil
        }
    }

    /// Stores the extended data or metadata of an existing entry; nil removes it. The change is committed together with
    /// earlier writes.
    func setCompanion(_ companion: Companion, _ data: Data?, forKey key: String) {
        let place = PendingWrites.CompanionKey(key: KeyHash(key), companion: companion)
        let addition = PendingWrites.Addition(data: data, time: milliseconds())
        let isTooMuch = state.withLock { state in
            state.pending.put(addition, at: place)
            return state.pending.byteCount > Self.pendingLimit
        }
        if isTooMuch { flush() } else { scheduleFlush() }
    }

    /// Stores the pixel size of a key's image. The key need not have an entry. If the key has an entry, the size
    /// remains after the entry was removed.
    func setPixelSize(_ size: PixelSize, forKey key: String) {
        let hash = KeyHash(key)
        state.withLock { $0.pending.put(size, for: hash) }
        scheduleFlush()
    }

    /// Returns the stored pixel size of a key's image. Costs one query in the index.
    func pixelSize(forKey key: String) -> PixelSize? {
        let hash = KeyHash(key)
        if let waiting = state.withLock({ $0.pending.sizes[hash] ?? $0.committing.sizes[hash] }) { return waiting }
        return read { reader throws(DatabaseError) in try reader.pixelSize(hash) } ?? nil
    }
}

extension DiskStore.State {
    /// Returns the uncommitted write of an entry; nil if there is none.
    func waiting(_ key: KeyHash) -> PendingWrite? { pending.writes[key] ?? committing.writes[key] }

    /// Returns the pending state of both companions of an entry.
    func companions(_ key: KeyHash) -> PendingWrites.Companions {
        PendingWrites.Companions(extended: answer(.extended, of: key), metadata: answer(.metadata, of: key))
    }

    /// Returns the pending state of one companion of an entry.
    func answer(_ companion: Companion, of key: KeyHash) -> PendingWrites.Answer {
        let place = PendingWrites.CompanionKey(key: key, companion: companion)
        if case .unknown = pending.answer(at: place) { return committing.answer(at: place) }
        return pending.answer(at: place)
    }
}
