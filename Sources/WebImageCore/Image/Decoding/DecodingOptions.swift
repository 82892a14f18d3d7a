public import Foundation

/// How a picture is to be decoded: the typed, comparable reading of ``ImageCoderOptions``.
public struct DecodingOptions: Sendable, Hashable {
    /// What happens to pixels that are not sRGB.
    public enum ColorConversion: String, Sendable, Hashable {
        /// Convert to sRGB.
        case sRGB = "srgb"
        /// Leave the values as the file stores them and hand the profile on.
        case asStored = "as-is"
    }

    /// Decode the first frame alone.
    public var firstFrameOnly = false
    /// The image's scale, at least 1.
    public var scaleFactor: Double = 1
    /// Fit the thumbnail into its box; false stretches it.
    public var preserveAspectRatio = true
    /// The box in pixels the picture must fit, compared with the picture as seen; nil is full size.
    public var thumbnailPixelSize: PixelSize?
    /// Bytes all frames together may take decoded; nil is no bound. Overrides the thumbnail size.
    public var scaleDownLimitBytes: Int?
    /// Keep high dynamic range: what stores more than eight bits a channel comes as ``PixelFormat/rgba16`` (or
    /// ``PixelFormat/rgbaHalf`` if that is the wanted layout), its colours as stored with the profile that says what they mean.
    public var decodesToHDR = false
    /// What the picture may cost.
    public var limits = DecodingLimits.default
    /// The wanted layout of a pixel.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// Whether pixels are converted to sRGB.
    public var colorConversion = ColorConversion.sRGB
    /// Options of other coders, handed on as they are.
    package var further = FurtherCoderOptions()

    /// Full size, for display, in sRGB, within the default limits.
    public init() {}
}

extension DecodingOptions {
    /// Reads the open dictionary; a value of the wrong type is logged once and left at its default.
    public init(_ options: ImageCoderOptions?) {
        self.init()
        guard let options else { return }
        firstFrameOnly = options.read(.decodeFirstFrameOnly, as: Bool.self) ?? false
        scaleFactor = Number.scale(options.readNumber(.decodeScaleFactor) ?? 1)
        preserveAspectRatio = options.read(.decodePreserveAspectRatio, as: Bool.self) ?? true
        thumbnailPixelSize = options.read(.decodeThumbnailPixelSize, as: CGSize.self).flatMap(PixelSize.init(box:))
        scaleDownLimitBytes = options.readByteCount(.decodeScaleDownLimitBytes)
        decodesToHDR = (options.readNumber(.decodeToHDR) ?? 0) != 0
        limits = options.read(.decodeLimits, as: DecodingLimits.self) ?? .default
        pixelFormat = options.read(.decodePixelFormat, as: PixelFormat.self) ?? .bgra8Premultiplied
        colorConversion = options.read(.decodeColorConversion, as: ColorConversion.self) ?? .sRGB
        further = FurtherCoderOptions(options.filter { !Self.knownOptions.contains($0.key) })
    }

    private static let knownOptions: Set<ImageCoderOption> = [
        .decodeFirstFrameOnly, .decodeScaleFactor, .decodePreserveAspectRatio, .decodeThumbnailPixelSize,
        .decodeScaleDownLimitBytes, .decodeToHDR, .decodeLimits, .decodePixelFormat, .decodeColorConversion,
    ]

    /// The open dictionary with the same meaning, for coders that know only that.
    public var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [
            .decodeFirstFrameOnly: firstFrameOnly,
            // A number of Foundation's: a coder may ask for it as whichever numeric type it likes.
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
        options.merge(further.values) { known, _ in known }
        return options
    }

    /// The pixel size to decode a picture of `size` (as seen) to; never larger than the picture.
    ///
    /// A byte bound wins over the box. Rounding is the original's: the side that gives way is rounded up.
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
    /// A box from a size in pixels; nil when a side is not a positive finite number, which means "full size".
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
