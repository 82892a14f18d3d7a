import Foundation

/// The key of one coder option. Options that SDWebImage defines have the same raw string as in SDWebImage.
public struct ImageCoderOption: RawRepresentable, Hashable, Sendable {
    /// The key's string.
    public let rawValue: String
    /// Makes an option key. A plug-in can define its own option keys.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// `Bool`: whether only the first frame is decoded. Default false.
    public static let decodeFirstFrameOnly = ImageCoderOption(rawValue: "decodeFirstFrameOnly")
    /// Number: the image's scale in pixels per point, at least 1. Default 1.
    public static let decodeScaleFactor = ImageCoderOption(rawValue: "decodeScaleFactor")
    /// `Bool`: whether a thumbnail keeps the aspect ratio of the image. If false, the image is stretched to the
    /// thumbnail box. Default true.
    public static let decodePreserveAspectRatio = ImageCoderOption(rawValue: "decodePreserveAspectRatio")
    /// `CGSize` in pixels: the box into which the decoded image must fit. If a side is 0 or the option is missing,
    /// the image is decoded at full size.
    public static let decodeThumbnailPixelSize = ImageCoderOption(rawValue: "decodeThumbnailPixelSize")
    /// `String`: the file's extension without dot. Built-in coders ignore this hint and use only the content.
    public static let decodeFileExtensionHint = ImageCoderOption(rawValue: "decodeFileExtensionHint")
    /// `String`: the file's uniform type identifier. Built-in coders ignore this hint and use only the content.
    public static let decodeTypeIdentifierHint = ImageCoderOption(rawValue: "decodeTypeIdentifierHint")
    /// Number: the maximum total size of all decoded frames in bytes. 0, the default, means no limit.
    public static let decodeScaleDownLimitBytes = ImageCoderOption(rawValue: "decodeScaleDownLimitBytes")
    /// Number: a value other than 0 keeps high dynamic range; see ``DecodingOptions/decodesToHDR``. Default 0.
    public static let decodeToHDR = ImageCoderOption(rawValue: "decodeToHDR")
    /// ``DecodingLimits``: the limits of the decode. Default ``DecodingLimits/default``.
    public static let decodeLimits = ImageCoderOption(rawValue: "decodeLimits")
    /// ``PixelFormat``: the requested layout of a pixel. The default is the display format,
    /// ``PixelFormat/bgra8Premultiplied``.
    public static let decodePixelFormat = ImageCoderOption(rawValue: "decodePixelFormat")
    /// ``DecodingOptions/ColorConversion``: whether pixels are converted to sRGB. Default
    /// ``DecodingOptions/ColorConversion/sRGB``.
    public static let decodeColorConversion = ImageCoderOption(rawValue: "decodeColorConversion")

    /// `Bool`: whether only the first frame is encoded. Default false.
    public static let encodeFirstFrameOnly = ImageCoderOption(rawValue: "encodeFirstFrameOnly")
    /// Number 0…1: the quality for lossy formats. Default 1.
    public static let encodeCompressionQuality = ImageCoderOption(rawValue: "encodeCompressionQuality")
    /// `CGSize` in pixels: the box into which the encoded image must fit. The image is never enlarged. By default
    /// there is no box.
    public static let encodeMaxPixelSize = ImageCoderOption(rawValue: "encodeMaxPixelSize")
    /// Number: the maximum size of the file in bytes. If a limit is set, the encoder chooses the quality. 0, the
    /// default, means no limit.
    public static let encodeMaxFileSize = ImageCoderOption(rawValue: "encodeMaxFileSize")
    /// ``ImageColor``: the background of transparent pixels in formats without alpha, such as JPEG. Default white.
    public static let encodeBackgroundColor = ImageCoderOption(rawValue: "encodeBackgroundColor")
    /// `Bool`: whether the file contains a thumbnail of at most 320 px per side in addition to the image (only JPEG
    /// and HEIC). Default false.
    public static let encodeEmbedThumbnail = ImageCoderOption(rawValue: "encodeEmbedThumbnail")
    /// Number: a value other than 0 keeps more than 8 bits per channel. It has an effect only in a format that can
    /// store 8 bits per channel and also more bits (AVIF). Default 0.
    public static let encodeToHDR = ImageCoderOption(rawValue: "encodeToHDR")
    /// `Bool`: whether a JPEG is progressive. A progressive JPEG becomes sharper during its download. Default false.
    public static let encodeProgressive = ImageCoderOption(rawValue: "encodeProgressive")
    /// ``EmbeddedMetadata``: the EXIF and XMP data to write into the file (only JPEG, PNG, WebP, AVIF). By default, no EXIF or XMP data
    /// is written.
    public static let encodeMetadata = ImageCoderOption(rawValue: "encodeMetadata")
    /// `Bool`: whether the file is lossless. It has an effect in every format that has a lossy and a lossless form, not
    /// only in WebP. Default false.
    public static let encodeWebPLossless = ImageCoderOption(rawValue: "encodeWebPLossless")
}

/// A dictionary of coder options, as in SDWebImage. The library converts it once to ``DecodingOptions`` or
/// ``EncodingOptions``.
public typealias ImageCoderOptions = [ImageCoderOption: Any]

/// Options that no built-in coder reads. The library compares these options and passes them to other coders.
///
/// `Hashable` values are compared with `==`. Objects of other types are compared by address. Values of all other types
/// cannot be compared, so they are treated as different, even from themselves. If they were treated as equal, two loads
/// could share work although their options differ.
package struct ForeignCoderOptions: @unchecked Sendable, Hashable {
    // Unchecked is safe. The compiler cannot check values of type `Any`, but the public documentation requires values
    // that are safe on any thread. The dictionary itself is a value type: each load has a separate copy.
    private(set) package var values: ImageCoderOptions

    package init(_ values: ImageCoderOptions = [:]) { self.values = values }

    package var isEmpty: Bool { values.isEmpty }

    package subscript(option: ImageCoderOption) -> Any? {
        get { values[option] }
        set { values[option] = newValue }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.values.count == right.values.count && (left.values.isEmpty || haveEqualValues(left, right))
    }

    private static func haveEqualValues(_ left: Self, _ right: Self) -> Bool {
        left.values.allSatisfy { key, value in right.values[key].map { isEqual(value, $0) } ?? false }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(values.count)
        // Every load hashes its options, and usually the dictionary is empty. Return early for an empty dictionary:
        // sorting its empty list of keys would take 2,600 instructions.
        guard !values.isEmpty else { return }
        for key in values.keys.map(\.rawValue).sorted() { hasher.combine(key) }
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return left as AnyObject === right as AnyObject
    }
}
