/// The widgets of one row, made once and reused for many positions.
@MainActor public protocol ImageListRow: AnyObject {
    /// The `GtkWidget` of the whole row.
    var widget: OpaquePointer { get }
    /// The view in the row that shows the loaded image.
    var imageView: ImageView { get }
    /// The view in the row that takes the proportions of its image; nil, the default, for rows of fixed size.
    var fittingView: FittingImageView? { get }
}

extension ImageListRow {
    /// Nil: the row has a fixed size.
    public var fittingView: FittingImageView? { nil }
}

/// A row that shows an image and nothing else.
extension ImageView: ImageListRow {
    /// This view.
    public var imageView: ImageView { self }
}
