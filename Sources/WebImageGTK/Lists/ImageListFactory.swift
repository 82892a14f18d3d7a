import CWebImageGTK
import WebImageCore

/// A factory of rows with images for `GtkListView`, `GtkGridView` and the columns of a `GtkColumnView`.
///
/// A bound row shows its image immediately if the image is in memory. Other images are loaded by visibility, because
/// GTK binds many more rows than are visible. The images of visible rows are loaded first. The images of the next rows
/// in the scroll direction are loaded afterwards, even if these rows have no widgets yet. If a row scrolls away, its
/// load is cancelled. Use one factory for only one list. A factory uses no CPU while the list does not move. Main actor
/// only.
@MainActor public final class ImageListFactory {
    /// The `GtkListItemFactory`. A list retains its `GtkListItemFactory`, also after this object is released. The
    /// pointer is valid as long as this object exists, and afterwards until the main loop has run once more.
    public let factory: OpaquePointer

    /// Makes a factory whose rows are made and filled by closures. The closures run on the main actor.
    /// - Parameters:
    ///   - policy: how far ahead images are loaded.
    ///   - request: returns the image of a position. It is called for visible positions and for positions that become
    ///     visible soon. Nil means a row without an image.
    ///   - make: makes the widgets of a row.
    ///   - bind: fills the widgets of a row for a position, except the image.
    public convenience init<Row: ImageListRow>(
        policy: ScrollPrefetchPolicy = ScrollPrefetchPolicy(),
        request: @escaping @MainActor (_ position: Int) -> ImageListRequest?,
        make: @escaping @MainActor () -> Row,
        bind: @escaping @MainActor (_ row: Row, _ position: Int) -> Void = { _, _ in }
    ) {
        self.init(policy: policy, request: request, row: Row.self, make: make, bind: bind)
    }

    private init<Row: ImageListRow>(
        policy: ScrollPrefetchPolicy, request: @escaping @MainActor (_ position: Int) -> ImageListRequest?,
        row: Row.Type, make: @escaping @MainActor () -> Row,
        bind: @escaping @MainActor (_ row: Row, _ position: Int) -> Void
    ) {
        MainLoop.attach()
        guard let factory = gtk_signal_list_item_factory_new() else { preconditionFailure("GLib is out of memory") }
        self.factory = factory
        let wiring = FactoryWiring(
            ListLoader(policy: policy, request: request), make: make,
            bind: { row, position in if let row = row as? Row { bind(row, position) } })
        wiring.connect(to: self.factory)
        HandleLedger.opened("list factory")
    }

    /// Makes a factory whose rows are views without other widgets. This initialiser has the same parameters as the
    /// general one; because of it, Swift knows the type of the view also in closures of several lines.
    public convenience init(
        policy: ScrollPrefetchPolicy = ScrollPrefetchPolicy(),
        request: @escaping @MainActor (_ position: Int) -> ImageListRequest?,
        make: @escaping @MainActor () -> ImageView,
        bind: @escaping @MainActor (_ view: ImageView, _ position: Int) -> Void = { _, _ in }
    ) {
        self.init(policy: policy, request: request, row: ImageView.self, make: make, bind: bind)
    }

    /// Makes a factory whose rows show an image and nothing else.
    public convenience init(request: @escaping @MainActor (_ position: Int) -> ImageListRequest?) {
        self.init(request: request, make: { ImageView() })
    }

    /// Returns the factory with an additional reference, for functions that take ownership such as `gtk_list_view_new`.
    public func retainedFactory() -> OpaquePointer {
        g_object_ref(UnsafeMutableRawPointer(factory))
        return factory
    }

    isolated deinit { DeferredRelease.release(factory, "list factory") }
}

