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

extension ImageListRow {
    /// The box for the thumbnails of the list's rows, in pixels; nil before the row's first layout. The box of a row that
    /// fits has only one side, because the other side differs from row to row.
    var thumbnailBox: CGSize? {
        guard let box = imageView.state.pixelBox else { return nil }
        let longest = ViewSize.unlimitedSide
        switch fittingView?.axis {
        case .heightForWidth: return CGSize(width: box.width, height: longest)
        case .widthForHeight: return CGSize(width: longest, height: box.height)
        case nil: return box
        }
    }
}
