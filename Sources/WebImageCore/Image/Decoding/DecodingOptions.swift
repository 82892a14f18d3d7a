public import Foundation

/// The parameters of a decode: the typed, comparable form of ``ImageCoderOptions``.
public struct DecodingOptions: Sendable, Hashable {
    /// The conversion of pixels whose colours are not sRGB.
    public enum ColorConversion: String, Sendable, Hashable {
        /// Convert to sRGB.
        case sRGB = "srgb"
        /// Keep the values that the file stores, and attach the file's profile to the image.
        case asStored = "as-is"
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
    /// are then not converted, and the file's profile is attached to the image.
    public var decodesToHDR = false
    /// The limits of the decode.
    public var limits = DecodingLimits.default
    /// The requested layout of a pixel.
    public var pixelFormat = PixelFormat.bgra8Premultiplied
    /// Whether pixels are converted to sRGB or keep their stored values.
    public var colorConversion = ColorConversion.sRGB
    /// Options that the built-in coders do not read. The library passes these options unchanged to other coders.
    package var foreignOptions = ForeignCoderOptions()

    /// Makes options that request full size, ``PixelFormat/bgra8Premultiplied``, sRGB and the default limits.
    public init() {}

    /// Whether the options request the display layout and sRGB. False if they set a byte limit or keep high dynamic
    /// range.
    var isPlain: Bool {
        scaleDownLimitBytes == nil && !decodesToHDR && pixelFormat == .bgra8Premultiplied && colorConversion == .sRGB
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
        limits = options.read(.decodeLimits, as: DecodingLimits.self) ?? .default
        pixelFormat = options.read(.decodePixelFormat, as: PixelFormat.self) ?? .bgra8Premultiplied
        colorConversion = options.read(.decodeColorConversion, as: ColorConversion.self) ?? .sRGB
        foreignOptions = ForeignCoderOptions(options.filter { !Self.knownOptions.contains($0.key) })
    }

    private static let knownOptions: Set<ImageCoderOption> = [
        .decodeFirstFrameOnly, .decodeScaleFactor, .decodePreserveAspectRatio, .decodeThumbnailPixelSize,
        .decodeScaleDownLimitBytes, .decodeToHDR, .decodeLimits, .decodePixelFormat, .decodeColorConversion,
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
        ]
        if let box = thumbnailPixelSize {
            options[.decodeThumbnailPixelSize] = CGSize(width: box.width, height: box.height)
        }
        if let scaleDownLimitBytes { options[.decodeScaleDownLimitBytes] = NSNumber(value: scaleDownLimitBytes) }
        options.merge(foreignOptions.values) { known, _ in known }
        return options
    }

    /// Returns the pixel size to which an image of the upright size `size` is decoded. The result is never larger than
    /// `size`.
    ///
    /// If both the byte limit and the thumbnail box are set, the byte limit applies and the box is ignored. If the
    /// image does not fill one side of the box, this side of the result is rounded up, as in SDWebImage.
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
    /// If ``decodesToHDR`` is set and the image has more than 8 bits per channel, the result differs from these options
    /// in two values:
    /// - The pixel format is ``PixelFormat/rgba16``, or ``PixelFormat/rgbaHalf`` if the options request that format.
    /// - The colour conversion is ``DecodingOptions/ColorConversion/asStored``, so colours are not converted.
    package func resolved(bitDepth: Int) -> DecodingOptions {
        guard decodesToHDR, bitDepth > 8 else { return self }
        var options = self
        if options.pixelFormat != .rgbaHalf { options.pixelFormat = .rgba16 }
        options.colorConversion = .asStored
        return options
    }
}
