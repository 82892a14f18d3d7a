import Foundation

/// The widgets of one row, made once and reused for many positions.
@MainActor public protocol ImageListRow: AnyObject {
    /// The `GtkWidget` of the whole row.
    var widget: OpaquePointer { get }
    /// The view in the row that shows the loaded image.
    var imageView: ImageView { get }
    /// The view that changes the row's size to the proportions of the image. nil (the default) for a row of fixed size.
    var fittingView: FittingImageView? { get }
    /// Further views of the row that load pictures of their own, such as an avatar beside a photo; none by default. All
    /// rows of a list have the same number of them, and return the same views each time.
    var furtherImageViews: [ImageView] { get }
}

extension ImageListRow {
    /// nil, because the row has a fixed size by default.
    public var fittingView: FittingImageView? { nil }
    /// None, because a row has one picture by default.
    public var furtherImageViews: [ImageView] { [] }
}

/// A row that shows an image and nothing else.
extension ImageView: ImageListRow {
    /// This view.
    public var imageView: ImageView { self }
}
