import CWebImageGTK
import WebImageCore

/// A list whose rows change to the proportions of their images, even while the user scrolls. Visible rows never jump; a list
/// that is at its beginning stays there.
///
/// Put ``widget`` into a `GtkScrolledWindow`. Only the rows near the viewport have widgets, and these widgets are
/// reused. In addition, the list needs 12 bytes for each row.
///
/// When the extent of a row above the visible rows changes, the beginning of the scroll axis moves. The beginning is
/// the adjustment's `lower`, which is not always 0. The scroll value does not change. Drags, flings and animations
/// therefore continue undisturbed, because they compute each scroll value from the value at their start. Images are
/// loaded as in ``ImageListFactory``. Main actor only.
@MainActor public final class FittingList {
    /// The direction in which rows follow each other.
    public enum Direction: Sendable {
        /// Rows follow each other downwards. They are as wide as the list and have their natural height.
        case vertical
        /// Rows follow each other sideways, from right to left if the widget's text direction is right to left. They are
        /// as high as the list and have their natural width.
        case horizontal
    }

    /// The `GtkWidget`, a `GtkScrollable`. It is valid as long as this object exists, and afterwards until the main loop
    /// has run once more.
    public let widget: OpaquePointer
    let core: FittingListCore

    /// Makes a list whose rows are made and filled by closures. The closures run on the main actor.
    /// - Parameters:
    ///   - count: the number of rows.
    ///   - spacing: pixels between rows, 0…32,767.
    ///   - defaultExtent: the extent along the list, in pixels, that is assumed for a row until it is measured;
    ///     1…32,767.
    ///   - policy: how far ahead images are loaded.
    ///   - request: returns the image of a position. It is called for visible positions and for positions that become
    ///     visible soon. Nil means a row without an image.
    ///   - make: makes the widgets of a row.
    ///   - bind: fills the widgets of a row for a position, except the image.
    public convenience init<Row: ImageListRow>(
        _ direction: Direction = .vertical, count: Int, spacing: Int = 0, defaultExtent: Int = 200,
        policy: ScrollPrefetchPolicy = ScrollPrefetchPolicy(),
        request: @escaping @MainActor (_ position: Int) -> ImageListRequest?,
        make: @escaping @MainActor () -> Row,
        bind: @escaping @MainActor (_ row: Row, _ position: Int) -> Void = { _, _ in }
    ) {
        self.init(
            direction, count: count, spacing: spacing, defaultExtent: defaultExtent, policy: policy, row: Row.self,
            request: request, make: make, bind: bind)
    }

    /// Makes a list whose rows are views without other widgets. This initialiser has the same parameters as the general
    /// one; because of it, Swift knows the type of the view also in closures of several lines.
    public convenience init(
        _ direction: Direction = .vertical, count: Int, spacing: Int = 0, defaultExtent: Int = 200,
        policy: ScrollPrefetchPolicy = ScrollPrefetchPolicy(),
        request: @escaping @MainActor (_ position: Int) -> ImageListRequest?,
        make: @escaping @MainActor () -> FittingImageView,
        bind: @escaping @MainActor (_ view: FittingImageView, _ position: Int) -> Void = { _, _ in }
    ) {
        self.init(
            direction, count: count, spacing: spacing, defaultExtent: defaultExtent, policy: policy,
            row: FittingImageView.self, request: request, make: make, bind: bind)
    }

    private init<Row: ImageListRow>(
        _ direction: Direction, count: Int, spacing: Int, defaultExtent: Int, policy: ScrollPrefetchPolicy,
        row: Row.Type, request: @escaping @MainActor (_ position: Int) -> ImageListRequest?,
        make: @escaping @MainActor () -> Row, bind: @escaping @MainActor (_ row: Row, _ position: Int) -> Void
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

    /// Makes a list whose rows show an image and nothing else.
    public convenience init(
        _ direction: Direction = .vertical, count: Int, spacing: Int = 0, defaultExtent: Int = 200,
        request: @escaping @MainActor (_ position: Int) -> ImageListRequest?
    ) {
        self.init(
            direction, count: count, spacing: spacing, defaultExtent: defaultExtent, request: request,
            make: { FittingImageView(direction == .vertical ? .heightForWidth : .widthForHeight) })
    }

    isolated deinit { DeferredRelease.release(widget, "GtkWidget") }

    /// The number of rows.
    public var count: Int { core.layout.count }

    /// Returns the widgets that show a position now; nil for a position that is more than half a screen outside the
    /// viewport.
    public func row(at position: Int) -> (any ImageListRow)? { core.bound[position]?.row }

    /// The positions with at least one visible pixel.
    public var visiblePositions: Range<Int> {
        guard let adjustment = core.adjustment else { return 0..<0 }
        let value = core.value
        return core.layout.rows(from: value, to: value + gtk_adjustment_get_page_size(adjustment))
    }

    /// Sets the number of rows and requests the content of every row again.
    public func reload(count: Int) { core.reload(count: max(count, 0)) }

    /// Updates the list after rows were inserted before a position; visible rows stay in place.
    public func insertRows(_ count: Int, at position: Int) {
        precondition(count >= 0 && (0...self.count).contains(position), "negative count, or position outside the list")
        core.insert(count, at: position)
    }

    /// Updates the list after rows were removed; visible rows stay in place.
    public func removeRows(_ positions: Range<Int>) {
        precondition(positions.clamped(to: 0..<count) == positions, "positions outside the list")
        core.remove(positions)
    }

    /// Whether the list stays at its end, as the list of a chat does; false by default. While the end is visible, it
    /// remains visible when rows are added there, when pictures change the heights of rows, and when the list is resized.
    /// When the user scrolls back, the visible rows stay in place, until the user returns to the end. Setting this to true
    /// scrolls to the end.
    public var staysAtEnd: Bool {
        get { core.staysAtEnd }
        set { core.staysAtEnd = newValue }
    }

    /// Scrolls a row to the beginning of the viewport.
    public func scroll(to position: Int) {
        if (0..<count).contains(position) { core.scroll(to: Double(core.layout.start(of: position))) }
    }
}
