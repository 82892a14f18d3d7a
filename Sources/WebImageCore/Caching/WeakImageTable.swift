/// Weak references to evicted images by key.
struct WeakImageTable {
    private struct Entry {
        weak var image: Image?
        let cost: Int
    }

    private var entries: [String: Entry] = [:]
    private var nextSweep = 64

    /// Adds an image; returns images that the caller must release after unlocking.
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

    /// Removes references to released images. Doubling the threshold keeps the cost per eviction constant.
    ///
    /// Checking a weak reference retains the image. If the last owner releases it meanwhile, it would be deallocated
    /// here, under the lock, together with objects the user attached to it. So these images are returned to the caller.
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
