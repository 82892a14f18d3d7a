import CGTK
import Foundation
import WebImage
import WebImageGTK

/// The window: a grid that recycles cards over the items.
@MainActor final class GalleryWindow {
    let widget: UnsafeMutablePointer<GtkWidget>
    private(set) var items: [GalleryItem]
    /// The items that a card has shown at least once.
    private(set) var visited: Set<Int> = []
    private var cards: [OpaquePointer: Card] = [:]

    init(_ arguments: GalleryArguments, application: UnsafeMutablePointer<GtkApplication>) {
        items = arguments.urls.map { GalleryItem(url: $0) }
        widget = gtk_application_window_new(application)
        Style.install()
        let layout = GalleryLayout(arguments)
        let window = UnsafeMutablePointer<GtkWindow>(OpaquePointer(widget))
        gtk_window_set_title(window, arguments.title)
        gtk_window_set_default_size(window, gint(layout.width), gint(layout.height))
        let scroller = gtk_scrolled_window_new()!
        gtk_scrolled_window_set_policy(OpaquePointer(scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(OpaquePointer(scroller), makeGrid(layout))
        // A screenshot shows more than a screen holds, which only a size request gets past the window's own limit.
        if arguments.screenshot != nil {
            gtk_widget_set_size_request(scroller, gint(layout.width), gint(layout.height))
        }
        gtk_window_set_child(window, scroller)
    }

    private func makeGrid(_ layout: GalleryLayout) -> UnsafeMutablePointer<GtkWidget> {
        let names = gtk_string_list_new(nil)
        for item in items { gtk_string_list_append(names, item.caption) }
        let grid = gtk_grid_view_new(gtk_no_selection_new(names), makeFactory())!
        gtk_widget_add_css_class(grid, "gallery")
        gtk_grid_view_set_min_columns(OpaquePointer(grid), guint(layout.columns))
        gtk_grid_view_set_max_columns(OpaquePointer(grid), guint(layout.columns))
        return grid
    }

    private func makeFactory() -> OpaquePointer? {
        guard let factory = gtk_signal_list_item_factory_new() else { return nil }
        Signal.connect(factory, "setup") { [weak self] item in item.map { self?.setUp($0) } }
        Signal.connect(factory, "bind") { [weak self] item in item.map { self?.bind($0) } }
        Signal.connect(factory, "unbind") { [weak self] item in item.map { self?.cards[$0]?.clear() } }
        Signal.connect(factory, "teardown") { [weak self] item in item.map { self?.cards[$0] = nil } }
        return factory
    }

    private func setUp(_ listItem: OpaquePointer) {
        let card = Card()
        cards[listItem] = card
        gtk_list_item_set_child(listItem, card.root)
    }

    private func bind(_ listItem: OpaquePointer) {
        let position = Int(gtk_list_item_get_position(listItem))
        guard items.indices.contains(position), let card = cards[listItem] else { return }
        visited.insert(position)
        card.show(items[position]) { [weak self] changed in self?.items[position] = changed }
    }
}
