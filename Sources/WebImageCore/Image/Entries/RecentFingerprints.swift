/// A small cache of the fingerprints of originals. A load needs the fingerprint of its original four times,
/// and each computation takes 9,000 instructions.
///
/// The cache is a table of 256 elements. The hash of the original's key (``EntryKey/source``) selects the element. A
/// new fingerprint replaces the old fingerprint in the same element. Keys longer than 1 KB, such as `data:` URLs, are
/// not stored, because they would use too much memory.
struct RecentFingerprints {
    private struct Place {
        let source: String
        let scope: String?
        let fingerprint: KeyFingerprint
    }

    private static let placeCount = 256
    private static let longestSource = 1024

    private var places: ContiguousArray<Place?> = []

    /// Returns the fingerprint of an original; nil if it is not in the table.
    func fingerprint(_ source: String, _ scope: String?, hash: Int) -> KeyFingerprint? {
        guard !places.isEmpty, let known = places[hash & (Self.placeCount - 1)], known.source == source,
            known.scope == scope
        else { return nil }
        return known.fingerprint
    }

    mutating func insert(_ fingerprint: KeyFingerprint, _ source: String, _ scope: String?, hash: Int) {
        guard source.utf8.count <= Self.longestSource else { return }
        if places.isEmpty { places = ContiguousArray(repeating: nil, count: Self.placeCount) }
        places[hash & (Self.placeCount - 1)] = Place(source: source, scope: scope, fingerprint: fingerprint)
    }
}
