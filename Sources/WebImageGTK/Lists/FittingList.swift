import CWebImageGTK
import WebImageCore

/// A list whose rows take their pictures' proportions while the user scrolls, and whose view never jumps.
///
/// Put its widget into a `GtkScrolledWindow`. Rows are recycled; a million of them cost 12 bytes each. What changes
/// above the first row in sight moves the beginning of the scroll axis (the adjustment's `lower`, which is not always 0)
/// and never the value, so that drags, flings and animations, which set values computed from where they began, go on
/// unharmed. Rows load like those of ``ImageListFactory``. Main actor only.
@MainActor public final class FittingList {
    /// The direction in which the rows follow each other.
    public enum Direction: Sendable {
        /// Down; rows are as wide as the list and as high as they want.
        case vertical
        /// Sideways; rows are as high as the list and as wide as they want.
        case horizontal
    }

    /// The `GtkWidget`, a `GtkScrollable`.
    public let widget: OpaquePointer
    let core: FittingListCore

    /// A list of rows made and filled by closures, which are called on the main actor.
    /// - Parameters:
    ///   - count: how many rows there are.
    ///   - spacing: pixels between rows.
    ///   - defaultExtent: the pixels a row that was never seen counts for along the list.
    ///   - policy: how far ahead pictures are loaded.
    ///   - request: the picture of a position; also asked for positions that come soon. Nil is a row without one.
    ///   - make: makes a row's widgets.
    ///   - bind: fills everything but the picture.
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

    /// A list of rows that are a picture and nothing else.
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

    /// How many rows there are.
    public var count: Int { core.layout.count }

    /// The widgets that show a position now; nil for one that is not near.
    public func row(at position: Int) -> (any ImageListRow)? { core.bound[position]?.row }

    /// The positions of which a pixel can be seen.
    public var visiblePositions: Range<Int> {
        guard let adjustment = core.adjustment else { return 0..<0 }
        let value = gtk_adjustment_get_value(adjustment)
        return core.layout.rows(from: value, to: value + gtk_adjustment_get_page_size(adjustment))
    }

    /// Asks for every row anew, and takes another number of them.
    public func reload(count: Int) { core.reload(count: max(count, 0)) }

    /// Takes note that rows were put in before a position; what is looked at stays where it is.
    public func insertRows(_ count: Int, at position: Int) {
        precondition(count >= 0 && (0...self.count).contains(position), "no such position")
        core.insert(count, at: position)
    }

    /// Takes note that rows were taken out; what is looked at stays where it is.
    public func removeRows(_ positions: Range<Int>) {
        precondition(positions.clamped(to: 0..<count) == positions, "no such rows")
        core.remove(positions)
    }

    /// Brings a row to the beginning of what is seen.
    public func scroll(to position: Int) {
        guard let adjustment = core.adjustment, (0..<count).contains(position) else { return }
        gtk_adjustment_set_value(adjustment, Double(core.layout.start(of: position)))
    }
}
