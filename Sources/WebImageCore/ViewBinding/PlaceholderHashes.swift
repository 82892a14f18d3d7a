import Foundation

extension WebImageContextOption {
    /// ``BlurHash`` or ``ThumbHash``: drawn as placeholder where no other is given; views only.
    public static let placeholderHash = WebImageContextOption(rawValue: "placeholderHash")
}

/// The placeholders drawn from hashes lately, since rows come back.
enum PlaceholderHashes {
    private static let known = Locked<[AnyHashable: Image]>([:])
    private static let limit = 128

    /// The placeholder that a context's hash describes; nil without one. Drawn in about a millisecond, once.
    static func image(_ context: WebImageContext) -> Image? {
        guard let value = context[.placeholderHash] else { return nil }
        guard let hash = value as? AnyHashable, value is BlurHash || value is ThumbHash else {
            _ = context.read(.placeholderHash, as: BlurHash.self)
            return nil
        }
        if let image = known.withLock({ $0[hash] }) { return image }
        let image = (value as? BlurHash)?.image() ?? (value as? ThumbHash)?.image()
        known.withLock { known in
            if known.count >= limit { known.removeAll() }
            known[hash] = image
        }
        return image
    }
}
