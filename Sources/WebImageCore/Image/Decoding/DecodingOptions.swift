public import Foundation

/// The parameters of a decode: the typed, comparable form of ``ImageCoderOptions``.
public struct DecodingOptions: Sendable, Hashable {
    /// The conversion of pixels that are not sRGB.
    public enum ColorConversion: String, Sendable, Hashable {
        /// Convert to sRGB.
        case sRGB = "srgb"
        /// Leave the values as the file stores them and attach the profile to the image.
        case asStored = "as-is"
    }

    /// Decode only the first frame.
    public var firstFrameOnly = false
    /// The image's scale, at least 1.
    public var scaleFactor: Double = 1
    /// Fit the thumbnail into its box; false stretches it.
    public var preserveAspectRatio = true
    /// The box in pixels that the image must fit, compared with its upright size; nil means full size.
    public var thumbnailPixelSize: PixelSize?
    /// The maximum bytes of all decoded frames together; nil means no limit. Overrides the thumbnail size.
    public var scaleDownLimitBytes: Int?
    /// Keep high dynamic range: an image with more than eight bits per channel is decoded to ``PixelFormat/rgba16`` (or to
    /// ``PixelFormat/rgbaHalf`` if that is the requested layout). Its colours stay as stored, with the profile that defines
    /// them.
    public var decodesToHDR = false
    /// The limits of the decode.
    public var limits = DecodingLimits.default
    /// The requested layout of a pixel.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// Whether pixels are converted to sRGB.
    public var colorConversion = ColorConversion.sRGB
    /// Options of other coders, passed on unchanged.
    package var foreignOptions = ForeignCoderOptions()

    /// Makes options for full size, display layout and sRGB, within the default limits.
    public init() {}

    /// Whether the pixels have the usual layout and colours, and neither a byte limit nor high dynamic range was
    /// requested.
    var isPlain: Bool {
        scaleDownLimitBytes == nil && !decodesToHDR && pixelFormat == .bgra8Premultiplied && colorConversion == .sRGB
    }
}

extension DecodingOptions {
    /// Reads an option dictionary. For a value of the wrong type, the default applies and a warning is logged once.
    public init(_ options: ImageCoderOptions?) {
        self.init()
        guard let options else { return }
        firstFrameOnly = options.read(.decodeFirstFrameOnly, as: Bool.self) ?? false
        scaleFactor = NumberLimits.scale(options.readNumber(.decodeScaleFactor) ?? 1)
        preserveAspectRatio = options.read(.decodePreserveAspectRatio, as: Bool.self) ?? true
        thumbnailPixelSize = options.read(.decodeThumbnailPixelSize, as: CGSize.self).flatMap(PixelSize.init(box:))
        scaleDownLimitBytes = options.readByteCount(.decodeScaleDownLimitBytes)
        decodesToHDR = (options.readNumber(.decodeToHDR) ?? 0) != 0
        limits = options.read(.decodeLimits, as: DecodingLimits.self) ?? .default
        pixelFormat = options.read(.decodePixelFormat, as: PixelFormat.self) ?? .bgra8Premultiplied
        colorConversion = options.read(.decodeColorConversion, as: ColorConversion.self) ?? .sRGB
        foreignOptions = ForeignCoderOptions(options.filter { !Self.knownOptions.contains($0.key) })
    }

    private static let knownOptions: Set<ImageCoderOption> = [
        .decodeFirstFrameOnly, .decodeScaleFactor, .decodePreserveAspectRatio, .decodeThumbnailPixelSize,
        .decodeScaleDownLimitBytes, .decodeToHDR, .decodeLimits, .decodePixelFormat, .decodeColorConversion,
    ]

    /// The equivalent option dictionary, for coders that do not accept the typed options.
    public var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [
            .decodeFirstFrameOnly: firstFrameOnly,
            // An `NSNumber`, because a coder may read it as any numeric type.
            .decodeScaleFactor: NSNumber(value: scaleFactor),
            .decodePreserveAspectRatio: preserveAspectRatio,
            .decodeToHDR: NSNumber(value: decodesToHDR ? 1 : 0),
            .decodeLimits: limits,
            .decodePixelFormat: pixelFormat,
            .decodeColorConversion: colorConversion,
        ]
        if let box = thumbnailPixelSize {
            options[.decodeThumbnailPixelSize] = CGSize(width: box.width, height: box.height)
        }
        if let scaleDownLimitBytes { options[.decodeScaleDownLimitBytes] = NSNumber(value: scaleDownLimitBytes) }
        options.merge(foreignOptions.values) { known, _ in known }
        return options
    }

    /// Returns the pixel size for decoding an image of `size` (upright); never larger than the image.
    ///
    /// A byte limit takes precedence over the box. Rounding is SDWebImage's: the shortened side is rounded up.
    public func targetSize(for size: PixelSize, frameCount: Int = 1) -> PixelSize {
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
    /// Makes a box from a size in pixels; nil when a side is not a positive finite number, which means "full size".
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
