public import Foundation
public import WebImageCore

/// The content of a row of a list.
public struct ImageListRequest {
    /// The URL of the image; nil shows only the placeholder.
    public var url: URL?
    /// Shown until the image is loaded.
    public var placeholderImage: Image?
    /// The options of the load. The list sets the priority: visible rows before rows that become visible soon.
    public var options: WebImageOptions
    /// The context of the load, as for any view. A list should set `.imageThumbnailPixelSize`.
    public var context: WebImageContext?

    /// Makes a request with the options and the context of a view's load.
    public init(
        _ url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [], context: WebImageContext? = nil
    ) {
        self.url = url
        self.placeholderImage = placeholderImage
        self.options = options
        self.context = context
    }
}

extension ImageListRequest {
    /// The loader.
    var loader: any ViewImageLoading {
        context?[.customManager] as? any ViewImageLoading ?? ImageViewBinding.defaultLoader()
    }

    func options(for interest: ScrollPrefetchPolicy.Interest) -> WebImageOptions {
        options.subtracting([.lowPriority, .highPriority])
            .union(interest == .visible ? .highPriority : .lowPriority)
    }
}
