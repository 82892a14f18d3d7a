/// How a picture is put into a size of another proportion.
public enum ImageScaleMode: UInt, Sendable {
    /// Stretched over the size.
    case fill = 0
    /// Whole, centred, with transparent bars.
    case aspectFit = 1
    /// Covering the size, centred, what overhangs cut off.
    case aspectFill = 2
}

/// Corners of a rectangle.
public struct RectCorner: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Top left.
    public static let topLeft = RectCorner(rawValue: 1)
    /// Top right.
    public static let topRight = RectCorner(rawValue: 2)
    /// Bottom left.
    public static let bottomLeft = RectCorner(rawValue: 4)
    /// Bottom right.
    public static let bottomRight = RectCorner(rawValue: 8)
    /// All four.
    public static let allCorners = RectCorner(rawValue: .max)
}

/// How a colour laid over a picture mixes with it; numbers and meanings are Core Graphics' (PDF 1.7 §11.3.5 for the
/// first sixteen, Porter and Duff's operators after them; the colour is the source, the picture the destination).
public enum BlendMode: Int32, Sendable, CaseIterable {
    /// Over.
    case normal = 0
    /// Multiplied: always darker.
    case multiply
    /// Inverted, multiplied, inverted: always lighter.
    case screen
    /// Multiplied or screened, as the picture is dark or light.
    case overlay
    /// The darker.
    case darken
    /// The lighter.
    case lighten
    /// Brightened by the colour.
    case colorDodge
    /// Darkened by the colour.
    case colorBurn
    /// A diffuse spotlight.
    case softLight
    /// Multiplied or screened, as the colour is dark or light.
    case hardLight
    /// The absolute difference.
    case difference
    /// The difference with less contrast.
    case exclusion
    /// The colour's hue.
    case hue
    /// The colour's saturation.
    case saturation
    /// The colour's hue and saturation.
    case color
    /// The colour's luminosity.
    case luminosity
    /// Nothing.
    case clear
    /// The colour alone.
    case copy
    /// The colour where the picture is.
    case sourceIn
    /// The colour where the picture is not.
    case sourceOut
    /// The colour over the picture, where that is.
    case sourceAtop
    /// The picture over the colour.
    case destinationOver
    /// The picture where the colour is.
    case destinationIn
    /// The picture where the colour is not.
    case destinationOut
    /// The picture over the colour, where that is.
    case destinationAtop
    /// Either where the other is not.
    case xor
    /// Sums of darkness.
    case plusDarker
    /// Sums of light.
    case plusLighter
}
