public import Foundation
public import WebImage
import WebImageCompatibility

extension ImageColor {
    /// Red.
    public static let red = ImageColor(red: 1, green: 0, blue: 0)
    /// Green.
    public static let green = ImageColor(red: 0, green: 1, blue: 0)
    /// Blue.
    public static let blue = ImageColor(red: 0, green: 0, blue: 1)
    /// Yellow.
    public static let yellow = ImageColor(red: 1, green: 1, blue: 0)
    /// Cyan.
    public static let cyan = ImageColor(red: 0, green: 1, blue: 1)
    /// Magenta.
    public static let magenta = ImageColor(red: 1, green: 0, blue: 1)
    /// Orange.
    public static let orange = ImageColor(red: 1, green: 0.5, blue: 0)
    /// Purple.
    public static let purple = ImageColor(red: 0.5, green: 0, blue: 0.5)
    /// Brown.
    public static let brown = ImageColor(red: 0.6, green: 0.4, blue: 0.2)
    /// Grey.
    public static let gray = ImageColor(white: 0.5)
    /// Light grey.
    public static let lightGray = ImageColor(white: 2.0 / 3)
    /// Dark grey.
    public static let darkGray = ImageColor(white: 1.0 / 3)
    /// The red component, between 0 and 1. This property is declared here, because the static colour of the same name
    /// hides the property of ``WebImageCore/ImageColor``.
    public var red: Double {
        get { ownRed }
        set { ownRed = newValue }
    }
    /// The green component, between 0 and 1. This property is declared here, because the static colour of the same name
    /// hides the property of ``WebImageCore/ImageColor``.
    public var green: Double {
        get { ownGreen }
        set { ownGreen = newValue }
    }
    /// The blue component, between 0 and 1. This property is declared here, because the static colour of the same name
    /// hides the property of ``WebImageCore/ImageColor``.
    public var blue: Double {
        get { ownBlue }
        set { ownBlue = newValue }
    }

    /// Writes the components to the targets of the pointers. Each component is between 0 and 1. Always returns true.
    @discardableResult public func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        red?.pointee = CGFloat(ownRed)
        green?.pointee = CGFloat(ownGreen)
        blue?.pointee = CGFloat(ownBlue)
        alpha?.pointee = CGFloat(self.alpha)
        return true
    }

    /// Writes the grey value and the opacity to the targets of the pointers. For a colour that is not grey, writes
    /// nothing and returns false.
    @discardableResult public func getWhite(
        _ white: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        guard ownRed == ownGreen, ownGreen == ownBlue else { return false }
        white?.pointee = CGFloat(ownRed)
        alpha?.pointee = CGFloat(self.alpha)
        return true
    }

    /// Returns the same colour with another opacity, 0…1.
    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        UIColor(red: ownRed, green: ownGreen, blue: ownBlue, alpha: Double(alpha))
    }

    /// The colour as `#aarrggbb`.
    public var sd_hexString: String { hexString }
}
