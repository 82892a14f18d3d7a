// Selecting and activating rows with pointer and keys.
//
// Arrow keys move to the next row, page keys by a screen, Home and End to the ends of the list. The list scrolls until
// the focused row is visible. Return or a double click activates a row.
extension FittingList {
    /// How many rows can be selected.
    public enum SelectionMode: Sendable {
        /// No row: keys and clicks only move the focus.
        case none
        /// One row, which follows the focus.
        case single
    }

    /// Whether rows can be selected; ``SelectionMode/none`` by default.
    public var selectionMode: SelectionMode {
        get { core.selection.isOn ? .single : .none }
        set { core.changeSelection { $0.isOn = newValue == .single } }
    }

    /// The selected row; nil for none. Setting it does not scroll; a position outside the list selects none.
    public var selectedPosition: Int? {
        get { core.selection.selected }
        set { core.changeSelection { $0.select(newValue.flatMap { (0..<count).contains($0) ? $0 : nil }) } }
    }

    /// Called on the main actor after the selection changed, by the user or by the program.
    public var onSelectionChange: (@MainActor (_ position: Int?) -> Void)? {
        get { core.onSelectionChange }
        set { core.onSelectionChange = newValue }
    }

    /// Called on the main actor for a row that was double-clicked (with ``activatesOnSingleClick``: clicked once), or
    /// that has the focus when Return is pressed.
    public var onActivate: (@MainActor (_ position: Int) -> Void)? {
        get { core.onActivate }
        set { core.onActivate = newValue }
    }

    /// Whether one click activates a row; false by default.
    public var activatesOnSingleClick: Bool {
        get { core.activatesOnSingleClick }
        set { core.activatesOnSingleClick = newValue }
    }
}
