import CWebImageGTK
import CWebImageGTKShim
import Foundation
public import WebImageCore

/// Shows the progress of a load.
///
/// While the size of the download is unknown, the bar moves back and forth with each update, the ring shows a quarter
/// of a circle, and the overlay covers the whole image.
@MainActor public final class WebImageProgressIndicator: WebImageIndicator {
    /// The style of the indicator.
    public enum Style: Sendable, Hashable {
        /// A centred bar. The theme determines its width: about 150 points in GTK's default theme, at least 40 points
        /// in any theme.
        case bar
        /// A centred ring, 40 points wide; its arc grows to a full circle.
        case ring
        /// A translucent overlay whose lower edge rises until the image is uncovered.
        case overlay
    }

    /// The `GtkProgressBar`, or the widget that draws the ring or the overlay.
    public let indicatorView: WidgetView
    /// The style of the indicator.
    public let style: Style
    /// The progress of the load, 0…1; 1 after the end.
    public private(set) var progress = 0.0

    private var drawing: Drawing?
    private let figures = Figures()

    /// Makes an indicator. `color` applies only to the ring and the overlay.
    public init(style: Style = .bar, color: ImageColor? = nil) {
        self.style = style
        switch style {
        case .bar:
            indicatorView = WidgetView.view(ofNew: gtk_progress_bar_new())
        case .ring, .overlay:
            indicatorView = WidgetView.view(ofNew: UnsafeMutablePointer(webimage_view_new()))
        }
        let widget = UnsafeMutablePointer<GtkWidget>(indicatorView.widget)
        gtk_widget_set_can_target(widget, 0)
        gtk_widget_set_visible(widget, 0)
        figures.color = color ?? (style == .ring ? ImageColor(white: 0.5) : ImageColor(white: 0, alpha: 0.45))
        arrange(widget)
    }

    private func arrange(_ widget: UnsafeMutablePointer<GtkWidget>) {
        let align = style == .overlay ? GTK_ALIGN_FILL : GTK_ALIGN_CENTER
        gtk_widget_set_halign(widget, align)
        gtk_widget_set_valign(widget, align)
        switch style {
        case .bar: gtk_widget_set_size_request(widget, 40, -1)
        case .ring: gtk_widget_set_size_request(widget, 40, 40)
        case .overlay: break
        }
        guard style != .bar else { return }
        let drawing = Drawing { [figures, style] snapshot, bounds in
            if style == .ring { figures.drawRing(snapshot, bounds) } else { figures.drawVeil(snapshot, bounds) }
        }
        self.drawing = drawing
        webimage_view_set_paintable(indicatorView.widget, drawing.pointer)
    }

    /// Shows the indicator with a progress of 0.
    public func startAnimatingIndicator() {
        show(0)
        indicatorView.isHidden = false
    }

    /// Shows a new progress.
    public func updateIndicatorProgress(_ progress: Double) { show(progress) }

    /// Sets the progress to 1 and hides the indicator.
    public func stopAnimatingIndicator() {
        show(1)
        indicatorView.isHidden = true
    }

    private func show(_ progress: Double) {
        self.progress = progress
        if style == .bar {
            if progress > 0 {
                gtk_progress_bar_set_fraction(indicatorView.widget, progress)
            } else {
                gtk_progress_bar_pulse(indicatorView.widget)
            }
        } else {
            figures.progress = progress
            drawing?.redraw()
        }
    }

    @MainActor private final class Figures {
        var progress = 0.0
        var color = ImageColor.black

        func drawRing(_ snapshot: OpaquePointer, _ bounds: CGRect) {
            var area = graphene_rect_t(bounds)
            guard let cairo = gtk_snapshot_append_cairo(snapshot, &area) else { return }
            defer { cairo_destroy(cairo) }
            let radius = Double(min(bounds.width, bounds.height)) / 2 - 3
            cairo_set_line_width(cairo, 4)
            for (share, alpha) in [(1, 0.25), (progress > 0 ? progress : 0.25, 1)] {
                cairo_set_source_rgba(cairo, color.red, color.green, color.blue, color.alpha * alpha)
                cairo_arc(
                    cairo, Double(bounds.midX), Double(bounds.midY), radius, -.pi / 2, (2 * share - 0.5) * .pi)
                cairo_stroke(cairo)
            }
        }

        func drawVeil(_ snapshot: OpaquePointer, _ bounds: CGRect) {
            let height = bounds.height * CGFloat(1 - progress)
            snapshot.fill(CGRect(x: bounds.minX, y: bounds.minY, width: bounds.width, height: height), color)
        }
    }
}

// The built-in indicators. Each access makes a new indicator.
extension WebImageProgressIndicator {
    /// The bar.
    public static var `default`: WebImageProgressIndicator { .init() }
    /// The bar.
    public static var bar: WebImageProgressIndicator { .init(style: .bar) }
    /// The ring.
    public static var ring: WebImageProgressIndicator { .init(style: .ring) }
    /// The overlay.
    public static var overlay: WebImageProgressIndicator { .init(style: .overlay) }
}
