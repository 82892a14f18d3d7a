import Foundation

/// The key of one coder option, with SDWebImage's raw strings.
public struct ImageCoderOption: RawRepresentable, Hashable, Sendable {
    /// The key's string.
    public let rawValue: String
    /// Makes an option key; plug-ins may add their own.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `Bool`: decode only the first frame. Default false.
    public static let decodeFirstFrameOnly = ImageCoderOption(rawValue: "decodeFirstFrameOnly")
    /// Number: the image's scale, at least 1. Default 1.
    public static let decodeScaleFactor = ImageCoderOption(rawValue: "decodeScaleFactor")
    /// `Bool`: fit a thumbnail into its box (true, the default) or stretch it over the box.
    public static let decodePreserveAspectRatio = ImageCoderOption(rawValue: "decodePreserveAspectRatio")
    /// `CGSize` in pixels: the box into which the decoded image must fit. If a side is 0, the image is
    /// decoded at full size. Default full size.
    public static let decodeThumbnailPixelSize = ImageCoderOption(rawValue: "decodeThumbnailPixelSize")
    /// `String`: the file's extension without dot. Built-in coders ignore it and use only the content.
    public static let decodeFileExtensionHint = ImageCoderOption(rawValue: "decodeFileExtensionHint")
    /// `String`: the uniform type identifier. Built-in coders ignore it and use only the content.
    public static let decodeTypeIdentifierHint = ImageCoderOption(rawValue: "decodeTypeIdentifierHint")
    /// Number: the maximum bytes of all decoded frames together. Default 0, no limit.
    public static let decodeScaleDownLimitBytes = ImageCoderOption(rawValue: "decodeScaleDownLimitBytes")
    /// Number: a value other than 0 keeps high dynamic range, see ``DecodingOptions/decodesToHDR``. Default 0.
    public static let decodeToHDR = ImageCoderOption(rawValue: "decodeToHDR")
    /// ``DecodingLimits``: the limits of the decode. Default ``DecodingLimits/default``.
    public static let decodeLimits = ImageCoderOption(rawValue: "decodeLimits")
    /// ``PixelFormat``: the requested layout. Default ``PixelFormat/bgra8Premultiplied``, ready for display.
    public static let decodePixelFormat = ImageCoderOption(rawValue: "decodePixelFormat")
    /// ``DecodingOptions/ColorConversion``: whether pixels are converted to sRGB. Default ``DecodingOptions/ColorConversion/sRGB``.
    public static let decodeColorConversion = ImageCoderOption(rawValue: "decodeColorConversion")

    /// `Bool`: encode only the first frame. Default false.
    public static let encodeFirstFrameOnly = ImageCoderOption(rawValue: "encodeFirstFrameOnly")
    /// Number 0…1: quality of lossy formats. Default 1.
    public static let encodeCompressionQuality = ImageCoderOption(rawValue: "encodeCompressionQuality")
    /// `CGSize` in pixels: the box into which the encoded image must fit. The image is never enlarged. Default none.
    public static let encodeMaxPixelSize = ImageCoderOption(rawValue: "encodeMaxPixelSize")
    /// Number: the maximum size of the file in bytes. With a limit, the encoder chooses the quality. Default
    /// 0, no limit.
    public static let encodeMaxFileSize = ImageCoderOption(rawValue: "encodeMaxFileSize")
    /// ``ImageColor``: the background of transparent pixels in formats without alpha, such as JPEG. Default white.
    public static let encodeBackgroundColor = ImageCoderOption(rawValue: "encodeBackgroundColor")
    /// `Bool`: also store a thumbnail of at most 320 px per side in the file (JPEG). Default false.
    public static let encodeEmbedThumbnail = ImageCoderOption(rawValue: "encodeEmbedThumbnail")
    /// Number: a value other than 0 keeps more than 8 bits per channel, for formats that can also store 8
    /// bits (AVIF). Default 0.
    public static let encodeToHDR = ImageCoderOption(rawValue: "encodeToHDR")
    /// `Bool`: write a progressive JPEG, which becomes sharper during its download. Default false.
    public static let encodeProgressive = ImageCoderOption(rawValue: "encodeProgressive")
    /// ``EmbeddedMetadata``: EXIF and XMP to write (JPEG). Default none.
    public static let encodeMetadata = ImageCoderOption(rawValue: "encodeMetadata")
    /// `Bool`: encode WebP without loss. Default false.
    public static let encodeWebPLossless = ImageCoderOption(rawValue: "encodeWebPLossless")
}

/// A dictionary of coder options, as in SDWebImage. It is converted once to ``DecodingOptions`` or
/// ``EncodingOptions``.
public typealias ImageCoderOptions = [ImageCoderOption: Any]
