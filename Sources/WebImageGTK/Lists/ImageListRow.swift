/// The widgets of one row, made once and shown at many positions.
@MainActor public protocol ImageListRow: AnyObject {
    /// The `GtkWidget` that is the whole row.
    var widget: OpaquePointer { get }
    /// The view in it that the list loads into.
    var imageView: ImageView { get }
    /// The view in it that takes its picture's proportions; nil, unless said, for rows of fixed size.
    var fittingView: FittingImageView? { get }
}

extension ImageListRow {
    /// None: the row has a size of its own.
    public var fittingView: FittingImageView? { nil }
}

/// A row that is a picture and nothing else.
extension ImageView: ImageListRow {
    /// Itself.
    public var imageView: ImageView { self }
}
