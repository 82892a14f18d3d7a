/// The pixel sizes of recent images by key: bounded, and a pure structure without a lock.
///
/// Two generations: a full younger one replaces the older one. Entries of the older one are dropped unless a look-up
/// moved them to the younger one.
struct PixelSizes {
    private var young: [String: PixelSize] = [:]
    private var old: [String: PixelSize] = [:]
    private let limit: Int

    init(limit: Int = 8192) { self.limit = limit / 2 }

    var count: Int { young.count + old.count }

    mutating func size(_ key: String) -> PixelSize? {
        if let size = young[key] { return size }
        guard let size = old.removeValue(forKey: key) else { return nil }
        insert(size, key)
        return size
    }

    /// Stores a size; returns whether it is new or changed.
    mutating func put(_ size: PixelSize, _ key: String) -> Bool {
        if self.size(key) == size { return false }
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
