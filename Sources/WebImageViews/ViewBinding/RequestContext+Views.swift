import Foundation
import WebImageCore
package import WebImageLoading

// Context values that only views use.
extension RequestContext {
    var customManager: (any ViewImageLoading)? { value(.customManager) }
    var viewThumbnail: ViewThumbnail? { value(.thumbnail) }
    var expectedViewSize: CGSize? { value(.expectedViewSize) }
    var takesCachedVariantAsPlaceholder: Bool { value(.cachedVariantAsPlaceholder) == true }

    /// The hash from which a placeholder is drawn. Nil if the value has another type; such a value is logged once.
    var placeholderHash: AnyHashable? {
        guard let value: Any = self.value(.placeholderHash) else { return nil }
        guard let hash = value as? AnyHashable, value is BlurHash || value is ThumbHash else {
            _ = self.value(.placeholderHash, as: BlurHash.self)
            return nil
        }
        return hash
    }
}

extension WebImageContextOption {
    /// `CGSize`: the size in pixels that a view will have after its first layout. A list sets this value for a row that
    /// GTK has not laid out yet.
    package static let expectedViewSize = WebImageContextOption(rawValue: "webimage.expectedViewSize")
}
