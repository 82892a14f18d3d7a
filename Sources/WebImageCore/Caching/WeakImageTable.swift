/// Weak references to evicted images by key. They make an evicted image available again while the application uses it.
struct WeakImageTable {
    private struct Entry {
        weak var image: Image?
        let cost: Int
    }

    private var entries: [String: Entry] = [:]
    private var nextSweep = 64

    /// Adds an image. Returns images that the caller must release after unlocking.
    mutating func put(_ image: Image, _ key: String, cost: Int) -> [Image] {
        entries[key] = Entry(image: image, cost: cost)
        return entries.count >= nextSweep ? sweep() : []
    }

    /// Removes the reference and returns its image if it still exists.
    mutating func take(_ key: String) -> (image: Image, cost: Int)? {
        guard !entries.isEmpty, let entry = entries.removeValue(forKey: key), let image = entry.image else {
            return nil
        }
        return (image, entry.cost)
    }

    /// Removes references to released images. The next sweep runs when the table has twice as many entries,
    /// so the average cost per eviction is constant.
    ///
    /// Returns the images that still exist; the caller must release them after unlocking. Checking a weak
    /// reference retains the image. If its last owner releases the image during the sweep, the sweep would
    /// deallocate it under the lock, together with objects that the user attached to it.
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
