import WebImageCore

/// A table of recent thumbnail keys. The hash of a key selects a position in the table. A new key replaces the previous
/// key at its position.
///
/// The table stores at most 512 keys. Keys of URLs longer than 1,024 bytes are not stored, so that long `data:` URLs do
/// not occupy memory.
struct RecentThumbnailKeys {
    private static let placeCount = 512
    private static let longestSource = 1024

    private var places: ContiguousArray<EntryKey?> = []

    /// Returns the key of a thumbnail; nil if the table does not contain the key.
    func key(_ source: String, _ box: EntryKey.Box, hash: Int) -> EntryKey? {
        guard !places.isEmpty, let known = places[hash & (Self.placeCount - 1)], known.thumbnail == box,
            known.source == source
        else { return nil }
        return known
    }

    /// Stores a key. Returns the key that was at the same position before; the caller can then release the returned key
    /// outside the lock.
    mutating func insert(_ key: EntryKey, hash: Int) -> EntryKey? {
        guard key.source.utf8.count <= Self.longestSource else { return nil }
        if places.isEmpty { places = ContiguousArray(repeating: nil, count: Self.placeCount) }
        let place = hash & (Self.placeCount - 1)
        defer { places[place] = key }
        return places[place]
    }
}
