// Selecting and activating rows, by pointer and by key.
//
// Arrows go to the next row, page keys by a screen, home and end to the list's ends; the row that has the focus is
// brought into sight. Return, or a second click, activates.
extension FittingList {
    /// How many rows can be selected.
    public enum SelectionMode: Sendable {
        /// None: keys and clicks move the focus alone.
        case none
        /// One, which follows the focus.
        case single
    }

    /// Whether rows can be selected; ``SelectionMode/none`` at first.
    public var selectionMode: SelectionMode {
        get { core.selection.isOn ? .single : .none }
        set { core.changeSelection { $0.isOn = newValue == .single } }
    }

    /// The row selected; nil for none. Setting it does not scroll; a position outside the list is none.
    public var selectedPosition: Int? {
        get { core.selection.selected }
        set { core.changeSelection { $0.select(newValue.flatMap { (0..<count).contains($0) ? $0 : nil }) } }
    }

    /// Called on the main actor after another row was selected, or none, by whomever.
    public var onSelectionChange: (@MainActor (_ position: Int?) -> Void)? {
        get { core.onSelectionChange }
        set { core.onSelectionChange = newValue }
    }

    /// Called on the main actor for a row that was clicked twice, or once with ``activatesOnSingleClick``, or has the
    /// focus when Return is pressed.
    public var onActivate: (@MainActor (_ position: Int) -> Void)? {
        get { core.onActivate }
        set { core.onActivate = newValue }
    }

    /// Whether one click activates; false at first.
    public var activatesOnSingleClick: Bool {
        get { core.activatesOnSingleClick }
        set { core.activatesOnSingleClick = newValue }
    }
}
