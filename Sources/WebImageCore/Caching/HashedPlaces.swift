/// Places in an array by the hash of what stands there: a hash table with open addressing and linear probing.
///
/// Beside each place stand 32 bits of its hash, so that a look-up compares one key and a growing table none; eight slots
/// share a line of the processor's cache. It knows no keys: the caller says which place is meant.
struct HashedPlaces {
    /// The hash in the upper half, the place and one in the lower; 0 is free. A power of two of them, never full.
    private var slots = ContiguousArray<UInt64>(repeating: 0, count: 16)
    private(set) var count = 0

    private var mask: Int { slots.count - 1 }

    /// The place of this hash for which `isMeant` holds.
    @inline(__always)
    func first(_ hash: UInt32, where isMeant: (Int) -> Bool) -> Int? {
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            if Self.hash(slots[slot]) == hash, isMeant(Self.place(slots[slot])) { return Self.place(slots[slot]) }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds a place that is not in the table.
    mutating func insert(_ place: Int, hash: UInt32) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        put(UInt64(hash) << 32 | UInt64(UInt32(place + 1)))
        count += 1
    }

    /// Takes a place out of the table it is in.
    mutating func remove(_ place: Int, hash: UInt32) {
        let entry = UInt64(hash) << 32 | UInt64(UInt32(place + 1))
        var free = Int(hash) & mask
        while slots[free] != entry {
            precondition(slots[free] != 0, "a place that was never inserted")
            free = (free + 1) & mask
        }
        // Those behind move up, as far as each may: no search meets a gap before what it looks for.
        var slot = (free + 1) & mask
        while slots[slot] != 0 {
            let home = Int(Self.hash(slots[slot])) & mask
            if (slot - home) & mask >= (slot - free) & mask {
                slots[free] = slots[slot]
                free = slot
            }
            slot = (slot + 1) & mask
        }
        slots[free] = 0
        count -= 1
    }

    private mutating func grow() {
        let old = slots
        slots = ContiguousArray(repeating: 0, count: old.count * 2)
        for entry in old where entry != 0 { put(entry) }
    }

    private mutating func put(_ entry: UInt64) {
        var slot = Int(Self.hash(entry)) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = entry
    }

    private static func hash(_ entry: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: entry >> 32) }
    private static func place(_ entry: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: entry)) - 1 }
}
