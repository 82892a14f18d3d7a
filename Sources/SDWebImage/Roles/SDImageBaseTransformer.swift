public import WebImage

/// A base class for custom transformers, as in SDWebImage. Override ``transformerKey`` and
/// ``transformedImage(with:forKey:)``.
///
/// Its methods are called on background threads. Several threads can call them at the same time.
open class SDImageBaseTransformer: ImageTransformer, @unchecked Sendable {
    // Unchecked is correct because a lock (`Locked`) protects the only stored property. Subclasses must protect
    // their own stored properties.

    private struct State {
        var keepsMetadata = true
        var own: (any ImageTransformer)?
    }

    private let state = Locked(State())
    /// The transformer of this package that does the work of a class of this module; nil for other subclasses.
    final var own: (any ImageTransformer)? {
        get { state.withLock { $0.own } }
        set { state.withLock { $0.own = newValue } }
    }

    /// Creates a transformer. A subclass that overrides no member returns every image unchanged.
    public init() {}

    /// The text that identifies this transformation in cache keys. Default: the name of the class.
    open var transformerKey: String { own?.transformerKey ?? "\(type(of: self))" }

    /// Returns the transformed image. By default, returns the same image.
    open func transformedImage(with image: UIImage, forKey key: String) -> UIImage? {
        guard let own else { return image }
        return own.transformedImage(with: image, forKey: key)
    }

    /// Whether the descriptive metadata is copied to the transformed image. True by default.
    public var preserveImageMetadata: Bool {
        get { state.withLock { $0.keepsMetadata } }
        set { state.withLock { $0.keepsMetadata = newValue } }
    }
}
