public import WebImageLoading

/// The size at which a view's image is decoded.
///
/// A request without a size is decoded at the size of an image view as well, but only where this cannot change what the
/// view shows: see ``fullSize`` for the exceptions. An image that an image view shows at its size is decoded again when
/// the view becomes larger.
public enum ViewThumbnail: Sendable, Hashable {
    /// The size of the view on screen in device pixels, in steps of 32 pixels.
    ///
    /// If the view has no size yet, the load waits for the first layout, at most ``ViewThumbnail/defaultDeadline``. If
    /// the layout has given the view only a width or only a height, this side is the limit. If the view still has no size
    /// at the deadline, the image is decoded at full size. When the view gets its size later, for example because its page is
    /// shown, an animation or a drawing of vectors is decoded again.
    case viewSize
    /// The same size as ``viewSize``, with another deadline.
    case viewSizeWithin(Duration)
    /// The size of the picture in the file, at any size of the view.
    ///
    /// A request without a size is also decoded at full size if the picture determines the size of the view, if the view
    /// is in no window, if a transformer changes the picture, with `.scaleDownLargeImages`, `.avoidAutoSetImage` or a
    /// closure that shows the image, in a view that centres the image without scaling it, and by a manager with a delegate or
    /// an options processor, or by another loader than a ``WebImageManager``.
    case fullSize

    /// The maximum time that a load waits for the size of its view: 250 ms.
    public static let defaultDeadline = Duration.milliseconds(250)

    /// The maximum time to wait for the size of the view; nil if the size of the view does not matter.
    var deadline: Duration? {
        switch self {
        case .fullSize: nil
        case .viewSize: Self.defaultDeadline
        case .viewSizeWithin(let deadline): deadline
        }
    }
}

extension WebImageContextOption {
    /// ``ViewThumbnail``: whether the image is decoded at the size of the view or at full size. Used only by views.
    public static let thumbnail = WebImageContextOption(rawValue: "thumbnail")
    /// `Bool`: whether the placeholder may be the same image in another size. If true and memory contains such an
    /// image, the view shows that image as the placeholder. Used only by views.
    public static let cachedVariantAsPlaceholder = WebImageContextOption(rawValue: "cachedVariantAsPlaceholder")
}

extension Dictionary where Key == WebImageContextOption, Value == Any {
    /// Returns a context with which the image is decoded at the size of the view or at full size, for example `context:
    /// .thumbnail(.fullSize)`.
    public static func thumbnail(_ size: ViewThumbnail) -> Self { [.thumbnail: size] }
}
