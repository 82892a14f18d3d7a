import CWebImageGTK

/// The state of a button; the raw values are those of UIKit.
public struct ControlState: OptionSet, Sendable, Hashable {
    /// The state as bits.
    public let rawValue: UInt
    /// Makes a state from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// None of the other states.
    public static let normal: ControlState = []
    /// Pressed.
    public static let highlighted = ControlState(rawValue: 1 << 0)
    /// Insensitive.
    public static let disabled = ControlState(rawValue: 1 << 1)
    /// Checked or selected, as a toggle button can be.
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
