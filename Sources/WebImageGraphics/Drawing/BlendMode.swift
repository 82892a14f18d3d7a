/// How a colour is mixed with the image below the colour. The colour is the source, and the image is the destination. A
/// "value" is a component of the colour or of the image, between 0 and 1.
///
/// The numbers and meanings are the same as in Core Graphics. The first sixteen modes are defined in PDF 1.7 §11.3.5.
/// Most other modes are operators of Porter and Duff.
public enum BlendMode: Int32, Sendable, CaseIterable {
    /// The colour is drawn over the image.
    case normal = 0
    /// Multiplies the two values. The result is never lighter than the image.
    case multiply
    /// Multiplies the inverted values and inverts the product. The result is never darker than the image.
    case screen
    /// Works as ``multiply`` where the image is dark, and as ``screen`` where the image is light.
    case overlay
    /// Keeps the darker of the two values.
    case darken
    /// Keeps the lighter of the two values.
    case lighten
    /// The colour brightens the image.
    case colorDodge
    /// The colour darkens the image.
    case colorBurn
    /// A dark colour slightly darkens the image. A light colour slightly lightens the image.
    case softLight
    /// Works as ``multiply`` if the colour is dark, and as ``screen`` if the colour is light.
    case hardLight
    /// The result is the absolute difference of the two values.
    case difference
    /// The same as ``difference``, but with less contrast.
    case exclusion
    /// The result has the hue of the colour, with the saturation and luminosity of the image.
    case hue
    /// The result has the saturation of the colour, with the hue and luminosity of the image.
    case saturation
    /// The result has the hue and saturation of the colour, with the luminosity of the image.
    case color
    /// The result has the luminosity of the colour, with the hue and saturation of the image.
    case luminosity
    /// The whole result is transparent.
    case clear
    /// The result is the colour. The image is not visible.
    case copy
    /// The result is the colour where the image is opaque. The rest is transparent.
    case sourceIn
    /// The result is the colour where the image is transparent. The rest is transparent.
    case sourceOut
    /// The colour is drawn over the image where the image is opaque. The rest is transparent.
    case sourceAtop
    /// The image is drawn over the colour.
    case destinationOver
    /// The result is the image where the colour is opaque. The rest is transparent.
    case destinationIn
    /// The result is the image where the colour is transparent. The rest is transparent.
    case destinationOut
    /// The image is drawn over the colour where the colour is opaque. The rest is transparent.
    case destinationAtop
    /// The result is the colour where the image is transparent, and the image where the colour is transparent.
    case xor
    /// Adds the inverted values and inverts the sum. The result is never lighter than the image.
    case plusDarker
    /// Adds the two values. The result is never darker than the image.
    case plusLighter
}
