import CWebImageGTK
import WebImageCore

/// A list whose rows take their images' proportions during scrolling, without moving what the user looks at.
///
/// Put its widget into a `GtkScrolledWindow`. Rows are recycled; a list of a million rows takes 12 bytes for each. A
/// change above the first visible row moves the start of the scroll axis (the adjustment's `lower`, which can differ
/// from 0) and never the value, so that running drags, flings and animations continue: they set values computed from
/// their start. Rows load as those of ``ImageListFactory`` do. Main actor only.
@MainActor public final class FittingList {
    /// The direction of the list.
    public enum Direction: Sendable {
        /// Rows are stacked downwards. They are as wide as the list and have their natural height.
        case vertical
        /// Rows are placed side by side. They are as high as the list and have their natural width.
        case horizontal
    }

    /// The `GtkWidget`, a `GtkScrollable`.
    public let widget: OpaquePointer
    let core: FittingListCore

    /// Makes a list whose rows are created and filled by closures, which run on the main actor.
    /// - Parameters:
    ///   - count: the number of rows.
    ///   - spacing: pixels between rows.
    ///   - defaultExtent: the assumed extent of a row that was never shown, in pixels along the list.
    ///   - policy: how many screens ahead images are loaded.
    ///   - request: returns the image of a position; also called for positions that become visible soon. Nil is a row
    ///     without an image.
    ///   - make: creates a row's widgets.
    ///   - bind: fills the row, except for the image.
    public init<Row: ImageListRow>(
        _ direction: Direction = .vertical, count: Int, spacing: Int = 0, defaultExtent: Int = 200,
        policy: ScrollPrefetchPolicy = ScrollPrefetchPolicy(),
        request: @escaping @MainActor (_ position: Int) -> ImageListRequest?,
        make: @escaping @MainActor () -> Row,
        bind: @escaping @MainActor (_ row: Row, _ position: Int) -> Void = { _, _ in }
    ) {
        MainLoop.attach()
        core = FittingListCore(
            isVertical: direction == .vertical, count: count, spacing: spacing, defaultExtent: defaultExtent,
            loader: ListLoader(policy: policy, request: request), make: make,
            bind: { row, position in if let row = row as? Row { bind(row, position) } })
        widget = core.makeArea()
        g_object_ref_sink(UnsafeMutableRawPointer(widget))
        HandleLedger.opened("GtkWidget")
    }

    /// Makes a list whose rows consist of an image only.
    public convenience init(
        _ direction: Direction = .vertical, count: Int, spacing: Int = 0, defaultExtent: Int = 200,
        request: @escaping @MainActor (_ position: Int) -> ImageListRequest?
    ) {
        self.init(
            direction, count: count, spacing: spacing, defaultExtent: defaultExtent, request: request,
            make: { FittingImageView(direction == .vertical ? .heightForWidth : .widthForHeight) })
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(widget))
        HandleLedger.closed("GtkWidget")
    }

    /// The number of rows.
    public var count: Int { core.layout.count }

    /// Returns the row that shows a position; nil if the position is not near the visible ones.
    public func row(at position: Int) -> (any ImageListRow)? { core.bound[position]?.row }

    /// The positions with at least one visible pixel.
    public var visiblePositions: Range<Int> {
        guard let adjustment = core.adjustment else { return 0..<0 }
        let value = gtk_adjustment_get_value(adjustment)
        return core.layout.rows(from: value, to: value + gtk_adjustment_get_page_size(adjustment))
    }

    /// Sets the number of rows and binds every row again.
    public func reload(count: Int) { core.reload(count: max(count, 0)) }

    /// Tells the list that rows were inserted before a position. Visible rows do not move.
    public func insertRows(_ count: Int, at position: Int) {
        precondition(count >= 0 && (0...self.count).contains(position), "no such position")
        core.insert(count, at: position)
    }

    /// Tells the list that rows were removed. Visible rows do not move.
    public func removeRows(_ positions: Range<Int>) {
        precondition(positions.clamped(to: 0..<count) == positions, "no such rows")
        core.remove(positions)
    }

    /// Scrolls a row to the start of the visible area.
    public func scroll(to position: Int) {
        guard let adjustment = core.adjustment, (0..<count).contains(position) else { return }
        gtk_adjustment_set_value(adjustment, Double(core.layout.start(of: position)))
    }
}
