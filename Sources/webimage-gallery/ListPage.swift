import CWebImageGTK
import Foundation
import WebImage
import WebImageGTK

/// One column of pictures. Each row has the height of its picture. Visible rows stay in place when other rows change
/// their height.
@MainActor final class ListPage {
    let scroller: UnsafeMutablePointer<GtkWidget>
    /// The closure that opens an item in the large view. Receives the index of the item in `model.shown`.
    var opened: (@MainActor (Int) -> Void)?
    private let model: GalleryModel
    let list: FittingList

    init(_ model: GalleryModel) {
        self.model = model
        scroller = gtk_scrolled_window_new()
        gtk_scrolled_window_set_policy(OpaquePointer(scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        list = FittingList(
            count: model.shown.count, spacing: 12, defaultExtent: 360,
            request: { [weak model] position in
                guard let item = model?[position] else { return nil }
                return ImageListRequest(
                    item.url, placeholderImage: Artwork.placeholder,
                    context: [.imageThumbnailPixelSize: CGSize(width: 1200, height: 2400)])
            },
            make: { FittingImageView(imageView: AnimatedImageView()) },
            bind: { [weak model] row, position in
                row.imageView.cornerRadius = 8
                row.imageView.errorImage = Artwork.broken
                row.imageView.alternativeText = model?[position]?.caption
                var last: Int?
                Choices.apply(to: row.imageView, last: &last)
            })
        list.selectionMode = .single
        list.activatesOnSingleClick = true
        list.onActivate = { [weak self] position in self?.opened?(position) }
        let widget = UnsafeMutablePointer<GtkWidget>(list.widget)
        gtk_widget_add_css_class(widget, "gallery")
        gtk_scrolled_window_set_child(OpaquePointer(scroller), widget)
    }

    /// Shows the model's current items.
    func refresh() { list.reload(count: model.shown.count) }
}
