/// Images in the order of their second chances (the CLOCK algorithm as a queue): a pure structure without a lock.
///
/// Using an image sets a bit. The one at the front is evicted, unless its bit is set: then the bit is cleared and it goes
/// to the back.
struct ClockRing {
    /// An image and its place in the queue.
    final class Entry {
        let key: String
        let image: Image
        let cost: Int
        var wasUsed = false
        // Unowned is safe because every entry in the queue is owned by the dictionary, and leaves both together.
        fileprivate unowned(unsafe) var next: Entry?
        fileprivate unowned(unsafe) var previous: Entry?

        init(_ key: String, _ image: Image, _ cost: Int) {
            self.key = key
            self.image = image
            self.cost = cost
        }
    }

    private var entries: [String: Entry] = [:]
    private unowned(unsafe) var front: Entry?
    private unowned(unsafe) var back: Entry?
    private(set) var totalCost = 0

    var count: Int { entries.count }

    /// The image of a key, marked as used.
    func use(_ key: String) -> Image? {
        guard let entry = entries[key] else { return nil }
        entry.wasUsed = true
        return entry.image
    }

    /// Keeps an image under a key that has none.
    mutating func append(_ image: Image, _ key: String, cost: Int) {
        let entry = Entry(key, image, cost)
        entries[key] = entry
        totalCost += cost
        append(entry)
    }

    /// Forgets an image.
    mutating func remove(_ key: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        unlink(entry)
        totalCost -= entry.cost
        return entry
    }

    /// Forgets the longest unused image.
    mutating func evict() -> Entry? {
        while let entry = front, entry.wasUsed {
            entry.wasUsed = false
            unlink(entry)
            append(entry)
        }
        return front.flatMap { remove($0.key) }
    }

    private mutating func append(_ entry: Entry) {
        entry.previous = back
        entry.next = nil
        back?.next = entry
        back = entry
        if front == nil { front = entry }
    }

    private mutating func unlink(_ entry: Entry) {
        if let previous = entry.previous { previous.next = entry.next } else { front = entry.next }
        if let next = entry.next { next.previous = entry.previous } else { back = entry.previous }
        entry.next = nil
        entry.previous = nil
    }
}
