/// The order in which the frames of an animation are shown.
public enum AnimatedImagePlaybackMode: UInt, Sendable, CaseIterable {
    /// First to last, then again from the first.
    case normal = 0
    /// Last to first, then again from the last.
    case reverse
    /// First to last and back.
    case bounce
    /// Last to first and back.
    case reversedBounce

    /// Whether playback begins at the last frame.
    var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
    /// Whether the direction turns at both ends.
    var turns: Bool { self == .bounce || self == .reversedBounce }
}
