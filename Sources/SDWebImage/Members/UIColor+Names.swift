import WebImage

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
    /// `#aarrggbb`.
    public var sd_hexString: String { hexString }
}
