import WebImageCore

/// Weak references to evicted images by key. While the application uses an evicted image, its weak reference makes the
/// image available to the cache.
struct WeakImageTable {
    private struct Entry {
        weak var image: Image?
        let cost: Int
    }

    private var entries: [String: Entry] = [:]
    private var nextSweep = 64

    /// Adds an image. Returns images that the caller must release after unlocking.
    mutating func put(_ image: Image, _ key: String, cost: Int) -> [Image] {
        entries[key.boundedKey] = Entry(image: image, cost: cost)
        return entries.count >= nextSweep ? sweep() : []
    }

    /// Removes the reference of a key. Returns the image and its cost if the image still exists.
    mutating func take(_ key: String) -> (image: Image, cost: Int)? {
        guard !entries.isEmpty, let entry = entries.removeValue(forKey: key.boundedKey), let image = entry.image else {
            return nil
        }
        return (image, entry.cost)
    }

    /// The images that still exist, with their bounded keys. The caller must release the images after unlocking.
    var living: [(String, Image)] { entries.compactMap { key, entry in entry.image.map { (key, $0) } } }

    /// Returns the image of a key if it still exists. The caller must release it after unlocking.
    func image(_ key: String) -> Image? { entries[key.boundedKey]?.image }

    /// Removes references to released images. The next sweep runs when the table has twice as many entries. Therefore
    /// the average duration per eviction is constant.
    ///
    /// Returns the images that still exist. The caller must release these images after unlocking. Reason: the check
    /// of a weak reference retains the image. If the last other owner releases the image during the sweep, the
    /// release at the end of the sweep deallocates the image and the objects that the user attached to it. This must
    /// not happen under the lock.
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
