import WebImageCore

/// The pixel sizes of recent images by key. The number of sizes is limited, and so is the length of the stored keys. The structure has no lock. Its owner
/// must synchronise access.
///
/// There are two generations, young and old. New sizes are added to the young generation. A look-up moves a size from
/// the old to the young generation. When the young generation is full, the sizes of the old generation are removed, and
/// the young generation becomes the old generation.
struct PixelSizes {
    private var young: [String: PixelSize] = [:]
    private var old: [String: PixelSize] = [:]
    private let limit: Int

    init(limit: Int = 8192) { self.limit = limit / 2 }

    var count: Int { young.count + old.count }

    mutating func size(_ key: String) -> PixelSize? { size(ofBounded: key.boundedKey) }

    private mutating func size(ofBounded key: String) -> PixelSize? {
        if let size = young[key] { return size }
        guard let size = old.removeValue(forKey: key) else { return nil }
        insert(size, key)
        return size
    }

    /// Stores a size. Returns false if the same size was already stored under the key.
    mutating func put(_ size: PixelSize, _ key: String) -> Bool {
        let key = key.boundedKey
        if self.size(ofBounded: key) == size { return false }
        insert(size, key)
        return true
    }

    mutating func removeAll() {
        young = [:]
        old = [:]
    }

    private mutating func insert(_ size: PixelSize, _ key: String) {
        if young.count >= limit {
            old = young
            young = [:]
        }
        young[key] = size
    }
}
