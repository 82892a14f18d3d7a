import WebImageCore

/// Images in eviction order, according to the second-chance algorithm (CLOCK). The structure has no lock. Its owner
/// must synchronise access.
///
/// The images form a queue. A look-up that finds an image sets the image's `wasUsed` bit. Eviction checks the image at
/// the front. If the bit is not set, eviction removes the image. If the bit is set, eviction clears the bit, moves the
/// image to the back and checks the next image.
struct ClockRing {
    /// An image with its key and cost.
    struct Entry {
        let key: String
        let image: Image
        let cost: Int
    }

    /// The fields that a cache hit reads. These fields are adjacent in memory to reduce the cache misses of the
    /// processor. In a large cache, such misses take most of the time of a look-up.
    private struct Holding {
        var key = ""
        var image: Image?
        var hash: UInt32 = 0
        var wasUsed = false
        /// Whether ``used`` contains the position.
        var isNoted = false
    }

    /// The position of a `Holding` in the queue, and the cost of its image. The unused elements form a second list,
    /// which is also linked by `next`.
    private struct Link {
        var cost = 0
        var next: Int32 = noIndex
        var previous: Int32 = noIndex
    }

    private static let noIndex: Int32 = -1

    private var places = HashIndexTable()
    private var holdings: ContiguousArray<Holding> = []
    private var links: ContiguousArray<Link> = []
    private var free = noIndex
    private var front = noIndex
    private var back = noIndex
    private(set) var totalCost = 0
    /// The positions of the images that were used since ``takeUsed()``. A hit must not allocate, so its capacity grows with
    /// the number of images.
    private var used: ContiguousArray<Int32> = []

    var count: Int { places.count }

    /// Returns the image of a key and marks it as used.
    @inline(__always)
    mutating func use(_ key: String) -> Image? {
        guard let place = place(key) else { return nil }
        // Do not write a bit that is already set. A write would invalidate the cache line in the other processor
        // cores.
        if !holdings[place].wasUsed { holdings[place].wasUsed = true }
        if !holdings[place].isNoted {
            holdings[place].isNoted = true
            used.append(Int32(place))
        }
        return holdings[place].image
    }

    /// Returns the image of a key without marking it as used.
    func image(_ key: String) -> Image? { place(key).flatMap { holdings[$0].image } }

    /// Returns the images that were found since the last call and are still in the ring.
    mutating func takeUsed() -> [Entry] {
        defer { used.removeAll(keepingCapacity: true) }
        return used.compactMap { place in
            let place = Int(place)
            guard holdings[place].isNoted, let image = holdings[place].image else { return nil }
            holdings[place].isNoted = false
            return Entry(key: holdings[place].key, image: image, cost: links[place].cost)
        }
    }

    /// All images, in arbitrary order.
    var entries: [Entry] {
        holdings.indices.compactMap { place in
            holdings[place].image.map { Entry(key: holdings[place].key, image: $0, cost: links[place].cost) }
        }
    }

    /// Adds an image. The key must not be in the ring.
    mutating func append(_ image: Image, _ key: String, cost: Int) {
        let hash = Self.hash(key)
        let place: Int
        if free == Self.noIndex {
            place = holdings.count
            holdings.append(Holding())
            links.append(Link())
            if used.capacity < holdings.capacity { used.reserveCapacity(holdings.capacity) }
        } else {
            place = Int(free)
            free = links[place].next
        }
        holdings[place] = Holding(key: key, image: image, hash: hash)
        links[place].cost = cost
        places.insert(place, hash: hash)
        totalCost += cost
        link(place)
    }

    /// Removes the image of a key and returns its entry; nil if the key is not in the ring.
    mutating func remove(_ key: String) -> Entry? { place(key).flatMap { remove(at: $0) } }

    private mutating func remove(at place: Int) -> Entry? {
        guard let image = holdings[place].image else { return nil }
        let entry = Entry(key: holdings[place].key, image: image, cost: links[place].cost)
        places.remove(place, hash: holdings[place].hash)
        unlink(place)
        holdings[place] = Holding()
        links[place] = Link(next: free)
        free = Int32(place)
        totalCost -= entry.cost
        return entry
    }

    /// Removes the first image whose `wasUsed` bit is not set. Each image before the removed image loses the bit and
    /// moves to the back.
    mutating func evict() -> Entry? {
        while front != Self.noIndex, holdings[Int(front)].wasUsed {
            let place = Int(front)
            holdings[place].wasUsed = false
            unlink(place)
            link(place)
        }
        return front == Self.noIndex ? nil : remove(at: Int(front))
    }

    @inline(__always)
    private func place(_ key: String) -> Int? {
        places.first(Self.hash(key)) { holdings[$0].key == key }
    }

    private static func hash(_ key: String) -> UInt32 { UInt32(truncatingIfNeeded: key.hashValue) }

    private mutating func link(_ place: Int) {
        links[place].previous = back
        links[place].next = Self.noIndex
        if back == Self.noIndex { front = Int32(place) } else { links[Int(back)].next = Int32(place) }
        back = Int32(place)
    }

    private mutating func unlink(_ place: Int) {
        let (previous, next) = (links[place].previous, links[place].next)
        if previous == Self.noIndex { front = next } else { links[Int(previous)].next = next }
        if next == Self.noIndex { back = previous } else { links[Int(next)].previous = previous }
    }
}

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
