// The user selects and activates rows with the pointer and with keys.
//
// Arrow keys move the focus by one row, and page keys by one screen. Home and End move the focus to the first and the
// last row. The list scrolls until the focused row is visible. Return or a double click activates a row.
extension FittingList {
    /// The number of rows that can be selected.
    public enum SelectionMode: Sendable {
        /// No row can be selected. Keys and clicks only move the focus.
        case none
        /// One row can be selected. The selection follows the focus.
        case single
    }

    /// Whether rows can be selected; ``SelectionMode/none`` by default.
    public var selectionMode: SelectionMode {
        get { core.selection.isOn ? .single : .none }
        set { core.changeSelection { $0.isOn = newValue == .single } }
    }

    /// The position of the selected row; nil if no row is selected. Setting this property does not scroll the list.
    /// Setting a position outside the list clears the selection.
    public var selectedPosition: Int? {
        get { core.selection.selected }
        set { core.changeSelection { $0.select(newValue.flatMap { (0..<count).contains($0) ? $0 : nil }) } }
    }

    /// Called on the main actor after the selection changed, by the user or by the program.
    public var onSelectionChange: (@MainActor (_ position: Int?) -> Void)? {
        get { core.onSelectionChange }
        set { core.onSelectionChange = newValue }
    }

    /// Called on the main actor when a row is double-clicked, and when Return is pressed while a row has the focus.
    /// With ``activatesOnSingleClick``, one click replaces the double click.
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
