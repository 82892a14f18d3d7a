/// The widgets of one row, created once and shown at many positions.
@MainActor public protocol ImageListRow: AnyObject {
    /// The `GtkWidget` of the whole row.
    var widget: OpaquePointer { get }
    /// The view for which the list loads images.
    var imageView: ImageView { get }
    /// The view that takes its image's proportions; nil, the default, for rows of a fixed size.
    var fittingView: FittingImageView? { get }
}

extension ImageListRow {
    /// Returns nil: the row has a fixed size.
    public var fittingView: FittingImageView? { nil }
}

/// A row that consists of an image only.
extension ImageView: ImageListRow {
    /// Returns self.
    public var imageView: ImageView { self }
}
