/// Selects the part of a picture that remains after cutting, or the position of a picture on a canvas.
struct Gravity: Sendable, Hashable {
    enum Anchor: String, Sendable, CaseIterable {
        case north = "no"
        case south = "so"
        case east = "ea"
        case west = "we"
        case northEast = "noea"
        case northWest = "nowe"
        case southEast = "soea"
        case southWest = "sowe"
        case center = "ce"
        /// The part of the picture with the most edges, strong colours and skin tones.
        case smart = "sm"
        /// A point whose coordinates are fractions of the sides.
        case focusPoint = "fp"

        var isTop: Bool { self == .north || self == .northEast || self == .northWest }
        var isBottom: Bool { self == .south || self == .southEast || self == .southWest }
        var isLeft: Bool { self == .west || self == .northWest || self == .southWest }
        var isRight: Bool { self == .east || self == .northEast || self == .southEast }
    }

    var anchor = Anchor.center
    /// The horizontal offset from the anchor. A value is in pixels if its absolute value is 1 or more; otherwise it is
    /// a fraction of the width. For a focus point, `x` and `y` are the coordinates of the point, 0...1.
    var x = 0.0
    var y = 0.0

    static let center = Gravity()
}
