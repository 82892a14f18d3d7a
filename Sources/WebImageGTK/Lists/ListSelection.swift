/// Which row of a list is selected, and which one the arrow keys move from: a pure structure.
struct ListSelection: Sendable {
    /// Whether rows can be selected.
    var isOn = false { didSet { if !isOn { selected = nil } } }
    /// The row selected; nil for none.
    private(set) var selected: Int?
    /// The row that has the focus, or has it again when the focus comes back to the list.
    private(set) var cursor: Int?

    /// Where a key leads.
    enum Step: Sendable {
        case previous, next, first, last
        /// To a row found by what is on the page.
        case to(Int)
    }

    /// Moves the cursor, from `start` where it stands nowhere yet, and the selection with it; nil without rows.
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

    /// Selects a row, or none; a list without selection only moves its cursor.
    mutating func select(_ row: Int?) {
        if let row { cursor = row }
        if isOn { selected = row }
    }

    /// Follows its rows to other positions; nil is a row that is gone.
    mutating func follow(_ positions: (Int) -> Int?) {
        selected = selected.flatMap(positions)
        cursor = cursor.flatMap(positions)
    }
}
