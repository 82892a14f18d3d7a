import Foundation

/// The format of an encoded image. Formats that SDWebImage defines have the same numbers as in SDWebImage. Plug-ins
/// can add formats.
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
    /// The number of the format; -1 is undefined.
    public let rawValue: Int

    /// Makes a format from its number. Plug-ins can use other numbers for their formats.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// An unknown format.
    public static let undefined = ImageFormat(rawValue: -1)
    /// JPEG (ITU-T T.81).
    public static let jpeg = ImageFormat(rawValue: 0)
    /// PNG (ISO/IEC 15948).
    public static let png = ImageFormat(rawValue: 1)
    /// GIF 87a and 89a.
    public static let gif = ImageFormat(rawValue: 2)
    /// TIFF 6.0.
    public static let tiff = ImageFormat(rawValue: 3)
    /// WebP (RFC 9649).
    public static let webP = ImageFormat(rawValue: 4)
    /// HEIC: HEIF whose major brand declares HEVC.
    public static let heic = ImageFormat(rawValue: 5)
    /// HEIF with the general major brand `mif1` or `msf1` that does not declare AVIF (ISO/IEC 23008-12).
    public static let heif = ImageFormat(rawValue: 6)
    /// PDF.
    public static let pdf = ImageFormat(rawValue: 7)
    /// SVG.
    public static let svg = ImageFormat(rawValue: 8)
    /// Windows bitmap.
    public static let bmp = ImageFormat(rawValue: 9)
    /// A camera's raw file.
    public static let raw = ImageFormat(rawValue: 10)
    /// AVIF: AV1 in HEIF.
    public static let avif = ImageFormat(rawValue: 15)
    /// JPEG XL (ISO/IEC 18181).
    public static let jpegXL = ImageFormat(rawValue: 17)
    /// Windows icon and cursor.
    public static let ico = ImageFormat(rawValue: 18)
    /// PNG with an animation (PNG third edition, `acTL`). An image that is decoded from such a file has the format
    /// ``png``.
    public static let apng = ImageFormat(rawValue: 19)

    /// The format that images and encoders use: ``png`` for ``apng``, and the unchanged format for every other format.
    public var container: ImageFormat { self == .apng ? .png : self }

    /// Whether every file of the format is lossless. False for WebP, AVIF and JPEG XL, because their files can be
    /// lossy. A WebP file declares whether it is lossless. An AVIF or JPEG XL file contains no such declaration.
    var isAlwaysLossless: Bool { [.png, .apng, .gif, .bmp, .ico, .tiff].contains(self) }

    /// The lower-case name of the format, as used in reports; nil for numbers without a name.
    public var name: String? { Self.known.first { $0.format == self }?.name }

    /// The uniform type identifier; `public.image` for formats without an identifier.
    public var typeIdentifier: String { Self.known.first { $0.format == self }?.type ?? "public.image" }

    /// Makes the format of a uniform type identifier; ``undefined`` for an unknown identifier.
    public init(typeIdentifier: String) {
        self = Self.known.first { $0.type == typeIdentifier && $0.format != .apng }?.format ?? .undefined
    }

    /// Makes the format for a file extension without its dot, in upper or lower case; ``undefined`` for an
    /// unknown extension.
    public init(fileExtension: String) {
        let wanted = fileExtension.lowercased()
        self = Self.known.first { $0.extensions.contains(wanted) }?.format ?? .undefined
    }

    private static let known: [(format: ImageFormat, name: String, type: String, extensions: [String])] = [
        (.jpeg, "jpeg", "public.jpeg", ["jpg", "jpeg", "jpe", "jfif"]),
        (.png, "png", "public.png", ["png"]),
        (.gif, "gif", "com.compuserve.gif", ["gif"]),
        (.tiff, "tiff", "public.tiff", ["tiff", "tif"]),
        (.webP, "webp", "org.webmproject.webp", ["webp"]),
        (.heic, "heic", "public.heic", ["heic", "heics"]),
        (.heif, "heif", "public.heif", ["heif", "hif"]),
        (.pdf, "pdf", "com.adobe.pdf", ["pdf"]),
        (.svg, "svg", "public.svg-image", ["svg"]),
        (.bmp, "bmp", "com.microsoft.bmp", ["bmp", "dib"]),
        (.raw, "raw", "public.camera-raw-image", []),
        (.avif, "avif", "public.avif", ["avif", "avifs"]),
        (.jpegXL, "jxl", "public.jpeg-xl", ["jxl"]),
        (.ico, "ico", "com.microsoft.ico", ["ico", "cur"]),
        (.apng, "apng", "public.png", ["apng"]),
    ]
}

extension ImageFormat: CustomStringConvertible {
    /// The name; for formats without a name, the number.
    public var description: String { name ?? (self == .undefined ? "undefined" : "format \(rawValue)") }
}
