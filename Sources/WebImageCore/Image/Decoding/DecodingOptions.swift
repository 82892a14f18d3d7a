public import Foundation

/// The parameters of a decode: the typed, comparable form of ``ImageCoderOptions``.
public struct DecodingOptions: Sendable, Hashable {
    /// The conversion of pixels whose colours are not sRGB.
    public enum ColorConversion: String, Sendable, Hashable {
        /// Convert to sRGB.
        case sRGB = "srgb"
        /// Keep the values that the file stores, and attach a profile that describes them to the image. CMYK is
        /// converted to sRGB nevertheless.
        case asStored = "as-is"
    }

    /// What a decode makes of a picture with high dynamic range.
    public enum DynamicRange: Sendable, Hashable {
        /// A picture of standard dynamic range: the one that the author chose, if the file has a gain map, or else PQ and
        /// HLG mapped by the curve of ITU-R BT.2390.
        case standard
        /// Everything that the file has: the base picture and its gain map in ``Image/hdr``, or the stored values of PQ and
        /// HLG in ``PixelFormat/rgba16`` with their profile.
        case keep
        /// The picture for a display with this headroom, as linear light in ``PixelFormat/rgbaHalf``; 1 is the white of
        /// standard dynamic range. The gain map is applied.
        case high(headroom: Double)
    }

    /// Whether only the first frame is decoded.
    public var firstFrameOnly = false
    /// The image's scale in pixels per point, at least 1.
    public var scaleFactor: Double = 1
    /// Whether the thumbnail keeps the aspect ratio of the image. If false, the image is stretched to the box.
    public var preserveAspectRatio = true
    /// The box in pixels into which the upright image must fit; nil means full size.
    public var thumbnailPixelSize: PixelSize?
    /// The maximum total size of all decoded frames in bytes; nil means no limit. If a limit is set, the thumbnail size
    /// is ignored.
    public var scaleDownLimitBytes: Int?
    /// Whether high dynamic range is kept. If true, an image with more than eight bits per channel is decoded
    /// to ``PixelFormat/rgba16``, or to ``PixelFormat/rgbaHalf`` if ``pixelFormat`` requests it. The image's colours
    /// are then not converted, and the file's profile is attached to the image. The gain map of a file is applied with its
    /// whole headroom, as with ``DynamicRange/high(headroom:)``.
    public var decodesToHDR = false
    /// What the decode makes of a gain map, and of PQ and HLG. The default is a picture of standard dynamic range.
    public var dynamicRange = DynamicRange.standard
    /// The limits of the decode.
    public var limits = DecodingLimits.default
    /// The requested layout of a pixel.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// Whether pixels are converted to sRGB or keep their stored values.
    public var colorConversion = ColorConversion.sRGB
    /// Which frames of a video become pictures.
    public var video = VideoOptions()
    /// The part of the upright picture that is scaled to ``thumbnailPixelSize``, which is then the size of the result,
    /// also if that is larger than the part; nil means the whole picture. Coders of the library read this option. The
    /// result of a coder that has read it has the same ``Image/sourceRegion``.
    package var sourceRegion: PixelRegion?
    /// Options that the built-in coders do not read. The library passes these options unchanged to other coders.
    package var foreignOptions = ForeignCoderOptions()

    /// Makes options that request full size, ``PixelFormat/bgra8Premultiplied``, sRGB and the default limits.
    public init() {}

    /// The default values.
    package static let plain = DecodingOptions()

    /// Whether a picture of its usual size is the same with these options as with the default ones.
    var isPlain: Bool { scaleFactor == 1 && scaleDownLimitBytes == nil && givesPixels(of: .plain) }

    /// Whether a decode with these options gives the pixels of one with the other options. Compares the options that change
    /// pixels and that no cache key contains, so that a cached picture must be checked by them.
    ///
    /// Not compared: the box and its aspect ratio, which are in the key; the byte limit and the first frame, because a picture
    /// with another value may suffice (`ImageMatcher`); the scale, limits and hints, which change no pixel.
    package func givesPixels(of other: DecodingOptions) -> Bool {
        pixelFormat == other.pixelFormat && colorConversion == other.colorConversion
            && decodesToHDR == other.decodesToHDR && dynamicRange == other.dynamicRange && video == other.video
            && sourceRegion == other.sourceRegion && foreignOptions.givesPixels(of: other.foreignOptions)
    }
}

