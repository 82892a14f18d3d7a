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
    /// The system's red in its light appearance.
    public static let systemRed = ImageColor(red: 1, green: 59.0 / 255, blue: 48.0 / 255)
    /// The system's green in its light appearance.
    public static let systemGreen = ImageColor(red: 52.0 / 255, green: 199.0 / 255, blue: 89.0 / 255)
    /// The system's blue in its light appearance.
    public static let systemBlue = ImageColor(red: 0, green: 122.0 / 255, blue: 1)
    /// The system's orange in its light appearance.
    public static let systemOrange = ImageColor(red: 1, green: 149.0 / 255, blue: 0)
    /// The system's yellow in its light appearance.
    public static let systemYellow = ImageColor(red: 1, green: 204.0 / 255, blue: 0)
    /// The system's grey in its light appearance.
    public static let systemGray = ImageColor(red: 142.0 / 255, green: 142.0 / 255, blue: 147.0 / 255)

    /// Not available: the theme decides about backgrounds.
    @available(*, unavailable, message: "Give the widget a CSS class; the colour of the theme is window_bg_color")
    public static var systemBackground: ImageColor { ImageColor(white: 1) }
    /// Not available: the theme decides about texts.
    @available(*, unavailable, message: "Give the widget a CSS class; the colour of the theme is window_fg_color")
    public static var label: ImageColor { ImageColor(white: 0) }
    /// Not available: the theme decides about texts.
    @available(*, unavailable, message: "Give the widget the CSS class dim-label")
    public static var secondaryLabel: ImageColor { ImageColor(white: 0.5) }

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

    /// Creates a colour from its hue, saturation and brightness, each between 0 and 1.
    public init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        func component(_ offset: Double) -> Double {
            let place = (offset + Double(hue) * 6).truncatingRemainder(dividingBy: 6)
            return Double(brightness) * (1 - Double(saturation) * max(0, min(place, 4 - place, 1)))
        }
        self.init(red: component(5), green: component(3), blue: component(1), alpha: Double(alpha))
    }

    /// Not available: there is no catalogue of assets.
    @available(*, unavailable, message: "Use init(red:green:blue:alpha:)")
    public init?(named name: String) { nil }

    /// Returns the same colour with another opacity, 0…1.
    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
        UIColor(red: ownRed, green: ownGreen, blue: ownBlue, alpha: Double(alpha))
    }

    /// The colour as `#aarrggbb`.
    public var sd_hexString: String { hexString }
}
