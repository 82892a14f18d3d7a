/// How an image is placed in an area with another aspect ratio.
public enum ImageScaleMode: UInt, Sendable {
    /// The image is stretched to the area.
    case fill = 0
    /// The whole image is visible, centred, with transparent bars.
    case aspectFit = 1
    /// The image covers the area, centred. The parts outside the area are cut off.
    case aspectFill = 2
}

/// Corners of a rectangle.
public struct RectCorner: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: UInt
    /// Creates a set from bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Top left.
    public static let topLeft = RectCorner(rawValue: 1)
    /// Top right.
    public static let topRight = RectCorner(rawValue: 2)
    /// Bottom left.
    public static let bottomLeft = RectCorner(rawValue: 4)
    /// Bottom right.
    public static let bottomRight = RectCorner(rawValue: 8)
    /// All four corners.
    public static let allCorners = RectCorner(rawValue: .max)
}

/// How a colour is mixed with the image below it. Numbers and meanings are those of Core Graphics: the first sixteen
/// modes are those of PDF 1.7 §11.3.5, the others are mostly the operators of Porter and Duff. The colour is the
/// source, the image is the destination.
public enum BlendMode: Int32, Sendable, CaseIterable {
    /// The colour over the image.
    case normal = 0
    /// The product of the values. The result is never lighter.
    case multiply
    /// The inverted product of the inverted values. The result is never darker.
    case screen
    /// Multiplied where the image is dark, screened where it is light.
    case overlay
    /// The darker value.
    case darken
    /// The lighter value.
    case lighten
    /// The image brightened by the colour.
    case colorDodge
    /// The image darkened by the colour.
    case colorBurn
    /// Slightly darkened if the colour is dark, slightly lightened if it is light.
    case softLight
    /// Multiplied if the colour is dark, screened if it is light.
    case hardLight
    /// The absolute difference.
    case difference
    /// The difference with less contrast.
    case exclusion
    /// The colour's hue; saturation and luminosity of the image.
    case hue
    /// The colour's saturation; hue and luminosity of the image.
    case saturation
    /// The colour's hue and saturation; luminosity of the image.
    case color
    /// The colour's luminosity; hue and saturation of the image.
    case luminosity
    /// Transparent everywhere.
    case clear
    /// Only the colour.
    case copy
    /// The colour where the image is opaque.
    case sourceIn
    /// The colour where the image is transparent.
    case sourceOut
    /// The colour over the image, only where the image is opaque.
    case sourceAtop
    /// The image over the colour.
    case destinationOver
    /// The image where the colour is opaque.
    case destinationIn
    /// The image where the colour is transparent.
    case destinationOut
    /// The image over the colour, only where the colour is opaque.
    case destinationAtop
    /// The colour where the image is transparent, and the image where the colour is transparent.
    case xor
    /// The inverted sum of the inverted values. The result is darker.
    case plusDarker
    /// The sum of the values. The result is lighter.
    case plusLighter
}