extension DecodingOptions {
    /// Reads an option dictionary. If a value has the wrong type, the default applies and a warning is logged. The
    /// same warning is logged only once.
    public init(_ options: ImageCoderOptions?) {
        self.init()
        guard let options else { return }
        firstFrameOnly = options.read(.decodeFirstFrameOnly, as: Bool.self) ?? false
        scaleFactor = NumberLimits.scale(options.readNumber(.decodeScaleFactor) ?? 1)
        preserveAspectRatio = options.read(.decodePreserveAspectRatio, as: Bool.self) ?? true
        thumbnailPixelSize = options.read(.decodeThumbnailPixelSize, as: CGSize.self).flatMap(PixelSize.init(box:))
        scaleDownLimitBytes = options.readByteCount(.decodeScaleDownLimitBytes)
        decodesToHDR = (options.readNumber(.decodeToHDR) ?? 0) != 0
        dynamicRange = options.read(.decodeDynamicRange, as: DynamicRange.self) ?? .standard
        limits = options.read(.decodeLimits, as: DecodingLimits.self) ?? .default
        pixelFormat = options.read(.decodePixelFormat, as: PixelFormat.self) ?? .bgra8Premultiplied
        colorConversion = options.read(.decodeColorConversion, as: ColorConversion.self) ?? .sRGB
        video = VideoOptions(options)
        foreignOptions = ForeignCoderOptions(options.filter { !Self.knownOptions.contains($0.key) })
    }

    private static let knownOptions: Set<ImageCoderOption> = [
        .decodeFirstFrameOnly, .decodeScaleFactor, .decodePreserveAspectRatio, .decodeThumbnailPixelSize,
        .decodeScaleDownLimitBytes, .decodeToHDR, .decodeLimits, .decodePixelFormat, .decodeColorConversion,
        .decodeDynamicRange, .decodeVideoTime, .decodeVideoPreviewFrameCount,
    ]

    /// The same options as a dictionary, for coders that do not accept the typed options.
    public var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [
            .decodeFirstFrameOnly: firstFrameOnly,
            // Store an `NSNumber`, because it can be cast to every numeric type, and a coder can expect another type
            // than `Double`.
            .decodeScaleFactor: NSNumber(value: scaleFactor),
            .decodePreserveAspectRatio: preserveAspectRatio,
            .decodeToHDR: NSNumber(value: decodesToHDR ? 1 : 0),
            .decodeLimits: limits,
            .decodePixelFormat: pixelFormat,
            .decodeColorConversion: colorConversion,
            .decodeDynamicRange: dynamicRange,
        ]
        if let box = thumbnailPixelSize {
            options[.decodeThumbnailPixelSize] = CGSize(width: box.width, height: box.height)
        }
        if let scaleDownLimitBytes { options[.decodeScaleDownLimitBytes] = NSNumber(value: scaleDownLimitBytes) }
        options.merge(video.dictionary) { known, _ in known }
        options.merge(foreignOptions.values) { known, _ in known }
        return options
    }

    /// Returns the pixel size to which an image of the upright size `size` is decoded. The result is never larger than
    /// `size`.
    ///
    /// If both the byte limit and the thumbnail box are set, the byte limit applies and the box is ignored. If the
    /// image does not fill one side of the box, this side of the result is rounded up, as in SDWebImage.
    public func targetSize(for size: PixelSize, frameCount: Int = 1) -> PixelSize {
        if sourceRegion != nil, let thumbnailPixelSize { return thumbnailPixelSize }
        if let limit = scaleDownLimitBytes {
            let bounded = ImageScaling.size(
                of: size, limitBytes: limit, bytesPerPixel: pixelFormat.bytesPerPixel, frameCount: frameCount)
            return bounded.width >= size.width || bounded.height >= size.height ? size : bounded
        }
        guard let box = thumbnailPixelSize else { return size }
        return ImageScaling.size(of: size, in: box, preserveAspectRatio: preserveAspectRatio, allowsEnlarging: false)
    }
}

extension PixelSize {
    /// Makes a thumbnail box from a size in pixels. Returns nil if a side is not a positive finite number. If
    /// ``DecodingOptions/thumbnailPixelSize`` is nil, the image is decoded at full size.
    public init?(box: CGSize) {
        guard box.width.isFinite, box.height.isFinite, box.width > 0, box.height > 0 else { return nil }
        self.init(
            width: Int(min(box.width.rounded(), 1e9)).clampedToPositive,
            height: Int(min(box.height.rounded(), 1e9)).clampedToPositive)
    }
}

