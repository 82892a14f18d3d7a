import Foundation

/// The format of an encoded image. Formats that SDWebImage defines have the same numbers as in SDWebImage. Plug-ins
/// can add formats.
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
    /// The number of the format; -1 means ``undefined``.
    public let rawValue: Int

    /// Makes a format from its number. For its own format, a plug-in chooses a number that no constant of this type
    /// has.
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
    /// HEIF with the general major brand `mif1` or `msf1` (ISO/IEC 23008-12). If such a file also declares AVIF, its
    /// format is ``avif``.
    public static let heif = ImageFormat(rawValue: 6)
    /// PDF.
    public static let pdf = ImageFormat(rawValue: 7)
    /// SVG.
    public static let svg = ImageFormat(rawValue: 8)
    /// Windows bitmap.
    public static let bmp = ImageFormat(rawValue: 9)
    /// Raw file of a camera.
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

    /// The format of the file that contains the image: ``png`` for ``apng``. For every other format, the property
    /// returns the format itself.
    public var container: ImageFormat { self == .apng ? .png : self }

    /// Whether every file of the format is lossless. False for WebP, AVIF and JPEG XL, because their files can be
    /// lossy. A WebP file declares whether it is lossless. An AVIF or JPEG XL file contains no such declaration.
    var isAlwaysLossless: Bool { [.png, .apng, .gif, .bmp, .ico, .tiff].contains(self) }

    /// The lower-case name of the format, as reports show it. Nil if the format has no name.
    public var name: String? { Self.known.first { $0.format == self }?.name }

    /// The uniform type identifier of the format. If the format has no identifier, the property returns `public.image`.
    public var typeIdentifier: String { Self.known.first { $0.format == self }?.type ?? "public.image" }

    /// Finds a format by its uniform type identifier. The result for an unknown identifier is ``undefined``.
    public init(typeIdentifier: String) {
        self = Self.known.first { $0.type == typeIdentifier && $0.format != .apng }?.format ?? .undefined
    }

    /// Finds a format by a file extension without the dot, in upper or lower case. The result for an unknown extension
    /// is ``undefined``.
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
    /// The name of the format. For a format without a name, the text contains the number, such as `format 42`.
    public var description: String { name ?? (self == .undefined ? "undefined" : "format \(rawValue)") }
}

extension ImageFormat {
    /// The media type for `Content-Type`. For most formats it is the type registered with IANA. For ICO and camera raw
    /// files it is an unregistered type that is in common use. For an unknown format it is `application/octet-stream`.
    public var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .apng: "image/apng"
        case .gif: "image/gif"
        case .tiff: "image/tiff"
        case .webP: "image/webp"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .pdf: "application/pdf"
        case .svg: "image/svg+xml"
        case .bmp: "image/bmp"
        case .raw: "image/x-dcraw"
        case .avif: "image/avif"
        case .jpegXL: "image/jxl"
        case .ico: "image/x-icon"
        default: "application/octet-stream"
        }
    }
}