/// Handles the signals of a factory; exists as long as the factory.
@MainActor private final class FactoryWiring {
    private let loader: ListLoader
    private let make: @MainActor () -> any ImageListRow
    private let bind: @MainActor (any ImageListRow, Int) -> Void
    /// All rows. The key of a row is its `GtkListItem`.
    private var rows: [OpaquePointer: RowLoad] = [:]
    private var bound: [OpaquePointer: RowLoad] = [:]
    private var viewport: ListViewport?
    /// The number of consecutive checks that found no visible row.
    private var blindChecks = 0
    /// Waits for the first frame of a row; the list can then be found from the row.
    private var search: (row: OpaquePointer, link: GTKDisplayLink)?

    init(
        _ loader: ListLoader, make: @escaping @MainActor () -> any ImageListRow,
        bind: @escaping @MainActor (any ImageListRow, Int) -> Void
    ) {
        self.loader = loader
        self.make = make
        self.bind = bind
    }

    /// Connects the signals of the factory. The signal connections keep this object alive.
    func connect(to factory: OpaquePointer) {
        Signal.connect(factory, "setup") { item in if let item { self.setUp(item) } }
        Signal.connect(factory, "bind") { item in if let item { self.bind(item) } }
        Signal.connect(factory, "unbind") { item in if let item { self.unbind(item) } }
        Signal.connect(factory, "teardown") { item in if let item { self.tearDown(item) } }
    }

    private func setUp(_ item: OpaquePointer) {
        let row = make()
        rows[item] = RowLoad(row)
        gtk_list_item_set_child(item, UnsafeMutablePointer(row.widget))
    }

    private func bind(_ item: OpaquePointer) {
        guard let load = rows[item] else { return }
        bound[item] = load
        let position = Int(gtk_list_item_get_position(item))
        bind(load.row, position)
        loader.bind(load, at: position)
        scheduleCheck(load.row.widget)
    }

    private func unbind(_ item: OpaquePointer) {
        bound[item] = nil
        guard let load = rows[item] else { return }
        loader.unbind(load, mayReturn: true)
        // If rows were removed from the model, loads of their positions must end.
        viewport?.scheduleCheck()
    }

    private func tearDown(_ item: OpaquePointer) {
        unbind(item)
        if let load = rows[item] { loader.unbind(load) }
        if search?.row == rows[item]?.row.widget { endSearch() }
        rows[item] = nil
        gtk_list_item_set_child(item, nil)
        if rows.isEmpty {
            viewport = nil
            loader.end()
        } else if let next = bound.first?.value {
            scheduleCheck(next.row.widget)
        }
    }

    private func scheduleCheck(_ widget: OpaquePointer) {
        if let viewport { return viewport.scheduleCheck() }
        guard search == nil else { return }
        // When a row is bound, its widget may not be in a list yet. When the first frame of the widget begins, the
        // widget is in the list.
        let link = GTKDisplayLink(widget)
        search = (widget, link)
        link.start { [weak self] _ in self?.findList() }
    }

    private func endSearch() {
        search?.link.stop()
        search = nil
    }

    private func findList() {
        endSearch()
        for load in bound.values where viewport == nil {
            viewport = ListViewport(around: load.row.widget) { [weak self] in self?.check() }
        }
        viewport?.scheduleCheck()
    }

    private func check() {
        guard let viewport else { return }
        var placed: [PlacedRow] = []
        placed.reserveCapacity(bound.count)
        for (item, load) in bound {
            // When rows are inserted or removed above, GTK 4.8 binds the rows again. Later versions may only change the
            // positions.
            let position = Int(gtk_list_item_get_position(item))
            if load.position != position { loader.move(load, to: position) }
            placed.append(PlacedRow(position: position, widget: load.row.widget))
        }
        let visible = viewport.visible(PlacedRow.inOrder(placed))
        // After a jump, GTK may need several frames to lay out the rows, so check again in the next frame. The limit is
        // ten checks, so that a list without visible rows does not cause endless checks.
        blindChecks = visible.isEmpty && !bound.isEmpty ? blindChecks + 1 : 0
        if (1...10).contains(blindChecks) {
            viewport.repeatScroll()
            return viewport.scheduleCheck()
        }
        loader.update(visible: visible, count: viewport.count)
        if loader.isRacing { viewport.scheduleCheck() }
    }
}
