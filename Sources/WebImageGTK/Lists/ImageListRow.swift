import Foundation
import WebImageViews

/// The widgets of one row, made once and reused for many positions.
@MainActor public protocol ImageListRow: AnyObject {
    /// The `GtkWidget` of the whole row.
    var widget: OpaquePointer { get }
    /// The view in the row that shows the loaded image.
    var imageView: ImageView { get }
    /// The view that changes the row's size to the proportions of the image. nil (the default) for a row of fixed size.
    var fittingView: FittingImageView? { get }
}

extension ImageListRow {
    /// nil, because the row has a fixed size by default.
    public var fittingView: FittingImageView? { nil }
}

/// A row that shows an image and nothing else.
extension ImageView: ImageListRow {
    /// This view.
    public var imageView: ImageView { self }
}
