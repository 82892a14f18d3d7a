import WebImageCore

/// The most recent removals from the memory of a cache, or from a list of caches. A query that began before a removal must
/// not store its image again after it.
///
/// Knows 256 keys. If there are more, every running query counts as one whose image was removed: its image is then decoded
/// again when it is next used.
struct RecentRemovals {
    private static let mostKeys = 256

    /// The number of removals so far. A query remembers it when it begins.
    private(set) var count: UInt64 = 0
    private var lastOfAll: UInt64 = 0
    private var keys: [String: UInt64] = [:]

    /// Notes the removal of an image.
    mutating func note(_ key: String) {
        if keys.count == Self.mostKeys { noteAll() }
        count += 1
        keys[key.boundedKey] = count
    }

    /// Notes the removal of all images.
    mutating func noteAll() {
        count += 1
        lastOfAll = count
        keys = [:]
    }

    /// Whether an image was, or may have been, removed after the first `start` removals.
    func include(_ key: String, after start: UInt64) -> Bool {
        lastOfAll > start || keys[key.boundedKey] ?? 0 > start
    }
}
