/// The size at which a view's image is decoded.
public enum ViewThumbnail: Sendable, Hashable {
    /// The size the view has on screen, in device pixels, in steps of 32.
    ///
    /// A view that has no size yet waits for its first layout, at most ``ViewThumbnail/defaultDeadline``. At the
    /// deadline the image is decoded at full size.
    case viewSize
    /// The same with another deadline.
    case viewSizeWithin(Duration)

    /// How long a view waits for its size: 250 ms.
    public static let defaultDeadline = Duration.milliseconds(250)

    var deadline: Duration {
        switch self {
        case .viewSize: Self.defaultDeadline
        case .viewSizeWithin(let deadline): deadline
        }
    }
}

extension WebImageContextOption {
    /// ``ViewThumbnail``: decode at the size the view has; views only.
    public static let thumbnail = WebImageContextOption(rawValue: "thumbnail")
    /// `Bool`: a variant of another size that is in memory is shown as the placeholder; views only.
    public static let cachedVariantAsPlaceholder = WebImageContextOption(rawValue: "cachedVariantAsPlaceholder")
}

extension Dictionary where Key == WebImageContextOption, Value == Any {
    /// A context that decodes at the view's own size: `context: .thumbnail(.viewSize)`.
    public static func thumbnail(_ size: ViewThumbnail) -> Self { [.thumbnail: size] }
}
