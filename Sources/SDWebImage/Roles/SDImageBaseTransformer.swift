public import WebImage

/// A base class for custom transformers, as in SDWebImage: override ``transformerKey`` and
/// ``transformedImage(with:forKey:)``.
///
/// Called off the main thread, from several threads at once.
open class SDImageBaseTransformer: ImageTransformer, @unchecked Sendable {
    // Unchecked is correct because the only stored property is a `Locked` box. Subclasses must ensure the same.

    private let keepsMetadata = Locked(true)

    /// Makes a transformer; it changes nothing unless its members are overridden.
    public init() {}

    /// The text that identifies this change in cache keys; the name of the class unless overridden.
    open var transformerKey: String { "\(type(of: self))" }

    /// Returns the changed image; the same image unless overridden.
    open func transformedImage(with image: UIImage, forKey key: String) -> UIImage? { image }

    /// Whether the descriptive metadata is copied to the changed image; true by default.
    public var preserveImageMetadata: Bool {
        get { keepsMetadata.withLock { $0 } }
        set { keepsMetadata.withLock { $0 = newValue } }
    }
}
