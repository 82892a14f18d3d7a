/// The positions of a list's rows on the scroll axis while their extents become known: a pure value.
///
/// A change above the anchor moves the start of the list and never the scroll value, so that visible rows do not move.
/// Drags and flings set absolute values, computed from their start: a corrected value would be overwritten by the next
/// one, and the list would jump. The start of the list can therefore be any number.
struct FittingLayout: Sendable {
    private(set) var extents: RowExtents
    /// The position of the first row on the scroll axis.
    private(set) var origin = 0

    init(count: Int, extent: Int) { extents = RowExtents(repeating: extent, count: count) }

    var count: Int { extents.count }
    /// The end of the last row.
    var end: Int { origin + extents.total }

    /// Returns the position of a row on the scroll axis.
    func start(of row: Int) -> Int { origin + extents.start(of: row) }

    /// Returns the rows with at least one pixel between two positions of the scroll axis.
    func rows(from start: Double, to end: Double) -> Range<Int> {
        let (first, last) = (Int(start.rounded(.down)), Int(end.rounded(.up)) - 1)
        guard count > 0, last >= origin, first < self.end, last >= first else { return 0..<0 }
        return extents.row(at: first - origin)..<extents.row(at: last - origin) + 1
    }

    /// Returns the row whose position stays while others change.
    ///
    /// This is the previous anchor while it is completely visible; otherwise the first settled row that is completely
    /// visible, because the rows above it grow upwards, outside the visible area; otherwise the row nearest to that.
    func anchor(value: Double, page: Double, previous: Int?, isSettled: (Int) -> Bool) -> Int {
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

    /// Changes every extent without moving the start of `anchor`.
    mutating func changeAll(keeping anchor: Int, _ body: (Int) -> Int) {
        let place = start(of: min(anchor, count))
        extents.change(body)
        origin = place - extents.start(of: min(anchor, count))
    }

    /// Inserts rows before `row`. `anchor` does not move.
    mutating func insert(_ count: Int, extent: Int, at row: Int, keeping anchor: Int) {
        let before = extents.total
        let moves = row <= anchor && self.count > 0
        extents.insert(extent, count: count, at: row)
        if moves { origin -= extents.total - before }
    }

    /// Removes rows. If they are above `anchor`, the rows below them do not move.
    mutating func remove(_ rows: Range<Int>, keeping anchor: Int) {
        let above = rows.clamped(to: 0..<min(max(anchor, 0), count))
        origin += extents.start(of: above.upperBound) - extents.start(of: above.lowerBound)
        extents.remove(rows)
    }
}
