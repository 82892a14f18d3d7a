import CGTK
import Foundation
import WebImage
import WebImageGTK

/// One recycled cell: a picture with its name and what became of it.
@MainActor final class Card {
    /// The picture's box in points.
    static let pictureSize = (width: 200, height: 150)

    let root: UnsafeMutablePointer<GtkWidget>
    private let view = AnimatedImageView()
    private let caption = Card.label(cssClass: "caption")
    private let status = Card.label(cssClass: "status")

    init() {
        root = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4)
        gtk_widget_add_css_class(root, "picture-card")
        gtk_widget_set_halign(root, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(root, GTK_ALIGN_START)
        let picture = UnsafeMutablePointer<GtkWidget>(view.widget)
        gtk_widget_set_size_request(picture, gint(Self.pictureSize.width), gint(Self.pictureSize.height))
        gtk_widget_set_overflow(picture, GTK_OVERFLOW_HIDDEN)
        gtk_widget_add_css_class(picture, "picture")
        for child in [picture, caption, status] { gtk_box_append(UnsafeMutablePointer(OpaquePointer(root)), child) }
    }

    /// Shows an item and loads its picture at the size it is shown; `changed` hears what becomes of it.
    func show(_ item: GalleryItem, changed: @escaping @MainActor (GalleryItem) -> Void) {
        var item = item
        item.state = .loading
        describe(item)
        changed(item)
        let pixelsPerPoint = Int(gtk_widget_get_scale_factor(root))
        let box = CGSize(
            width: Self.pictureSize.width * pixelsPerPoint, height: Self.pictureSize.height * pixelsPerPoint)
        view.setImage(
            with: item.url, placeholderImage: Artwork.placeholder, context: [.imageThumbnailPixelSize: box]
        ) { [weak self] image, error, origin, _ in
            // Cancelled means that the row shows something else by now.
            if error?.isCancellation == true { return }
            var item = item
            if let image {
                item.state = .shown(image.pixelSize, origin)
            } else {
                item.state = .failed(error ?? WebImageError(.badImageData, stage: .cache))
                self?.view.image = Artwork.broken
            }
            self?.describe(item)
            changed(item)
        }
    }

    /// Gives up the item: nothing of it arrives any more.
    func clear() {
        view.cancelCurrentImageLoad()
        view.image = nil
    }

    private func describe(_ item: GalleryItem) {
        gtk_label_set_text(OpaquePointer(caption), item.caption)
        gtk_label_set_text(OpaquePointer(status), item.status)
        if case .failed(let error) = item.state {
            gtk_widget_add_css_class(status, "failed")
            gtk_widget_set_tooltip_text(root, error.description)
        } else {
            gtk_widget_remove_css_class(status, "failed")
            gtk_widget_set_tooltip_text(root, item.url.redacted)
        }
    }

    private static func label(cssClass: String) -> UnsafeMutablePointer<GtkWidget> {
        let label = gtk_label_new(nil)!
        gtk_widget_add_css_class(label, cssClass)
        gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_MIDDLE)
        gtk_label_set_xalign(OpaquePointer(label), 0)
        gtk_label_set_max_width_chars(OpaquePointer(label), 10)
        return label
    }
}
