/// The selected row of a list and the row from which the arrow keys move; a pure value.
struct ListSelection: Sendable {
    /// Whether rows can be selected.
    var isOn = false { didSet { if !isOn { selected = nil } } }
    /// The selected row; nil for none.
    private(set) var selected: Int?
    /// The row that has the focus, or that receives the focus when the focus returns to the list.
    private(set) var cursor: Int?

    /// The row to which a key moves the cursor.
    enum Step: Sendable {
        case previous, next, first, last
        /// A given row, for example one screen away.
        case to(Int)
    }

    /// Moves the cursor. If rows can be selected, also moves the selection. Returns the new row; nil if there are no
    /// rows. Without a cursor, `.previous` and `.next` move to `start`.
    mutating func move(_ step: Step, count: Int, from start: Int) -> Int? {
        guard count > 0 else { return nil }
        let target =
            switch step {
            case .previous: cursor.map { $0 - 1 } ?? start
            case .next: cursor.map { $0 + 1 } ?? start
            case .first: 0
            case .last: count - 1
            case .to(let row): row
            }
        let row = min(max(target, 0), count - 1)
        cursor = row
        if isOn { selected = row }
        return row
    }

    /// Selects `row` and moves the cursor to it. nil clears the selection and leaves the cursor unchanged. If rows
    /// cannot be selected, only the cursor changes.
    mutating func select(_ row: Int?) {
        if let row { cursor = row }
        if isOn { selected = row }
    }

    /// Moves selection and cursor to the new positions of their rows. `positions` maps each old position to the new
    /// position. It returns nil if the row was removed.
    mutating func follow(_ positions: (Int) -> Int?) {
        selected = selected.flatMap(positions)
        cursor = cursor.flatMap(positions)
    }
}
