import CWebImageGTK
import Foundation
import WebImage
import WebImageGTK

/// Shows one picture, fitted to the window or enlarged. Plays animations.
@MainActor final class Viewer {
    let root: UnsafeMutablePointer<GtkWidget>
    private let view = AnimatedImageView()
    private let scroller: UnsafeMutablePointer<GtkWidget>
    private let caption = gtk_label_new(nil)!
    private let model: GalleryModel
    private(set) var position = 0
    private var indicator: Int?
    /// The zoom factor. Factor 1 fits the picture to the window.
    private var zoom = 1.0
    /// For each adjustment, the point of the picture in the middle of the window. The value is a fraction of the
    /// picture's size: 0 is the left or upper edge, and 1 is the right or lower edge.
    private var middles: [OpaquePointer: Double] = [:]
    private var isCentering = false

    init(_ model: GalleryModel) {
        self.model = model
        root = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
        scroller = gtk_scrolled_window_new()
        gtk_widget_set_vexpand(scroller, 1)
        gtk_widget_set_hexpand(UnsafeMutablePointer(view.widget), 1)
        gtk_widget_set_vexpand(UnsafeMutablePointer(view.widget), 1)
        gtk_scrolled_window_set_child(OpaquePointer(scroller), UnsafeMutablePointer(view.widget))
        gtk_widget_add_css_class(caption, "dim-label")
        gtk_widget_set_margin_bottom(caption, 8)
        gtk_label_set_ellipsize(OpaquePointer(caption), PANGO_ELLIPSIZE_MIDDLE)
        for child in [scroller, caption] { gtk_box_append(UnsafeMutablePointer(OpaquePointer(root)), child) }
        view.errorImage = Artwork.broken
        view.retriesOnTap = true
        for adjustment in adjustments {
            Signal.connect(OpaquePointer(adjustment), "changed") { [weak self] _ in self?.recenter(adjustment) }
            Signal.connect(OpaquePointer(adjustment), "value-changed") { [weak self] _ in self?.noteMiddle(adjustment) }
        }
    }

    private var adjustments: [UnsafeMutablePointer<GtkAdjustment>] {
        let scroller = OpaquePointer(scroller)
        return [gtk_scrolled_window_get_hadjustment(scroller), gtk_scrolled_window_get_vadjustment(scroller)]
            .compactMap(\.self)
    }

    /// Shows the item at an index of `model.shown`.
    func show(_ position: Int) {
        guard let item = model[position] else { return }
        self.position = position
        middles = [:]
        setZoom(1)
        Choices.apply(to: view, last: &indicator)
        view.alternativeText = item.caption
        gtk_label_set_text(OpaquePointer(caption), "\(item.caption) …")
        // Load the full size, so that zooming in shows more detail. During the load, show a smaller variant from the
        // memory cache.
        view.setImage(
            with: item.url, options: .progressiveLoad, context: [.cachedVariantAsPlaceholder: true]
        ) { [weak self] image, error, _, _ in
            guard let self, error?.isCancellation != true else { return }
            guard let image else { return note(item, error?.code.words ?? "") }
            // The shown image may have the size of the window. The caption has the size of the file, as in the grid.
            Task { @MainActor [weak self] in
                let size = await FileSize.pixels(of: item.url) ?? image.pixelSize
                guard let self, model[self.position]?.url == item.url else { return }
                note(item, "\(size.width) × \(size.height) px")
            }
        }
    }

    private func note(_ item: GalleryItem, _ words: String) {
        gtk_label_set_text(OpaquePointer(caption), "\(item.caption) · \(words)")
    }

    func step(by amount: Int) {
        let next = position + amount
        if model.shown.indices.contains(next) { show(next) }
    }

    func changeZoom(by factor: Double) { setZoom(min(max(zoom * factor, 1), 16)) }

    /// Sets the zoom factor. Requests `zoom` times the available space for the picture, so that the user can scroll to
    /// every part of the picture.
    func setZoom(_ zoom: Double) {
        self.zoom = zoom
        let (width, height) = (gtk_widget_get_width(scroller), gtk_widget_get_height(scroller))
        let isFitted = zoom <= 1
        gtk_widget_set_size_request(
            UnsafeMutablePointer(view.widget), isFitted ? -1 : gint(Double(width) * zoom),
            isFitted ? -1 : gint(Double(height) * zoom))
    }

    /// Keeps the middle of the window at the same point of the picture when the picture's size changes.
    private func recenter(_ adjustment: UnsafeMutablePointer<GtkAdjustment>) {
        isCentering = true
        defer { isCentering = false }
        let (upper, page) = (gtk_adjustment_get_upper(adjustment), gtk_adjustment_get_page_size(adjustment))
        gtk_adjustment_set_value(adjustment, (middles[OpaquePointer(adjustment)] ?? 0.5) * upper - page / 2)
        // This function runs during the layout of the picture's parent. If the picture became smaller, the parent has
        // already placed the picture with the previous value of the adjustment. Request another allocation, so that the
        // parent places the picture with the new value.
        Task { @MainActor [view] in
            gtk_widget_queue_allocate(gtk_widget_get_parent(UnsafeMutablePointer(view.widget)))
        }
    }

    private func noteMiddle(_ adjustment: UnsafeMutablePointer<GtkAdjustment>) {
        guard !isCentering else { return }
        let (upper, page) = (gtk_adjustment_get_upper(adjustment), gtk_adjustment_get_page_size(adjustment))
        let isWhole = upper <= page
        middles[OpaquePointer(adjustment)] = isWhole ? nil : (gtk_adjustment_get_value(adjustment) + page / 2) / upper
    }

    /// Cancels the load and clears the picture.
    func clear() {
        view.cancelCurrentImageLoad()
        view.image = nil
    }
}
