import CPhotoBrowserGTK
import Foundation
import WebImage
import WebImageGTK

/// A grid of thumbnails. Its cells are recycled, and visible cells load first.
@MainActor final class PhotoGrid {
    /// The side of a thumbnail in points.
    static let side = 176

    let widget: OpaquePointer
    let grid: OpaquePointer
    private let selection: OpaquePointer
    private let cells = Cells()
    private let frames: GTKDisplayLink

    init(_ photos: [Photo], opened: @escaping @MainActor (Int) -> Void) {
        let names = gtk_string_list_new(nil)
        for photo in photos { gtk_string_list_append(names, photo.name) }
        selection = gtk_single_selection_new(names)
        let scroller = gtk_scrolled_window_new()
        widget = OpaquePointer(scroller!)
        let factory = ImageListFactory(
            // Without a size, thumbnails are decoded at the size of the cells in device pixels.
            request: { ImageListRequest(photos[$0].url) },
            make: { PhotoCell() },
            bind: { [cells] cell, position in
                cell.name = photos[position].name
                cells.byPosition = cells.byPosition.filter { $0.value !== cell }
                cells.byPosition[position] = cell
            })
        let view = gtk_grid_view_new(selection, factory.retainedFactory())
        grid = OpaquePointer(view!)
        frames = GTKDisplayLink(grid)
        gtk_grid_view_set_max_columns(grid, 12)
        gtk_scrolled_window_set_policy(widget, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(widget, view)
        Signals.onActivate(grid, opened)
    }

    /// Selects a photo and moves the focus to it, so that the arrow keys continue there.
    func select(_ position: Int) {
        gtk_single_selection_set_selected(selection, guint(position))
        gtk_widget_activate_action_variant(
            gtkCast(grid), "list.scroll-to-item", g_variant_new_uint32(guint32(position)))
        // While the large view is shown, the grid has no layout, and a cell that the scroll makes visible does not exist
        // yet. A focus on the grid itself would be lost, and the first arrow key would only move the focus into the grid.
        frames.start { [weak self] _ in self?.focus(position) }
    }

    /// Leaves the focus where it is, if the cell of the selected photo does not have it yet.
    func stopSelecting() { frames.stop() }

    private func focus(_ position: Int) {
        guard gtk_widget_get_mapped(gtkCast(grid)) != 0, let cell = cells.byPosition[position],
            let item = gtk_widget_get_parent(gtkCast(cell.widget)), gtk_widget_get_mapped(item) != 0
        else { return }
        frames.stop()
        gtk_widget_grab_focus(item)
    }

    /// Whether the cell of a photo has the focus.
    func hasFocus(_ position: Int) -> Bool {
        guard let cell = cells.byPosition[position], let item = gtk_widget_get_parent(gtkCast(cell.widget)) else {
            return false
        }
        return gtk_widget_is_focus(item) != 0
    }

    /// The cells by the positions that they show.
    @MainActor private final class Cells {
        var byPosition: [Int: PhotoCell] = [:]
    }
}

/// The thumbnail and the name of one photo.
@MainActor final class PhotoCell: ImageListRow {
    let widget: OpaquePointer
    let imageView = ImageView()
    private let label = gtk_label_new(nil)

    init() {
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
        widget = OpaquePointer(box!)
        for set in [
            gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start,
            gtk_widget_set_margin_end,
        ] { set(box, 8) }
        // A picture alone would request the height of its photo at the width of the cell. An overlay has the size of its
        // main child, here of an empty box, so every photo has the same square, for which its thumbnail is decoded.
        let square = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_widget_set_size_request(square, gint(PhotoGrid.side), gint(PhotoGrid.side))
        let overlay = gtk_overlay_new()
        gtk_widget_set_halign(overlay, GTK_ALIGN_CENTER)
        gtk_overlay_set_child(OpaquePointer(overlay), square)
        gtk_overlay_add_overlay(OpaquePointer(overlay), imageView.gtkWidget())
        imageView.cornerRadius = 6
        imageView.errorImage = Artwork.broken
        imageView.imageTransition = .fade
        gtk_label_set_ellipsize(OpaquePointer(label), PANGO_ELLIPSIZE_MIDDLE)
        gtk_label_set_max_width_chars(OpaquePointer(label), 18)
        gtk_box_append(gtkCast(box), overlay)
        gtk_box_append(gtkCast(box), label)
    }

    var name = "" {
        didSet {
            gtk_label_set_text(OpaquePointer(label), name)
            imageView.alternativeText = name
        }
    }
}

/// The picture for a photo that cannot be shown. Its colours fit the light and the dark theme.
@MainActor enum Artwork {
    static let broken: Image? = {
        var format = GraphicsImageRendererFormat()
        format.scale = 2
        let side = Double(PhotoGrid.side)
        return GraphicsImageRenderer(size: CGSize(width: side, height: side), format: format).image { context in
            context.fillColor = ImageColor(red: 0.5, green: 0.5, blue: 0.5, alpha: 0.18)
            context.fill(CGRect(x: 0, y: 0, width: side, height: side))
            var cross = GraphicsPath()
            for (start, end) in [((0.38, 0.38), (0.62, 0.62)), ((0.62, 0.38), (0.38, 0.62))] {
                cross.move(to: CGPoint(x: start.0 * side, y: start.1 * side))
                cross.addLine(to: CGPoint(x: end.0 * side, y: end.1 * side))
            }
            context.strokeColor = ImageColor(red: 0.85, green: 0.3, blue: 0.3, alpha: 1)
            context.lineWidth = 6
            context.lineCap = .round
            context.stroke(cross)
        }
    }()
}
