public import WebImage

/// A base class for custom transformers, as in the original: override ``transformerKey`` and
/// ``transformedImage(with:forKey:)``.
///
/// Called off the main thread, from several threads at once.
open class SDImageBaseTransformer: ImageTransformer, @unchecked Sendable {
    // Unchecked is true because the only stored property is the `Locked` box; subclasses promise the same for theirs.

    private let keepsMetadata = Locked(true)

    /// A transformer that changes nothing until its members are overridden.
    public init() {}

    /// What tells this change from others in cache keys; the class's name unless overridden.
    open var transformerKey: String { "\(type(of: self))" }

    /// The changed picture; the same unless overridden.
    open func transformedImage(with image: UIImage, forKey key: String) -> UIImage? { image }

    /// Whether the descriptive metadata goes to the changed picture; true at first.
    public var preserveImageMetadata: Bool {
        get { keepsMetadata.withLock { $0 } }
        set { keepsMetadata.withLock { $0 = newValue } }
    }
}
