/// A bound row of a list.
struct PlacedRow {
    var position: Int
    var widget: OpaquePointer

    /// Returns the rows in the order of their positions.
    ///
    /// A scroll calls this function in each frame, with about 200 rows. Positions are usually consecutive. Therefore
    /// each row is put into the slot of its position instead of being compared with other rows.
    static func inOrder(_ rows: [PlacedRow]) -> [PlacedRow] {
        guard var lowest = rows.first?.position else { return [] }
        var highest = lowest
        for row in rows { (lowest, highest) = (min(lowest, row.position), max(highest, row.position)) }
        let sorted = { rows.sorted { $0.position < $1.position } }
        guard highest - lowest < 4 * rows.count else { return sorted() }
        var places = [OpaquePointer?](repeating: nil, count: highest - lowest + 1)
        for row in rows {
            // While rows are inserted or removed, two rows can have the same position.
            guard places[row.position - lowest] == nil else { return sorted() }
            places[row.position - lowest] = row.widget
        }
        var ordered: [PlacedRow] = []
        ordered.reserveCapacity(rows.count)
        for (place, widget) in places.enumerated() {
            if let widget { ordered.append(PlacedRow(position: lowest + place, widget: widget)) }
        }
        return ordered
    }
}
