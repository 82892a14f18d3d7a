import Foundation
import WebImageCore
public import WebImageLoading

extension WebImageContextOption {
    /// ``BlurHash`` or ``ThumbHash``: the placeholder is drawn from this hash if the load has no other placeholder.
    /// Used only by views.
    public static let placeholderHash = WebImageContextOption(rawValue: "placeholderHash")
}

/// Caches the placeholders that were drawn from hashes. When a row of a list reappears, its placeholder is not drawn
/// again.
enum PlaceholderHashes {
    private static let known = Locked<[AnyHashable: Image]>([:])
    private static let limit = 128

    /// Returns the placeholder for the hash in a context; nil if the context has no hash. Drawing takes about 1 ms. A
    /// cached placeholder is not drawn again.
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
