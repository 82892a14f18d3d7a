/// The offset of each row of a list on the scroll axis; a pure value. The offsets change when the extents of rows
/// become known.
///
/// The anchor is a visible row that must stay in place. A change above the anchor therefore moves the beginning of the
/// list and does not change the scroll value. Drags and flings set absolute scroll values, which they compute from the
/// value at their start. If the list corrected the scroll value, the next value of a drag would undo the correction,
/// and the list would jump. Therefore the list can begin at any offset, not only at 0.
struct FittingLayout: Sendable {
    private(set) var extents: RowExtents
    /// The offset where the first row begins on the scroll axis.
    private(set) var origin = 0

    init(count: Int, extent: Int) { extents = RowExtents(repeating: extent, count: count) }

    var count: Int { extents.count }
    /// The offset where the last row ends.
    var end: Int { origin + extents.total }

    /// Returns the offset where a row begins on the scroll axis.
    func start(of row: Int) -> Int { origin + extents.start(of: row) }

    /// Returns the rows that have at least one pixel between two offsets of the scroll axis.
    func rows(from start: Double, to end: Double) -> Range<Int> {
        let (first, last) = (Int(start.rounded(.down)), Int(end.rounded(.up)) - 1)
        guard count > 0, last >= origin, first < self.end, last >= first else { return 0..<0 }
        return extents.row(at: first - origin)..<extents.row(at: last - origin) + 1
    }

    /// Returns the row that stays in place while other rows change.
    ///
    /// At the beginning of the list it is row 0, so that the first row is shown from its top, whichever image arrives first.
    /// Browsers do not anchor a page there either. Elsewhere:
    /// A row is settled after it was measured with the proportions of its image. The previous anchor stays the anchor
    /// as long as it is settled and fully visible. Otherwise the anchor is the first row that is settled and fully
    /// visible. The rows above this row then grow upwards, out of the viewport. Without such a row, the order of
    /// preference is: the first settled row that begins in the viewport, the first row that begins in the viewport, the
    /// first visible row, row 0.
    func anchor(value: Double, page: Double, previous: Int?, isSettled: (Int) -> Bool) -> Int {
        // Rows are placed at whole pixels. Without this rounding, a row that is drawn completely could count as cut.
        let value = value.rounded()
        guard value > Double(origin) else { return 0 }
        func isWhole(_ row: Int) -> Bool {
            Double(start(of: row)) >= value && Double(start(of: row) + extents[row]) <= value + page
        }
        if let previous, previous < count, isWhole(previous), isSettled(previous) { return previous }
        let sight = rows(from: value, to: value + page)
        return sight.first { isWhole($0) && isSettled($0) }
            ?? sight.first { Double(start(of: $0)) >= value && isSettled($0) }
            ?? sight.first { Double(start(of: $0)) >= value }
            ?? sight.first ?? 0
    }

    /// Sets a row's extent without moving `anchor`.
    mutating func setExtent(_ extent: Int, of row: Int, keeping anchor: Int) {
        let before = extents[row]
        extents[row] = extent
        if row < anchor { origin -= extents[row] - before }
    }

    /// Changes every extent without moving the beginning of `anchor`.
    mutating func changeAll(keeping anchor: Int, _ body: (Int) -> Int) {
        let place = start(of: min(anchor, count))
        extents.change(body)
        origin = place - extents.start(of: min(anchor, count))
    }

    /// Inserts rows before `row` without moving `anchor`. Rows that are inserted above the anchor move the beginning of
    /// the list.
    mutating func insert(_ count: Int, extent: Int, at row: Int, keeping anchor: Int) {
        let before = extents.total
        let moves = row <= anchor && self.count > 0
        extents.insert(extent, count: count, at: row)
        if moves { origin -= extents.total - before }
    }

    /// Removes rows. Removing rows above `anchor` moves the beginning of the list, so that the rows after the removed
    /// rows stay in place.
    mutating func remove(_ rows: Range<Int>, keeping anchor: Int) {
        let above = rows.clamped(to: 0..<min(max(anchor, 0), count))
        origin += extents.start(of: above.upperBound) - extents.start(of: above.lowerBound)
        extents.remove(rows)
    }
}
