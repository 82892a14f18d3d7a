/// A named operation with parameters that changes the pixels of an image. Users can define further filters.
@preconcurrency public protocol ImageFilter: Sendable {
    /// The name and all parameters of the filter. This key must differ from the key of every other filter.
    var filterKey: String { get }
    /// Returns the changed image; nil when the filter does not support the image. Called off the main thread.
    func filteredImage(with image: Image) -> Image?
}

/// A transformer that runs a filter. The key of the transformer contains the filter's name and parameters.
public struct ImageFilterTransformer: ImageTransformer {
    /// The filter.
    public let filter: any ImageFilter

    /// Creates the transformer.
    public init(filter: any ImageFilter) { self.filter = filter }

    /// The same key as in SDWebImage, plus the filter's parameters, which SDWebImage omits.
    public var transformerKey: String { "SDImageFilterTransformer(\(filter.filterKey))" }

    /// Returns the filtered image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { filter.filteredImage(with: image) }
}

extension Image {
    /// Returns the result of a filter for this image; nil when the filter does not support the image.
    public func filteredImage(with filter: any ImageFilter) -> Image? { filter.filteredImage(with: self) }
}
