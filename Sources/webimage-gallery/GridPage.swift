import CWebImageGTK
import WebImage
import WebImageGTK

/// A grid of recycled cards. It shows the items that match the filter.
@MainActor final class GridPage {
    let scroller: UnsafeMutablePointer<GtkWidget>
    /// The closure that opens an item in the large view. Receives the index of the item in `model.shown`.
    var opened: (@MainActor (Int) -> Void)?
    private let model: GalleryModel
    private let names = gtk_string_list_new(nil)
    private var cards: [OpaquePointer: Card] = [:]

    init(_ model: GalleryModel, _ layout: GalleryLayout) {
        self.model = model
        scroller = gtk_scrolled_window_new()
        gtk_scrolled_window_set_policy(OpaquePointer(scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        let selection = gtk_single_selection_new(names)
        gtk_single_selection_set_autoselect(selection, 0)
        let grid = gtk_grid_view_new(selection, makeFactory())!
        gtk_widget_add_css_class(grid, "gallery")
        gtk_grid_view_set_min_columns(OpaquePointer(grid), guint(layout.fixedColumns ?? 1))
        gtk_grid_view_set_max_columns(OpaquePointer(grid), guint(layout.fixedColumns ?? 12))
        gtk_scrolled_window_set_child(OpaquePointer(scroller), grid)
        Signal.connect(OpaquePointer(grid), "activate") { [weak self] _ in
            let position = gtk_single_selection_get_selected(selection)
            if position != guint.max { self?.opened?(Int(position)) }
        }
        refresh()
    }

    /// Shows the model's current items.
    func refresh() {
        let old = g_list_model_get_n_items(names)
        gtk_string_list_splice(names, 0, old, nil)
        for index in model.shown { gtk_string_list_append(names, model.items[index].caption) }
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
        guard let item = model[Int(gtk_list_item_get_position(listItem))], let card = cards[listItem] else { return }
        card.show(item) { [model] state in model.note(state, of: item) }
    }
}
