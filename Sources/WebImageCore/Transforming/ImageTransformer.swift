/// Changes an image after decoding. The result is cached under a separate key.
///
/// Transformers with the same ``transformerKey`` must return the same result for the same image. The methods are called
/// off the main thread.
@preconcurrency public protocol ImageTransformer: Sendable {
    /// The name of the transformation with all its parameters. The cache key contains this text.
    var transformerKey: String { get }
    /// Whether the metadata of the input image is copied to the result.
    var preserveImageMetadata: Bool { get }
    /// Returns the changed image; nil leaves the image unchanged.
    func transformedImage(with image: Image, forKey key: String) -> Image?
}

extension ImageTransformer {
    /// True by default.
    public var preserveImageMetadata: Bool { true }
}