extension Int {
    fileprivate var clampedToPositive: Int { Swift.max(self, 1) }
}

extension DecodingOptions {
    /// Returns the options for an image of this bit depth.
    ///
    /// If ``decodesToHDR`` is set and the image has more than 8 bits per channel, or if ``dynamicRange`` is
    /// ``DynamicRange/keep`` and the image has the curve of PQ or HLG, the result differs from these options in two values:
    /// - The pixel format is ``PixelFormat/rgba16``, or ``PixelFormat/rgbaHalf`` if the options request that format.
    /// - The colour conversion is ``DecodingOptions/ColorConversion/asStored``, so colours are not converted.
    ///
    /// - Parameter isHDR: Whether the transfer function of the image is PQ or HLG.
    package func resolved(bitDepth: Int, isHDR: Bool = false) -> DecodingOptions {
        guard bitDepth > 8, decodesToHDR || (dynamicRange == .keep && isHDR) else { return self }
        var options = self
        if options.pixelFormat != .rgbaHalf { options.pixelFormat = .rgba16 }
        options.colorConversion = .asStored
        return options
    }

    /// The headroom for which a gain map is applied; nil if it is not applied.
    package func appliedHeadroom(of metadata: GainMapMetadata) -> Double? {
        switch dynamicRange {
        case .high(let headroom): headroom
        case .keep: nil
        // A base of high dynamic range has the picture of the standard range as its alternate picture.
        case .standard: decodesToHDR ? metadata.headroom : metadata.isBaseHDR ? 1 : nil
        }
    }
}

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
    /// ``DecodingOptions/DynamicRange``: what the decode makes of a gain map, and of PQ and HLG. Default
    /// ``DecodingOptions/DynamicRange/standard``.
    public static let decodeDynamicRange = ImageCoderOption(rawValue: "decodeDynamicRange")
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
    /// ``EmbeddedMetadata``: the EXIF and XMP data to write into the file (JPEG, PNG, WebP, AVIF, JPEG XL, TIFF). By default, no EXIF or XMP data
    /// is written.
    public static let encodeMetadata = ImageCoderOption(rawValue: "encodeMetadata")
    /// `Bool`: whether the file is lossless. It has an effect in every format that has a lossy and a lossless form, not
    /// only in WebP. Default false.
    public static let encodeWebPLossless = ImageCoderOption(rawValue: "encodeWebPLossless")
    /// Number from 1 to 9: how much time the encoder may take to make a lossless file small (only PNG). Default 5.
    public static let encodeEffort = ImageCoderOption(rawValue: "encodeEffort")
    /// ``QualityAim``: the score that a lossy still gets, instead of a quality. By default, the quality counts.
    public static let encodeQualityAim = ImageCoderOption(rawValue: "encodeQualityAim")
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

    /// Whether the options are equal apart from hints, which name the format that a coder finds in the content anyway.
    func givesPixels(of other: Self) -> Bool {
        areHints ? other.areHints : !other.areHints && withoutHints == other.withoutHints
    }

    private var areHints: Bool {
        guard values.count <= 1 else { return values.keys.allSatisfy { Self.isHint($0) } }
        // Most loads have one hint, that of the extension. This path allocates nothing, also in a debug build.
        return values.isEmpty || Self.isHint(values[values.startIndex].key)
    }

    private var withoutHints: Self { Self(values.filter { !Self.isHint($0.key) }) }

    private static func isHint(_ option: ImageCoderOption) -> Bool {
        option == .decodeFileExtensionHint || option == .decodeTypeIdentifierHint
    }

    private static func haveEqualValues(_ left: Self, _ right: Self) -> Bool {
        left.values.allSatisfy { key, value in right.values[key].map { isEqual(value, $0) } ?? false }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(values.count)
        // Every load hashes its options, and usually the dictionary is empty. Return early for an empty dictionary:
        // sorting its empty list of keys would take 2,600 instructions.
        guard !values.isEmpty else { return }
        if values.count == 1, let only = values.first { return hasher.combine(only.key.rawValue) }
        for key in values.keys.map(\.rawValue).sorted() { hasher.combine(key) }
    }

    private static func isEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        guard type(of: left) is AnyClass, type(of: right) is AnyClass else { return false }
        return left as AnyObject === right as AnyObject
    }
}
