import CCodecShim
public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes PNG and reads the default image of APNG (PNG third edition), by libpng.
///
/// Of the ancillary chunks only `tRNS`, `iCCP`, `eXIf` and XMP are read and count against the limits; the others are
/// skipped and cost nothing. The decode time is checked every 256 KB of pixels. Safe on any thread.
public final class ImagePNGCoder: DetailedImageCoder {
    /// The one instance; it has no state.
    public static let shared = ImagePNGCoder()

    /// Makes another one.
    public init() {}

    /// Whether the data starts as a PNG file does.
    public func canDecode(from data: Data?) -> Bool {
        data.map { ImageFormat(sniffing: $0.prefix(ImageFormat.signatureLength)) == .png } ?? false
    }

    /// Whether the format is PNG.
    public func canEncode(to format: ImageFormat) -> Bool { format == .png }

    /// What the chunks say; pixels stay deflated.
    ///
    /// - Throws: `.badImageData` without a whole header, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let chunks = try data.withFileBytes { bytes throws(WebImageError) in try PNGChunks(bytes, limits: limits) }
        var info = ImageInfo(format: chunks.animation == nil ? .png : .apng, storedSize: chunks.header.size)
        info.orientation = chunks.orientation(in: data)
        if let animation = chunks.animation {
            info.frameCount = animation.frames.count
            info.loopCount = animation.loopCount
            info.delaysMilliseconds = animation.frames.map(\.delayMilliseconds)
        }
        info.hasAlpha = chunks.hasAlpha
        info.isGray = chunks.header.isGray
        info.bitDepth = chunks.header.bitDepth
        info.hasICCProfile = chunks.iccProfile != nil
        return info
    }

    /// The picture, for APNG the default image.
    ///
    /// - Throws: `.badImageData` with libpng's words, also for a file that is cut off; `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            var limits = options.limits
            if options.firstFrameOnly { limits.maxAnimationPixels = .max }
            let chunks = try PNGChunks(bytes, limits: limits)
            let picture = try Self.picture(bytes, chunks, orientation: chunks.orientation(in: data), options, deadline)
            return try picture.finished(options: options, fullSize: chunks.header.size)
        }
    }

    /// The file, deflated at zlib's usual level; without alpha when the image is opaque, with its profile if it has one.
    ///
    /// PNG is lossless: quality and file size are not the encoder's to choose and are ignored.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libpng", "\(format) is not PNG") }
        return try PNGWriter.encode(image, options: options)
    }

    private static func picture(
        _ bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks, orientation: ImageOrientation,
        _ options: DecodingOptions, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> DecodedPicture {
        let reader = try PNGReader(bytes)
        try reader.readHeader(limits: options.limits)
        let profile = chunks.iccProfile == nil ? nil : reader.profile
        let willConvertColors = profile != nil && options.colorConversion == .sRGB
        let plan = PNGPlan(chunks, wanted: options.pixelFormat, willConvertColors: willConvertColors)
        let pixels = try PixelBuffer(
            width: chunks.header.size.width, height: chunks.header.size.height, format: plan.format)
        try reader.read(into: pixels, layout: plan.layout, deadline: deadline) { rows throws(WebImageError) in
            if plan.premultiplies { pixels.premultiplyInPlace(rows: rows) }
        }
        return DecodedPicture(
            pixels: pixels, orientation: orientation, profile: profile, hasAlpha: chunks.hasAlpha, format: .png)
    }
}

/// Which rows libpng is asked for, given the layout that is wanted in the end.
private struct PNGPlan {
    var layout: CPNGLayout
    var format: PixelFormat
    /// libpng writes straight BGRA, which becomes the display format in place.
    var premultiplies = false

    init(_ chunks: PNGChunks, wanted: PixelFormat, willConvertColors: Bool) {
        switch wanted {
        case .rgba16: (layout, format) = (CPNG_RGBA16, .rgba16)
        case .gray8 where chunks.header.isGray && !chunks.hasAlpha: (layout, format) = (CPNG_GRAY8, .gray8)
        case .rgb8 where !chunks.hasAlpha: (layout, format) = (CPNG_RGB8, .rgb8)
        case .bgra8Premultiplied where !(chunks.hasAlpha && willConvertColors):
            (layout, format, premultiplies) = (CPNG_BGRA8, .bgra8Premultiplied, chunks.hasAlpha)
        // Colours are converted before they are multiplied, or dark transparent ones lose their precision.
        default: (layout, format) = (CPNG_RGBA8, .rgba8)
        }
    }
}

extension PNGChunks {
    /// EXIF's word, else XMP's; upright when neither says.
    fileprivate func orientation(in data: Data) -> ImageOrientation {
        exif.flatMap { ExifOrientation.orientation(exif: data.slice($0)) }
            ?? xmp.flatMap { ExifOrientation.orientation(xmp: data.slice($0)) } ?? .up
    }
}
