import Foundation
public import WebImageCore
public import WebImageLoading

// Values that only views use.
extension ImageRequest {
    /// The manager that loads for the view; nil uses the shared manager.
    public var manager: (any ViewImageLoading)? {
        get { values.value(.customManager) }
        set { values.set(.customManager, newValue) }
    }

    /// Whether and how the image is decoded at the size of the view on screen. With nil, the default, an image view
    /// decodes at its size if the request has no other size; other views ignore their size.
    public var viewThumbnail: ViewThumbnail? {
        get { values.value(.thumbnail) }
        set { values.set(.thumbnail, newValue) }
    }

    /// Whether the placeholder may be the same image in another size. If true and memory contains such an image, the
    /// view shows that image as the placeholder. Default false.
    public var usesCachedVariantAsPlaceholder: Bool {
        get { values.takesCachedVariantAsPlaceholder }
        set { values.set(.cachedVariantAsPlaceholder, newValue ? true : nil) }
    }

    /// A hash from which a placeholder is drawn if the load has no other placeholder.
    public enum PlaceholderHash: Sendable, Hashable {
        /// A BlurHash.
        case blur(BlurHash)
        /// A ThumbHash.
        case thumb(ThumbHash)
    }

    /// The hash from which a placeholder is drawn if the load has no other placeholder.
    public var placeholderHash: PlaceholderHash? {
        get {
            if let hash = values.placeholderHash?.base as? BlurHash { return .blur(hash) }
            return (values.placeholderHash?.base as? ThumbHash).map { .thumb($0) }
        }
        set {
            switch newValue {
            case nil: values.set(.placeholderHash, nil)
            case .blur(let hash): values.set(.placeholderHash, hash)
            case .thumb(let hash): values.set(.placeholderHash, hash)
            }
        }
    }
}

// Context values that only views use.
extension RequestContext {
    var customManager: (any ViewImageLoading)? { value(.customManager) }
    var viewThumbnail: ViewThumbnail? { value(.thumbnail) }
    var expectedViewSize: ViewSize? { value(.expectedViewSize) }
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
    /// ``ViewSize``: the size that a view will have after its first layout. A list sets this value for a row that
    /// GTK has not laid out yet.
    package static let expectedViewSize = WebImageContextOption(rawValue: "webimage.expectedViewSize")
}
