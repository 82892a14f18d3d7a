import WebImageCore
public import WebImageLoading

/// The size at which a view's image is decoded.
public enum ViewThumbnail: Sendable, Hashable {
    /// The size of the view on screen in device pixels, in steps of 32 pixels.
    ///
    /// If the view has no size yet, the load waits for the first layout, at most ``ViewThumbnail/defaultDeadline``. If
    /// the view still has no size at the deadline, the image is decoded at full size.
    case viewSize
    /// The same size as ``viewSize``, with another deadline.
    case viewSizeWithin(Duration)

    /// The maximum time that a load waits for the size of its view: 250 ms.
    public static let defaultDeadline = Duration.milliseconds(250)

    var deadline: Duration {
        switch self {
        case .viewSize: Self.defaultDeadline
        case .viewSizeWithin(let deadline): deadline
        }
    }
}

extension WebImageContextOption {
    /// ``ViewThumbnail``: decodes the image at the size of the view. Used only by views.
    public static let thumbnail = WebImageContextOption(rawValue: "thumbnail")
    /// `Bool`: whether the placeholder may be the same image in another size. If true and memory contains such an
    /// image, the view shows that image as the placeholder. Used only by views.
    public static let cachedVariantAsPlaceholder = WebImageContextOption(rawValue: "cachedVariantAsPlaceholder")
}

extension Dictionary where Key == WebImageContextOption, Value == Any {
    /// Returns a context with which the image is decoded at the size of the view, for example `context:
    /// .thumbnail(.viewSize)`.
    public static func thumbnail(_ size: ViewThumbnail) -> Self { [.thumbnail: size] }
}
