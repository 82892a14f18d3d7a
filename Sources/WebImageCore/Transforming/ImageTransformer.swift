/// Changes an image after decoding; the result is cached under a key of its own.
///
/// The same input and key must give the same output. Called off the main thread.
@preconcurrency public protocol ImageTransformer: Sendable {
    /// Names the transformation with all its parameters; becomes part of the cache key.
    var transformerKey: String { get }
    /// Whether the result keeps the input's metadata.
    var preserveImageMetadata: Bool { get }
    /// The changed image; nil leaves the input as it is.
    func transformedImage(with image: Image, forKey key: String) -> Image?
}

extension ImageTransformer {
    /// True.
    public var preserveImageMetadata: Bool { true }
}
