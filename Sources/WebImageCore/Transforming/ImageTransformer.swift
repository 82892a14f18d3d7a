/// Changes an image after decoding. The result is cached under a separate key.
///
/// Transformers with the same ``transformerKey`` must return the same result for the same image. The methods are called
/// off the main thread. A transformer may wait, for example for another load. ``AsyncImageTransformer`` is the role for
/// a transformer that is an `async` function or that can fail.
@preconcurrency public protocol ImageTransformer: Sendable {
    /// The name of the transformation with all its parameters. The cache key contains this text.
    var transformerKey: String { get }
    /// Whether the metadata of the input image is copied to the result.
    var preserveImageMetadata: Bool { get }
    /// Returns the changed image; nil leaves the image unchanged.
    func transformedImage(with image: Image, forKey key: String) -> Image?
    /// How the transformer runs. The default is ``ImageTransformerExecution/waiting``.
    var execution: ImageTransformerExecution { get }
    /// Returns the changed image; nil leaves the image unchanged. Called instead of ``transformedImage(with:forKey:)``
    /// if ``execution`` is ``ImageTransformerExecution/asynchronous``. The default implementation calls that method.
    func asynchronouslyTransformedImage(with image: Image, forKey key: String) async throws -> Image?
    /// The transformers that run one after another instead of this one. Empty for a transformer with one step, as by
    /// default; those of an ``ImageTransformerSequence``.
    var steps: [any ImageTransformer] { get }
}

extension ImageTransformer {
    /// True by default.
    public var preserveImageMetadata: Bool { true }
    /// ``ImageTransformerExecution/waiting`` by default.
    public var execution: ImageTransformerExecution { .waiting }
    /// Empty by default.
    public var steps: [any ImageTransformer] { [] }
    /// Returns the result of ``transformedImage(with:forKey:)``.
    public func asynchronouslyTransformedImage(with image: Image, forKey key: String) async throws -> Image? {
        transformedImage(with: image, forKey: key)
    }
}

/// How a transformer runs.
public enum ImageTransformerExecution: Sendable, Hashable {
    /// The transformer only computes and never waits. It runs on the threads that decode, within their memory budget.
    case computing
    /// The transformer may wait. It runs on threads for such code, so that it blocks no decode.
    case waiting
    /// The transformer is an `async` function.
    case asynchronous
}

/// A transformer that is an `async` function. It can load further images, and it can fail.
///
/// A failure ends the load with an error of the stage `.transform`. It does not mark the URL as failed. The function is
/// called outside the main actor; its task is cancelled when no load needs the result any more. Partial images are not
/// transformed, so a load with such a transformer delivers none.
@preconcurrency public protocol AsyncImageTransformer: ImageTransformer {
    /// Returns the changed image, or the unchanged image.
    func transformed(_ image: Image, forKey key: String) async throws -> Image
}

extension AsyncImageTransformer {
    /// ``ImageTransformerExecution/asynchronous``.
    public var execution: ImageTransformerExecution { .asynchronous }
    /// Returns nil, because the caller cannot wait.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { nil }
    /// Returns the result of ``transformed(_:forKey:)``.
    public func asynchronouslyTransformedImage(with image: Image, forKey key: String) async throws -> Image? {
        try await transformed(image, forKey: key)
    }
}

/// A transformer that consists of several parts. The parts are transformers that run one after another.
///
/// The manager runs each part separately. If the sequences of two loads begin with equal parts, the loads share the
/// results of these parts. The sequence's ``transformerKey`` consists of the keys of its parts, joined by `-`.
@preconcurrency public protocol ImageTransformerSequence: ImageTransformer {
    /// The parts in the order in which they run.
    var transformers: [any ImageTransformer] { get }
}

extension ImageTransformerSequence {
    /// The parts of the sequence.
    public var steps: [any ImageTransformer] { transformers }
}

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
