/// Which part of a picture is kept, or where a picture is put.
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
        /// Where the picture has edges, strong colours and skin.
        case smart = "sm"
        /// A point in shares of the sides.
        case focusPoint = "fp"

        var isTop: Bool { self == .north || self == .northEast || self == .northWest }
        var isBottom: Bool { self == .south || self == .southEast || self == .southWest }
        var isLeft: Bool { self == .west || self == .northWest || self == .southWest }
        var isRight: Bool { self == .east || self == .northEast || self == .southEast }
    }

    var anchor = Anchor.center
    /// Offsets from the anchor: pixels from 1 on, a share of the side below; for a focus point 0...1.
    var x = 0.0
    var y = 0.0

    static let center = Gravity()
}
