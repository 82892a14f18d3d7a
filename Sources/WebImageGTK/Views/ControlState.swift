import CWebImageGTK

/// The state of a button; the raw values equal those of UIKit.
public struct ControlState: OptionSet, Sendable, Hashable {
    /// The state as bits.
    public let rawValue: UInt
    /// Makes a state from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The button is in none of the other states.
    public static let normal: ControlState = []
    /// The button is pressed.
    public static let highlighted = ControlState(rawValue: 1 << 0)
    /// The button is insensitive: it does not react to input.
    public static let disabled = ControlState(rawValue: 1 << 1)
    /// The button is checked or selected, for example a toggle button.
    public static let selected = ControlState(rawValue: 1 << 2)

    init(_ flags: GtkStateFlags) {
        var state: ControlState = []
        if flags.rawValue & GTK_STATE_FLAG_ACTIVE.rawValue != 0 { state.insert(.highlighted) }
        if flags.rawValue & GTK_STATE_FLAG_INSENSITIVE.rawValue != 0 { state.insert(.disabled) }
        if flags.rawValue & (GTK_STATE_FLAG_CHECKED.rawValue | GTK_STATE_FLAG_SELECTED.rawValue) != 0 {
            state.insert(.selected)
        }
        self = state
    }
}
