import WebImageCore

/// A hash table from hashes to array positions ("places"), with open addressing and linear probing.
///
/// The table does not store keys. The caller stores the keys in its array and compares them. Each slot of 8 bytes
/// contains a place and 32 bits of the hash. Therefore a look-up compares about one key, and the growth of the table
/// compares no keys. Eight slots fit in one cache line of the processor (64 bytes).
struct HashIndexTable {
    /// The slots. The upper 32 bits of a slot contain the hash. The lower 32 bits contain the place plus one. The
    /// value 0 is a free slot. The number of slots is a power of two. At least a quarter of the slots is free, so
    /// every search ends.
    private var slots = ContiguousArray<UInt64>(repeating: 0, count: 16)
    private(set) var count = 0

    private var mask: Int { slots.count - 1 }

    /// Returns the first place with this hash for which `isMeant` returns true. `isMeant` must compare the key at the
    /// place with the wanted key.
    @inline(__always)
    func first(_ hash: UInt32, where isMeant: (Int) -> Bool) -> Int? {
        var slot = Int(hash) & mask
        while slots[slot] != 0 {
            if Self.hash(slots[slot]) == hash, isMeant(Self.place(slots[slot])) { return Self.place(slots[slot]) }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds a place. The place must not be in the table.
    mutating func insert(_ place: Int, hash: UInt32) {
        if (count + 1) * 4 > slots.count * 3 { grow() }
        put(UInt64(hash) << 32 | UInt64(UInt32(place + 1)))
        count += 1
    }

    /// Removes a place. The place must be in the table.
    mutating func remove(_ place: Int, hash: UInt32) {
        let entry = UInt64(hash) << 32 | UInt64(UInt32(place + 1))
        var free = Int(hash) & mask
        while slots[free] != entry {
            precondition(slots[free] != 0, "the place is not in the table")
            free = (free + 1) & mask
        }
        // Move a later entry into the gap if the entry's probe sequence includes the gap. A search stops at the first
        // free slot, and would otherwise not find this entry.
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
