import Foundation

/// Splits a batch whose commit failed.
extension PendingWrites {
    /// The same changes, split into one part per entry. Removals are first, because they may free the space that
    /// other parts need. Access times are omitted.
    var parts: [PendingWrites] {
        let removals = inOrder.filter { $0.value.data == nil }
        let values = inOrder.filter { $0.value.data != nil }
        var parts = (removals + values).map { key, write in
            var part = PendingWrites()
            part.put(write, for: key)
            part.putCompanions(of: key, from: self)
            if let size = sizes[key] { part.put(size, for: key) }
            return part
        }
        let others = Set(sizes.keys).union(additions.keys.map(\.key)).subtracting(writes.keys)
        for key in others {
            var part = PendingWrites()
            part.putCompanions(of: key, from: self)
            if let size = sizes[key] { part.put(size, for: key) }
            parts.append(part)
        }
        return parts
    }

    /// Whether the batch removes entries and stores no entry.
    var isRemoval: Bool { !writes.isEmpty && writes.values.allSatisfy { $0.data == nil } }

    /// Adds removals that could not be committed. Skips entries that have a newer pending write.
    mutating func restore(_ removals: PendingWrites) {
        for (key, write) in removals.writes where writes[key] == nil { put(write, for: key) }
    }

    private mutating func putCompanions(of key: KeyHash, from batch: PendingWrites) {
        for companion in [Companion.extended, .metadata] {
            let place = CompanionKey(key: key, companion: companion)
            if let addition = batch.additions[place] { put(addition, at: place) }
        }
    }
}
