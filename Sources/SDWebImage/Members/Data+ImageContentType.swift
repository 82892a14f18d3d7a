public import Foundation
public import WebImage

extension Data {
    /// The format that the first bytes declare. For an animated PNG, the format is `.PNG`, as in SDWebImage.
    public static func sd_imageFormat(forImageData data: Data?) -> SDImageFormat {
        data.map { SDImageFormat(sniffing: $0).container } ?? .undefined
    }
    /// The uniform type identifier of a format.
    public static func sd_UTType(from format: SDImageFormat) -> String { format.typeIdentifier }
    /// The format that a uniform type identifier names.
    public static func sd_imageFormat(fromUTType type: String) -> SDImageFormat { SDImageFormat(typeIdentifier: type) }
    /// The format that the first bytes declare. For an animated PNG, the format is `.PNG`, as in SDWebImage.
    public var sd_imageFormat: SDImageFormat { SDImageFormat(sniffing: self).container }
}

extension NSData {
    /// The format that the first bytes declare. For an animated PNG, the format is `.PNG`, as in SDWebImage.
    public static func sd_imageFormat(forImageData data: Data?) -> SDImageFormat {
        Data.sd_imageFormat(forImageData: data)
    }
    /// The uniform type identifier of a format.
    public static func sd_UTType(from format: SDImageFormat) -> String { format.typeIdentifier }
    /// The format that a uniform type identifier names.
    public static func sd_imageFormat(fromUTType type: String) -> SDImageFormat { SDImageFormat(typeIdentifier: type) }
}

extension ImageFormat {
    /// JPEG.
    public static let JPEG = jpeg
    /// PNG.
    public static let PNG = png
    /// GIF.
    public static let GIF = gif
    /// TIFF.
    public static let TIFF = tiff
    /// HEIC.
    public static let HEIC = heic
    /// HEIF.
    public static let HEIF = heif
    /// PDF.
    public static let PDF = pdf
    /// SVG.
    public static let SVG = svg
    /// BMP.
    public static let BMP = bmp
    /// Raw camera files.
    public static let RAW = raw
}
