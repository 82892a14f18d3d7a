/// A named change of an image's pixels, with its parameters; users may define their own.
@preconcurrency public protocol ImageFilter: Sendable {
    /// The name and every parameter: what tells this filter's results from all others'.
    var filterKey: String { get }
    /// The changed image; nil when it cannot be changed so. Called off the main thread.
    func filteredImage(with image: Image) -> Image?
}

/// Runs a filter; the key holds its name and parameters.
public struct ImageFilterTransformer: ImageTransformer {
    /// The filter.
    public let filter: any ImageFilter

    /// Makes the transformer.
    public init(filter: any ImageFilter) { self.filter = filter }

    /// The original's key, with the parameters it leaves out.
    public var transformerKey: String { "SDImageFilterTransformer(\(filter.filterKey))" }

    /// The filtered image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { filter.filteredImage(with: image) }
}

extension Image {
    /// The image a filter makes of this one; nil when it cannot.
    public func filteredImage(with filter: any ImageFilter) -> Image? { filter.filteredImage(with: self) }
}
