/// Runs several transformers one after another. Each transformer receives the result of the previous transformer.
public struct ImagePipelineTransformer: ImageTransformer {
    /// The transformers in the order in which they run.
    public let transformers: [any ImageTransformer]

    /// Creates a pipeline of transformers. An empty pipeline changes nothing.
    public init(transformers: [any ImageTransformer]) { self.transformers = transformers }

    /// The keys of the transformers, joined by `-`.
    public var transformerKey: String { transformers.map(\.transformerKey).joined(separator: "-") }

    /// False, because the pipeline has already copied the metadata. It copies the metadata after each transformer whose
    /// ``preserveImageMetadata`` is true.
    public var preserveImageMetadata: Bool { false }

    /// Returns the result of the last transformer. If a transformer returns nil, the later transformers do not run, and
    /// the result is nil.
    public func transformedImage(with image: Image, forKey key: String) -> Image? {
        var current = image
        for transformer in transformers {
            guard let next = transformer.transformedImage(with: current, forKey: key) else { return nil }
            if transformer.preserveImageMetadata, next !== current { next.copyMetadata(from: current) }
            current = next
        }
        return current
    }

    /// ``ImageTransformerExecution/computing`` if all parts only compute.
    public var execution: ImageTransformerExecution {
        let parts = transformers.map(\.execution)
        return parts.contains(.asynchronous) ? .asynchronous : parts.contains(.waiting) ? .waiting : .computing
    }

    /// Returns the result of the last transformer, as ``transformedImage(with:forKey:)`` does.
    public func asynchronouslyTransformedImage(with image: Image, forKey key: String) async throws -> Image? {
        var current = image
        for transformer in transformers {
            guard let next = try await transformer.asynchronouslyTransformedImage(with: current, forKey: key) else {
                return nil
            }
            if transformer.preserveImageMetadata, next !== current { next.copyMetadata(from: current) }
            current = next
        }
        return current
    }
}
