import CWebImageGTK
import Foundation
import WebImage
import WebImageGTK
import WebImageLinkPreview

/// One recycled cell of the grid. Shows a picture, the picture's name and its state.
@MainActor final class Card {
    /// The size of the picture's box in points.
    static let pictureSize = (width: 200, height: 150)

    let root: UnsafeMutablePointer<GtkWidget>
    private let view = AnimatedImageView()
    private let caption = Card.label(cssClass: "caption-heading")
    private let status = Card.label(cssClass: "dim-label")
    private var item: GalleryItem?
    private var indicator: Int?
    private var changed: (@MainActor (GalleryItem.State) -> Void)?

    init() {
        root = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4)
        gtk_widget_add_css_class(root, "picture-card")
        gtk_widget_set_halign(root, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(root, GTK_ALIGN_START)
        let picture = UnsafeMutablePointer<GtkWidget>(view.widget)
        gtk_widget_add_css_class(picture, "picture")
        // Also the largest size: at a scale of 2, a thumbnail has more points than the box, and would widen its card.
        view.fixedSize = CGSize(width: Self.pictureSize.width, height: Self.pictureSize.height)
        view.cornerRadius = 6
        view.errorImage = Artwork.broken
        view.retriesOnTap = true
        view.retryCompleted = { [weak self] image, error, origin, _ in self?.ended(image, error, origin) }
        for child in [picture, caption, status] { gtk_box_append(UnsafeMutablePointer(OpaquePointer(root)), child) }
    }

    /// Shows an item and loads its picture in the size of the card. `changed` receives each new state of the item.
    func show(_ item: GalleryItem, changed: @escaping @MainActor (GalleryItem.State) -> Void) {
        (self.item, self.changed) = (item, changed)
        note(.loading)
        Choices.apply(to: view, last: &indicator)
        view.alternativeText = item.caption
        let pixelsPerPoint = Int(gtk_widget_get_scale_factor(root))
        let box = CGSize(
            width: Self.pictureSize.width * pixelsPerPoint, height: Self.pictureSize.height * pixelsPerPoint)
        view.setImage(
            with: item.url, placeholderImage: Artwork.placeholder, options: .progressiveLoad,
            context: [.imageThumbnailPixelSize: box]
        ) { [weak self] image, error, origin, url in
            guard url == self?.item?.url else { return }
            self?.ended(image, error, origin)
        }
    }

    /// Cancels the item's load and clears the picture. After this call, the card reports no state of the item.
    func clear() {
        item = nil
        view.cancelCurrentImageLoad()
        view.image = nil
    }

    private func ended(_ image: Image?, _ error: WebImageError?, _ origin: ImageCacheType) {
        // Ignore a cancellation, because the card already shows another item or no item.
        if error?.isCancellation == true { return }
        if let image, let item {
            self.item?.title = image.linkPreview?.title
            // The shown image has the size of the card. The caption has the size of the file.
            Task { @MainActor [weak self] in
                let size = await FileSize.pixels(of: item.url)
                guard self?.item?.url == item.url else { return }
                self?.note(.shown(size ?? image.pixelSize, origin))
            }
        } else {
            note(.failed(error ?? WebImageError(.badImageData, stage: .cache)))
        }
    }

    private func note(_ state: GalleryItem.State) {
        guard var item else { return }
        item.state = state
        self.item = item
        gtk_label_set_text(OpaquePointer(caption), item.caption)
        gtk_label_set_text(OpaquePointer(status), item.status)
        if case .failed(let error) = state {
            // A dim error would be hard to read in the dark style.
            gtk_widget_remove_css_class(status, "dim-label")
            gtk_widget_add_css_class(status, "error")
            gtk_widget_set_tooltip_text(root, error.description + "\nClick the picture to try again.")
        } else {
            gtk_widget_remove_css_class(status, "error")
            gtk_widget_add_css_class(status, "dim-label")
            gtk_widget_set_tooltip_text(root, item.url.redacted)
        }
        changed?(state)
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
