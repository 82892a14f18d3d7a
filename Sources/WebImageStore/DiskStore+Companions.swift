import Foundation
import WebImageCore

/// Extended data and metadata beside an entry's bytes, and pixel sizes, which outlive the entry.
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

    /// Stores bytes beside an existing entry; nil removes them. Committed together with earlier writes.
    func setCompanion(_ companion: Companion, _ data: Data?, forKey key: String) {
        let place = PendingWrites.CompanionKey(key: KeyHash(key), companion: companion)
        let addition = PendingWrites.Addition(data: data, time: milliseconds())
        let isTooMuch = state.withLock { state in
            state.pending.put(addition, at: place)
            return state.pending.byteCount > Self.pendingLimit
        }
        if isTooMuch { flush() } else { scheduleFlush() }
    }

    /// Stores the pixel size of a key's image; it outlives the entry and needs none.
    func setPixelSize(_ size: PixelSize, forKey key: String) {
        let hash = KeyHash(key)
        state.withLock { $0.pending.put(size, for: hash) }
        scheduleFlush()
    }

    /// The stored pixel size of a key's image; one query in the index.
    func pixelSize(forKey key: String) -> PixelSize? {
        let hash = KeyHash(key)
        if let waiting = state.withLock({ $0.pending.sizes[hash] ?? $0.committing.sizes[hash] }) { return waiting }
        return read { reader throws(DatabaseError) in try reader.pixelSize(hash) } ?? nil
    }
}

extension DiskStore.State {
    /// The write of an entry that is not in the index yet.
    func waiting(_ key: KeyHash) -> PendingWrite? { pending.writes[key] ?? committing.writes[key] }

    /// Returns the pending answers for both companions of an entry.
    func companions(_ key: KeyHash) -> PendingWrites.Companions {
        PendingWrites.Companions(extended: answer(.extended, of: key), metadata: answer(.metadata, of: key))
    }

    /// Returns the pending answer for one companion of an entry.
    func answer(_ companion: Companion, of key: KeyHash) -> PendingWrites.Answer {
        let place = PendingWrites.CompanionKey(key: key, companion: companion)
        if case .unknown = pending.answer(at: place) { return committing.answer(at: place) }
        return pending.answer(at: place)
    }
}
