/// Changes an image after decoding; the result is cached under a separate key.
///
/// The same input and key must give the same output. Called off the main thread.
@preconcurrency public protocol ImageTransformer: Sendable {
    /// The name of the transformation with all its parameters; part of the cache key.
    var transformerKey: String { get }
    /// Whether the result keeps the input's metadata.
    var preserveImageMetadata: Bool { get }
    /// Returns the changed image; nil leaves the image unchanged.
    func transformedImage(with image: Image, forKey key: String) -> Image?
}

extension ImageTransformer {
    /// True by default.
    public var preserveImageMetadata: Bool { true }
}
