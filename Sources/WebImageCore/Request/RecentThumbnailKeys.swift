/// The thumbnail keys made last: a table with one place for each hash, in which a new key replaces the old one.
///
/// At most 512 keys of up to 1 KB, so that long `data:` URLs are not retained.
struct RecentThumbnailKeys {
    private static let placeCount = 512
    private static let longestSource = 1024

    private var places: ContiguousArray<EntryKey?> = []

    /// Returns the key of a thumbnail; nil if it was not made lately.
    func key(_ source: String, _ box: EntryKey.Box, hash: Int) -> EntryKey? {
        guard !places.isEmpty, let known = places[hash & (Self.placeCount - 1)], known.thumbnail == box,
            known.source == source
        else { return nil }
        return known
    }

    /// Stores a key, and returns the one that it replaced, to be released outside the lock.
    mutating func insert(_ key: EntryKey, hash: Int) -> EntryKey? {
        guard key.source.utf8.count <= Self.longestSource else { return nil }
        if places.isEmpty { places = ContiguousArray(repeating: nil, count: Self.placeCount) }
        let place = hash & (Self.placeCount - 1)
        defer { places[place] = key }
        return places[place]
    }
}
