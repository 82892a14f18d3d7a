/// The placement of an image in a size with another aspect ratio.
public enum ImageScaleMode: UInt, Sendable {
    /// Stretched to the size.
    case fill = 0
    /// The whole image, centred, with transparent bars.
    case aspectFit = 1
    /// Covering the size, centred; the parts outside are cut off.
    case aspectFill = 2
}

/// Corners of a rectangle.
public struct RectCorner: OptionSet, Sendable, Hashable {
    /// The bits of the set.
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

/// How a colour that is laid over an image mixes with it. Numbers and meanings are those of Core Graphics: PDF 1.7
/// §11.3.5 for the first sixteen, then the operators of Porter and Duff. The colour is the source, the image the
/// destination.
public enum BlendMode: Int32, Sendable, CaseIterable {
    /// The colour over the image.
    case normal = 0
    /// The product: always darker.
    case multiply
    /// The inverted product of the inverted values: always lighter.
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
    /// Each where the other is transparent.
    case xor
    /// The sum of the inverted values, inverted: darker.
    case plusDarker
    /// The sum of the values: lighter.
    case plusLighter
}
