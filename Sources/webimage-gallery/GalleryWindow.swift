import CWebImageGTK
import CWebImageGalleryShim
import Foundation
import WebImage
import WebImageGTK

/// The window of the gallery. It contains a header with a search field, the grid page, the list page, the large view
/// and the panel.
@MainActor final class GalleryWindow {
    let widget: UnsafeMutablePointer<GtkWidget>
    let model: GalleryModel
    private let grid: GridPage
    let list: ListPage
    private let viewer: Viewer
    private let panel: LivePanel
    private let stack = gallery_stack_new()
    /// A stack with three children: a child that contains the grid page and the list page, the large view, and the page
    /// of an empty gallery. The stack shows one child at a time.
    private let root = OpaquePointer(gtk_stack_new()!)
    private let flap: OpaquePointer
    private let toasts: OpaquePointer
    private let search = OpaquePointer(gtk_search_entry_new()!)
    private let back = gtk_button_new_from_icon_name("go-previous-symbolic")!

    init(_ arguments: GalleryArguments, application: UnsafeMutablePointer<GtkApplication>, figures: Figures) {
        Style.install()
        gallery_set_dark(arguments.isDark)
        let layout = GalleryLayout(arguments)
        model = GalleryModel(arguments.urls)
        grid = GridPage(model, layout)
        list = ListPage(model)
        viewer = Viewer(model)
        panel = LivePanel(figures)
        flap = gallery_flap_new(root, OpaquePointer(panel.root))
        toasts = gallery_toasts_new(flap)
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!
        widget = UnsafeMutablePointer(gallery_window_new(OpaquePointer(application), OpaquePointer(box)))
        let header = gallery_header_new(gallery_switcher_new(stack))
        for child in [header, toasts] {
            gtk_box_append(UnsafeMutablePointer(OpaquePointer(box)), UnsafeMutablePointer(child))
        }
        gtk_widget_set_vexpand(UnsafeMutablePointer(toasts), 1)
        fill(header)
        addPages(arguments)
        addChoices()
        listen()
        let window = UnsafeMutablePointer<GtkWindow>(OpaquePointer(widget))
        gtk_window_set_title(window, arguments.title)
        gtk_window_set_icon_name(window, "io.github.swift_web_image.Gallery")
        gtk_window_set_default_size(window, gint(layout.width), gint(layout.height + 47))
        // A screenshot can be larger than the screen. GTK limits the default size of a window to the screen, but does
        // not limit a size request.
        if arguments.screenshot != nil {
            gtk_widget_set_size_request(grid.scroller, gint(layout.width), gint(layout.height))
        }
        show(arguments.page)
        if arguments.showsPanel { togglePanel() }
    }

    private func fill(_ header: OpaquePointer) {
        gtk_widget_set_size_request(UnsafeMutablePointer(search), 220, -1)
        gtk_widget_set_tooltip_text(
            UnsafeMutablePointer(search), "Type to filter, or enter a URL to add a picture (Ctrl+F)")
        gtk_widget_set_tooltip_text(back, "Back to all pictures (Esc)")
        gtk_widget_set_visible(back, 0)
        gallery_header_pack(header, OpaquePointer(back), false)
        gallery_header_pack(header, search, false)
        let open = gtk_button_new_from_icon_name("document-open-symbolic")!
        gtk_widget_set_tooltip_text(open, "Open a text file of URLs (Ctrl+O)")
        let toggle = gtk_button_new_from_icon_name("open-menu-symbolic")!
        gtk_widget_set_tooltip_text(toggle, "Figures and choices (F9)")
        gallery_header_pack(header, OpaquePointer(toggle), true)
        gallery_header_pack(header, OpaquePointer(open), true)
        Signal.connect(OpaquePointer(back), "clicked") { [weak self] _ in self?.closeViewer() }
        Signal.connect(OpaquePointer(toggle), "clicked") { [weak self] _ in self?.togglePanel() }
        Signal.connect(OpaquePointer(open), "clicked") { [weak self] _ in self?.chooseFile() }
    }

