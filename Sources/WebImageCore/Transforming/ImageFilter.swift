/// A named change of an image's pixels with parameters; users may define their own.
@preconcurrency public protocol ImageFilter: Sendable {
    /// The name and every parameter; it must differ from the key of every other filter.
    var filterKey: String { get }
    /// Returns the changed image, or nil when the filter does not support the image. Called off the main thread.
    func filteredImage(with image: Image) -> Image?
}

/// A transformer that runs a filter; its key contains the filter's name and parameters.
public struct ImageFilterTransformer: ImageTransformer {
    /// The filter.
    public let filter: any ImageFilter

    /// Makes the transformer.
    public init(filter: any ImageFilter) { self.filter = filter }

    /// SDWebImage's key, plus the parameters that SDWebImage leaves out.
    public var transformerKey: String { "SDImageFilterTransformer(\(filter.filterKey))" }

    /// Returns the filtered image.
    public func transformedImage(with image: Image, forKey key: String) -> Image? { filter.filteredImage(with: image) }
}

extension Image {
    /// Returns the result of a filter for this image; nil when the filter does not support it.
    public func filteredImage(with filter: any ImageFilter) -> Image? { filter.filteredImage(with: self) }
}
