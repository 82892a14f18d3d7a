/// The fingerprints of originals made last: a load needs the one of its original four times, at 9,000 instructions each.
///
/// A table with one place for each hash. At most 256 sources of up to 1 KB, so that long `data:` URLs are not retained.
struct RecentFingerprints {
    private struct Place {
        let source: String
        let scope: String?
        let fingerprint: KeyFingerprint
    }

    private static let placeCount = 256
    private static let longestSource = 1024

    private var places: ContiguousArray<Place?> = []

    /// Returns the fingerprint of an original; nil if it was not made lately.
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