    private func addPages(_ arguments: GalleryArguments) {
        gallery_stack_add(stack, OpaquePointer(grid.scroller), "grid", "Grid", "view-grid-symbolic")
        gallery_stack_add(stack, OpaquePointer(list.scroller), "list", "List", "view-list-symbolic")
        let empty = gallery_status_new(
            "image-x-generic-symbolic", "No Pictures Yet",
            "Type a URL, drop pictures here, or open a text file of URLs.")
        gtk_stack_add_named(root, UnsafeMutablePointer(stack), "browse")
        gtk_stack_add_named(root, viewer.root, "viewer")
        gtk_stack_add_named(root, UnsafeMutablePointer(empty), "empty")
        gtk_stack_set_transition_type(root, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        gtk_stack_set_transition_duration(root, arguments.screenshot == nil ? 150 : 0)
        grid.opened = { [weak self] in self?.openViewer($0) }
        list.opened = { [weak self] in self?.openViewer($0) }
        model.changed = { [weak self] in self?.modelChanged() }
    }

    private func addChoices() {
        addChoice("Transition", Choices.transitions.map(\.name), Choices.transition) { [weak self] in
            Choices.chooseTransition($0)
            self?.reload()
        }
        addChoice("Indicator", Choices.indicators.map(\.name), Choices.indicator) { [weak self] in
            Choices.chooseIndicator($0)
            self?.reload()
        }
        addButton("Clear Memory") { [weak self] in
            ImageCache.shared.clearMemory()
            self?.say("Memory cache is empty")
            self?.reload()
        }
        addButton("Clear Disk") { [weak self] in
            ImageCache.shared.clearMemory()
            Task {
                await ImageCache.shared.clearDisk()
                self?.say("Memory and disk caches are empty")
                self?.reload()
            }
        }
    }

    private func addChoice(
        _ title: String, _ names: [String], _ selected: Int, _ chosen: @escaping @MainActor (Int) -> Void
    ) {
        let words = gtk_string_list_new(nil)
        for name in names { gtk_string_list_append(words, name) }
        let menu = gtk_drop_down_new(words, nil)!
        gtk_drop_down_set_selected(OpaquePointer(menu), guint(selected))
        let label = gtk_label_new(title)!
        gtk_label_set_xalign(OpaquePointer(label), 0)
        gtk_widget_add_css_class(label, "heading")
        panel.append(label)
        panel.append(menu)
        Signal.connect(OpaquePointer(menu), "notify::selected") { _ in
            chosen(Int(gtk_drop_down_get_selected(OpaquePointer(menu))))
        }
    }

    private func addButton(_ title: String, _ clicked: @escaping @MainActor () -> Void) {
        let button = gtk_button_new_with_label(title)!
        Signal.connect(OpaquePointer(button), "clicked") { _ in clicked() }
        panel.append(button)
    }

    // MARK: User input

    private func listen() {
        Signal.connect(search, "search-changed") { [weak self] _ in
            guard let self else { return }
            let text = searchText
            model.filter = text.contains("://") ? "" : text
        }
        Signal.connect(search, "activate") { [weak self] _ in
            guard let self, searchText.contains("://") || searchText.hasPrefix("/") else { return }
            add(searchText)
            gtk_editable_set_text(search, "")
        }
        Events.onDrop(OpaquePointer(widget)) { [weak self] in self?.add($0) }
        Events.onKey(OpaquePointer(widget)) { [weak self] in self?.pressed($0, $1) ?? false }
        Events.onWheel(OpaquePointer(viewer.root)) { [weak self] amount, modifiers in
            guard modifiers & GDK_CONTROL_MASK.rawValue != 0 else { return false }
            self?.viewer.changeZoom(by: amount < 0 ? 1.25 : 0.8)
            return true
        }
    }

    private var searchText: String { gtk_editable_get_text(search).map { String(cString: $0) } ?? "" }

    private func pressed(_ key: UInt32, _ modifiers: UInt32) -> Bool {
        // The zoom keys work with and without Control, as in other viewers.
        if shows(page: "viewer"), zoomed(by: key) { return true }
        if modifiers & GDK_CONTROL_MASK.rawValue != 0 {
            switch Int32(key) {
            case GDK_KEY_f: gtk_widget_grab_focus(UnsafeMutablePointer(search))
            case GDK_KEY_o: chooseFile()
            case GDK_KEY_r: reload()
            case GDK_KEY_1: show("grid")
            case GDK_KEY_2: show("list")
            case GDK_KEY_q, GDK_KEY_w: gtk_window_close(UnsafeMutablePointer(OpaquePointer(widget)))
            default: return false
            }
            return true
        }
        if Int32(key) == GDK_KEY_F9 {
            togglePanel()
            return true
        }
        guard shows(page: "viewer") else { return false }
        switch Int32(key) {
        case GDK_KEY_Escape: closeViewer()
        case GDK_KEY_Left: viewer.step(by: -1)
        case GDK_KEY_Right: viewer.step(by: 1)
        default: return false
        }
        return true
    }

    private func zoomed(by key: UInt32) -> Bool {
        switch Int32(key) {
        case GDK_KEY_plus, GDK_KEY_KP_Add, GDK_KEY_equal: viewer.changeZoom(by: 1.25)
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: viewer.changeZoom(by: 0.8)
        case GDK_KEY_0, GDK_KEY_KP_0: viewer.setZoom(1)
        default: return false
        }
        return true
    }

    /// Adds the pictures whose URLs or paths are in a text. If a path belongs to a text file, adds the pictures that
    /// the text file lists.
    private func add(_ text: String) {
        var urls: [URL] = []
        for url in GalleryModel.urls(in: text) {
            if url.isFileURL, ["txt", "list", "urls"].contains(url.pathExtension.lowercased()) {
                urls += read(url.path)
            } else {
                urls.append(url)
            }
        }
        let count = model.add(urls)
        say(count == 1 ? "One picture added" : count == 0 ? "No new pictures found" : "\(count) pictures added")
    }

    private func chooseFile() {
        Events.chooseFile(OpaquePointer(widget), "A text file of URLs") { [weak self] path in self?.add(path) }
    }

    /// Returns the URLs in a text file. Reads only the complete lines in the first MiB of the file.
    private func read(_ path: String) -> [URL] {
        let limit = 1 << 20
        guard let file = FileHandle(forReadingAtPath: path), var data = try? file.read(upToCount: limit + 1) else {
            return []
        }
        if data.count > limit {
            // Drop the last line, because the limit can be in the middle of the line.
            data = data.prefix(through: data.prefix(limit).lastIndex(of: 0x0A) ?? 0)
        }
        return GalleryModel.urls(in: String(decoding: data, as: UTF8.self))
    }

    // MARK: Pages

    func shows(page: String) -> Bool {
        let shown = gtk_stack_get_visible_child_name(root).map { String(cString: $0) }
        return page == "viewer" ? shown == page : shown != "viewer" && gallery_stack_shows(stack, page)
    }

    private func show(_ page: String) {
        if page == "viewer" { return openViewer(0) }
        gallery_stack_show(stack, page)
        gtk_stack_set_visible_child_name(root, model.items.isEmpty ? "empty" : "browse")
    }

    private func modelChanged() {
        grid.refresh()
        list.refresh()
        if !shows(page: "viewer") {
            gtk_stack_set_visible_child_name(root, model.items.isEmpty ? "empty" : "browse")
        }
    }

    private func reload() {
        if shows(page: "viewer") { viewer.show(viewer.position) }
        grid.refresh()
        list.refresh()
        panel.refresh()
    }

    private func openViewer(_ position: Int) {
        gtk_stack_set_visible_child_name(root, "viewer")
        gtk_widget_set_visible(back, 1)
        viewer.show(position)
    }

    private func closeViewer() {
        viewer.clear()
        gtk_widget_set_visible(back, 0)
        gtk_stack_set_visible_child_name(root, model.items.isEmpty ? "empty" : "browse")
    }

    private func togglePanel() {
        let isShown = !gallery_flap_is_revealed(flap)
        gallery_flap_reveal(flap, isShown)
        panel.isLive = isShown
    }

    private func say(_ text: String) { gallery_toast(toasts, text) }
}
