/// The order in which the frames of an animation are shown.
public enum AnimatedImagePlaybackMode: UInt, Sendable, CaseIterable {
    /// Each loop shows the frames from the first to the last.
    case normal = 0
    /// Each loop shows the frames from the last to the first.
    case reverse
    /// Each loop shows the frames from the first to the last, and then back to the first.
    case bounce
    /// Each loop shows the frames from the last to the first, and then back to the last.
    case reversedBounce

    /// Whether playback begins at the last frame.
    var startsAtEnd: Bool { self == .reverse || self == .reversedBounce }
    /// Whether playback reverses its direction at the first and at the last frame.
    var turns: Bool { self == .bounce || self == .reversedBounce }
}
