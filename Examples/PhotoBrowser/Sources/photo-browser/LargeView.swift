import CPhotoBrowserGTK
import Foundation
import WebImage
import WebImageGTK

/// One photo, fitted to the window or enlarged. Plays animations.
@MainActor final class LargeView {
    let widget: OpaquePointer
    private let view = AnimatedImageView()
    private var photo: Photo?
    /// The factor by which the fitted photo is enlarged. Factor 1 shows the whole photo.
    private(set) var zoom = 1.0
    /// The point of the photo in the middle of the window, as fractions of its width and height.
    private var middle: [OpaquePointer: Double] = [:]

    init() {
        let scroller = gtk_scrolled_window_new()
        widget = OpaquePointer(scroller!)
        gtk_widget_set_hexpand(view.gtkWidget(), 1)
        gtk_widget_set_vexpand(view.gtkWidget(), 1)
        gtk_scrolled_window_set_child(widget, view.gtkWidget())
        view.errorImage = Artwork.broken
        view.retriesOnTap = true
        view.imageIndicator = WebImageActivityIndicator.large
        for adjustment in adjustments {
            Signals.onChange(adjustment, "notify::upper", hasArgument: true) { [weak self] in self?.recenter(adjustment)
            }
        }
    }

    private var adjustments: [OpaquePointer] {
        [gtk_scrolled_window_get_hadjustment(widget), gtk_scrolled_window_get_vadjustment(widget)]
            .compactMap { $0.map { OpaquePointer($0) } }
    }

    func show(_ photo: Photo, completed: (@MainActor (Image?, WebImageError?) -> Void)? = nil) {
        self.photo = photo
        setZoom(1)
        view.alternativeText = photo.name
        // Until the photo is decoded, show its thumbnail from the grid, enlarged. The photo is decoded at the size of the
        // window, and again with more pixels when the zoom makes the view larger.
        view.setImage(with: photo.url, context: [.cachedVariantAsPlaceholder: true]) { image, error, _, _ in
            if error?.isCancellation != true { completed?(image, error) }
        }
    }

    func changeZoom(by factor: Double) { setZoom(min(max(zoom * factor, 1), 16)) }

    func setZoom(_ zoom: Double) {
        for adjustment in adjustments {
            let upper = gtk_adjustment_get_upper(gtkCast(adjustment))
            let page = gtk_adjustment_get_page_size(gtkCast(adjustment))
            let value = gtk_adjustment_get_value(gtkCast(adjustment))
            middle[adjustment] = zoom > 1 && upper > page ? (value + page / 2) / upper : 0.5
        }
        self.zoom = zoom
        let (width, height) = (gtk_widget_get_width(gtkCast(widget)), gtk_widget_get_height(gtkCast(widget)))
        gtk_widget_set_size_request(
            view.gtkWidget(), zoom > 1 ? gint(Double(width) * zoom) : -1, zoom > 1 ? gint(Double(height) * zoom) : -1)
    }

    /// Keeps the middle of the window at the same point of the photo.
    private func recenter(_ adjustment: OpaquePointer) {
        let upper = gtk_adjustment_get_upper(gtkCast(adjustment))
        let page = gtk_adjustment_get_page_size(gtkCast(adjustment))
        gtk_adjustment_set_value(gtkCast(adjustment), (middle[adjustment] ?? 0.5) * upper - page / 2)
    }

    /// Cancels the load and releases the photo.
    func clear() {
        photo = nil
        view.cancelCurrentImageLoad()
        view.image = nil
    }
}
