/// Images that were pushed out and may still be in use elsewhere, by key.
struct WeakImages {
    private struct Entry {
        weak var image: Image?
        let cost: Int
    }

    private var entries: [String: Entry] = [:]
    private var nextSweep = 64

    /// Remembers an image; gives images to be released after the lock under which this is called.
    mutating func put(_ image: Image, _ key: String, cost: Int) -> [Image] {
        entries[key] = Entry(image: image, cost: cost)
        return entries.count >= nextSweep ? sweep() : []
    }

    /// The image if it still lives; forgotten here either way.
    mutating func take(_ key: String) -> (image: Image, cost: Int)? {
        guard !entries.isEmpty, let entry = entries.removeValue(forKey: key), let image = entry.image else {
            return nil
        }
        return (image, entry.cost)
    }

    /// Forgets the dead; doubling the threshold makes the cost per eviction constant.
    ///
    /// To ask whether an image lives is to hold it: when its last owner lets go meanwhile, it ends here, and with it
    /// what the user attached to it. So the living are given to the caller.
    private mutating func sweep() -> [Image] {
        var living: [Image] = []
        entries = entries.filter { entry in
            guard let image = entry.value.image else { return false }
            living.append(image)
            return true
        }
        nextSweep = max(64, entries.count * 2)
        return living
    }
}
