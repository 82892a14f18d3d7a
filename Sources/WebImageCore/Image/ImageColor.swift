import Foundation

/// A colour in sRGB with straight alpha. Each component is between 0 and 1.
public struct ImageColor: Sendable, Hashable {
    /// Red. Values are clamped to 0…1.
    public var red: Double { didSet { red = Self.clamped(red) } }
    /// Green. Values are clamped to 0…1.
    public var green: Double { didSet { green = Self.clamped(green) } }
    /// Blue. Values are clamped to 0…1.
    public var blue: Double { didSet { blue = Self.clamped(blue) } }
    /// Opacity. Values are clamped to 0…1.
    public var alpha: Double { didSet { alpha = Self.clamped(alpha) } }

    /// Makes a colour. Each component is clamped to 0…1. NaN becomes 0.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        self.red = Self.clamped(red)
        self.green = Self.clamped(green)
        self.blue = Self.clamped(blue)
        self.alpha = Self.clamped(alpha)
    }

    private static func clamped(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }

    /// Makes a grey colour.
    public init(white: Double, alpha: Double = 1) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Opaque black.
    public static let black = ImageColor(white: 0)
    /// Opaque white.
    public static let white = ImageColor(white: 1)
    /// Transparent black.
    public static let clear = ImageColor(white: 0, alpha: 0)

    /// The colour as `#aarrggbb` in lower case. Each component is rounded to a byte. Transformer keys contain this
    /// text.
    public var hexString: String {
        let bytes = [alpha, red, green, blue].map { UInt8(($0 * 255).rounded()) }
        return "#" + bytes.map { String(plainFormat: "%02x", $0) }.joined()
    }
}
