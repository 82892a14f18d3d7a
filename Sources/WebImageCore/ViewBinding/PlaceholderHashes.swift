import Foundation

extension WebImageContextOption {
    /// ``BlurHash`` or ``ThumbHash``: the placeholder is drawn from this hash if no other placeholder is given. Used
    /// only by views.
    public static let placeholderHash = WebImageContextOption(rawValue: "placeholderHash")
}

/// The placeholders that were recently drawn from hashes. Rows of a list that reappear use them again.
enum PlaceholderHashes {
    private static let known = Locked<[AnyHashable: Image]>([:])
    private static let limit = 128

    /// Returns the placeholder for the hash of a context; nil without a hash. Drawing takes about 1 ms and happens
    /// once per hash while the placeholder is cached.
    static func image(_ context: RequestContext) -> Image? {
        guard let hash = context.placeholderHash else { return nil }
        if let image = known.withLock({ $0[hash] }) { return image }
        let image = (hash.base as? BlurHash)?.image() ?? (hash.base as? ThumbHash)?.image()
        known.withLock { known in
            if known.count >= limit { known.removeAll() }
            known[hash] = image
        }
        return image
    }
}
