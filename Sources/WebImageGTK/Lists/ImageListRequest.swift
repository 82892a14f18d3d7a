public import Foundation
public import WebImageCore

/// What a row of a list shows.
public struct ImageListRequest {
    /// The picture; nil shows the placeholder alone.
    public var url: URL?
    /// What is shown until the picture is there.
    public var placeholderImage: Image?
    /// How it is loaded. The list sets the priority itself: visible rows first, rows that come soon last.
    public var options: WebImageOptions
    /// How it is loaded, as for any view; `.imageThumbnailPixelSize` is worth while in a list.
    public var context: WebImageContext?

    /// A request with the options and context of a view's load.
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
    /// Who loads it.
    var loader: any ViewImageLoading {
        context?[.customManager] as? any ViewImageLoading ?? ImageViewBinding.defaultLoader()
    }

    func options(for interest: ScrollPrefetchPolicy.Interest) -> WebImageOptions {
        options.subtracting([.lowPriority, .highPriority])
            .union(interest == .visible ? .highPriority : .lowPriority)
    }
}
