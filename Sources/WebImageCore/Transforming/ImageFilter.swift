/// An operation that changes the pixels of an image. A filter has a name and can have parameters. Users can define
/// further filters.
@preconcurrency public protocol ImageFilter: Sendable {
    /// A text with the name and all parameters of the filter. Two filters that can return different results must have
    /// different keys.
    var filterKey: String { get }
    /// Returns the changed image; nil when the filter does not support the image. Called off the main thread.
    func filteredImage(with image: Image) -> Image?
    /// How the filter runs: ``ImageTransformerExecution/computing`` if it never waits. The default is
    /// ``ImageTransformerExecution/waiting``.
    var execution: ImageTransformerExecution { get }
}

extension ImageFilter {
    /// ``ImageTransformerExecution/waiting`` by default.
    public var execution: ImageTransformerExecution { .waiting }
}

/// A transformer that runs a filter. The key of the transformer contains the key of the filter.
public struct ImageFilterTransformer: ImageTransformer {
    /// The filter.
    public let filter: any ImageFilter

    /// Creates the transformer.
    public init(filter: any ImageFilter) { self.filter = filter }

    /// The key of SDWebImage, with the filter's parameters added. SDWebImage's key does not contain the parameters.
    public var transformerKey: String { "SDImageFilterTransformer(\(filter.filterKey))" }

    /// The execution of the filter.
    public var execution: ImageTransformerExecution { filter.execution == .computing ? .computing : .waiting }

    /// Returns the filtered image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { filter.filteredImage(with: image) }
}

extension Image {
    /// Returns the result of a filter for this image; nil when the filter does not support the image.
    public func filteredImage(with filter: any ImageFilter) -> Image? { filter.filteredImage(with: self) }
}
