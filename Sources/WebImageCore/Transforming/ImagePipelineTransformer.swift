/// Several transformers in a row, each fed with what the one before made.
public struct ImagePipelineTransformer: ImageTransformer {
    /// The transformers, in the order they run.
    public let transformers: [any ImageTransformer]

    /// A pipeline of the given transformers; an empty one changes nothing.
    public init(transformers: [any ImageTransformer]) { self.transformers = transformers }

    /// The members' keys, joined by `-`.
    public var transformerKey: String { transformers.map(\.transformerKey).joined(separator: "-") }

    /// Each member decides for itself.
    public var preserveImageMetadata: Bool { false }

    /// The last member's result; nil as soon as one gives nothing.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        var current = image
        for transformer in transformers {
            guard let next = transformer.transformedImage(with: current, forKey: key) else { return nil }
            if transformer.preserveImageMetadata, next !== current { next.copyMetadata(from: current) }
            current = next
        }
        return current
    }
}
