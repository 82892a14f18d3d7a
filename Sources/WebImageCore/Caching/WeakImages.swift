/// Images that were pushed out and may still be in use elsewhere, by key.
struct WeakImages {
    private struct Entry {
        weak var image: Image?
        let cost: Int
    }

    private var entries: [String: Entry] = [:]
    private var nextSweep = 64

    mutating func put(_ image: Image, _ key: String, cost: Int) {
        entries[key] = Entry(image: image, cost: cost)
        if entries.count >= nextSweep { sweep() }
    }

    /// The image if it still lives; forgotten here either way.
    mutating func take(_ key: String) -> (image: Image, cost: Int)? {
        guard !entries.isEmpty, let entry = entries.removeValue(forKey: key), let image = entry.image else {
            return nil
        }
        return (image, entry.cost)
    }

    /// Forgets the dead; doubling the threshold makes the cost per eviction constant.
    private mutating func sweep() {
        entries = entries.filter { $0.value.image != nil }
        nextSweep = max(64, entries.count * 2)
    }
}
