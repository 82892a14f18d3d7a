/// The pixel sizes of the pictures seen last, by key: bounded, and a pure structure without a lock.
///
/// Two generations: when the younger is full it becomes the older, whose own members are forgotten unless asked for.
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

    /// Whether that was news.
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
