/// Several transformers in a row; each receives the result of the previous one.
public struct ImagePipelineTransformer: ImageTransformer {
    /// The transformers in the order in which they run.
    public let transformers: [any ImageTransformer]

    /// Makes a pipeline of transformers; an empty one changes nothing.
    public init(transformers: [any ImageTransformer]) { self.transformers = transformers }

    /// The keys of the transformers, joined by `-`.
    public var transformerKey: String { transformers.map(\.transformerKey).joined(separator: "-") }

    /// False: each transformer decides for itself.
    public var preserveImageMetadata: Bool { false }

    /// Returns the result of the last transformer; nil as soon as one returns nil.
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
