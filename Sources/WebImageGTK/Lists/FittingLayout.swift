/// Where the rows of a list stand on its scroll axis while their extents become known: pure arithmetic.
///
/// The rule that keeps what the user looks at still: a change above the anchor moves the beginning of the list, never
/// the scroll value. Drags and flings set absolute values computed from where they began; a list that corrected the value
/// would be set back by the next one, and jump. So the list's beginning is any number, not 0.
struct FittingLayout: Sendable {
    private(set) var extents: RowExtents
    /// Where the first row begins on the scroll axis.
    private(set) var origin = 0

    init(count: Int, extent: Int) { extents = RowExtents(repeating: extent, count: count) }

    var count: Int { extents.count }
    /// Where the last row ends.
    var end: Int { origin + extents.total }

    /// Where a row begins on the scroll axis.
    func start(of row: Int) -> Int { origin + extents.start(of: row) }

    /// The rows that show a pixel between two places of the scroll axis.
    func rows(from start: Double, to end: Double) -> Range<Int> {
        let (first, last) = (Int(start.rounded(.down)), Int(end.rounded(.up)) - 1)
        guard count > 0, last >= origin, first < self.end, last >= first else { return 0..<0 }
        return extents.row(at: first - origin)..<extents.row(at: last - origin) + 1
    }

    /// The row that is to stay where it is while others change.
    ///
    /// The one that was, as long as all of it is in sight; else the first settled one that is wholly in sight, for what
    /// stands above it grows upwards, out of sight; else the nearest to that.
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

    /// Takes note of a row's extent without moving `anchor`.
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

    /// Puts rows before `row` without moving `anchor`, unless they come below it.
    mutating func insert(_ count: Int, extent: Int, at row: Int, keeping anchor: Int) {
        let before = extents.total
        let moves = row <= anchor && self.count > 0
        extents.insert(extent, count: count, at: row)
        if moves { origin -= extents.total - before }
    }

    /// Takes rows out without moving what stands below those above `anchor`.
    mutating func remove(_ rows: Range<Int>, keeping anchor: Int) {
        let above = rows.clamped(to: 0..<min(max(anchor, 0), count))
        origin += extents.start(of: above.upperBound) - extents.start(of: above.lowerBound)
        extents.remove(rows)
    }
}
