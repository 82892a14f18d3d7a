import Foundation

extension WebImageContextOption {
    /// ``BlurHash`` or ``ThumbHash``: drawn as the placeholder if no other is given; views only.
    public static let placeholderHash = WebImageContextOption(rawValue: "placeholderHash")
}

/// The placeholders recently drawn from hashes, because rows reappear.
enum PlaceholderHashes {
    private static let known = Locked<[AnyHashable: Image]>([:])
    private static let limit = 128

    /// Returns the placeholder that a context's hash describes; nil without a hash. It is drawn once, in about 1 ms.
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
