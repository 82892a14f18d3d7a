import CWebImageCodecShim
import CWebImageJPEG
public import Foundation
public import WebImageCore
import WebImageGraphics

/// Decodes and encodes JPEG (ITU-T T.81, JFIF, EXIF) with libjpeg-turbo.
///
/// Supports baseline, progressive and arithmetic-coded files with 8 bits per channel in grey, RGB, YCbCr, CMYK and
/// YCCK. For a thumbnail, libjpeg-turbo decodes at a half, a quarter or an eighth of the size, but at twice the thumbnail
/// size at least. The result is then scaled to the thumbnail size. Thread-safe; several threads can decode at the same time.
///
/// A partial image shows the rows that have arrived. If the file has several scans, a partial image shows the newest
/// complete scan.
public struct ImageJPEGCoder: BuiltInImageCoder {
    /// The shared coder for whole files. It has no state.
    public static let shared = ImageJPEGCoder()

    /// The functions that recognise and stream files of this format.
    public static let fileType = CodecFileType(format: .jpeg, makeStream: { JPEGStream($0) })

    /// The picture that this instance was created for. Empty in the shared instance.
    public let work: CodecWork

    /// Creates a coder that decodes whole files and behaves like ``shared``.
    public init() { work = CodecWork() }

    /// Creates an instance for one picture or one animation.
    public init(work: CodecWork) { self.work = work }
}

extension ImageJPEGCoder {
    /// Returns size, orientation, channels and bit depth, and whether the file has a colour profile. Reads only the
    /// markers before the first scan.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try JPEGDecoder(bytes, limits: limits)
            try limits.checkPixels(decoder.size)
            var info = decoder.info
            // The picture of standard dynamic range is there, whatever the fault of its map is.
            if let map = try? JPEGGainMap.find(in: bytes, limits: limits) {
                info.hdr = (try? map.description(in: bytes, limits: limits)).map { HDRDescription(gainMap: $0) }
            }
            return info
        }
    }

    /// Decodes the image. Throws an error for a truncated file, although libjpeg can fill the missing part with grey.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try JPEGDecoder(bytes, limits: options.limits)
            try options.limits.checkPixels(decoder.size)
            try options.checkMemory(for: decoder.info)
            if options.dynamicRange != .standard || options.decodesToHDR,
                let image = try Self.highRangeImage(bytes, by: decoder, options)
            {
                return image
            }
            let picture = try decoder.picture(bytes, options)
            return try picture.finished(options: options, fullSize: decoder.size)
        }
    }

    /// Decodes a picture together with its gain map, which is attached or applied. Returns nil if the file has no usable map:
    /// the picture of standard dynamic range is there, whatever the fault of its map is.
    private static func highRangeImage(
        _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder, _ options: DecodingOptions
    ) throws(WebImageError) -> Image? {
        guard !decoder.isCMYK, let found = try? JPEGGainMap.find(in: bytes, limits: options.limits) else { return nil }
        let map: GainMap
        do throws(WebImageError) {
            map = try found.decoded(in: bytes, options: options, base: decoder.info)
        } catch {
            try WorkBudget.checkCurrent()
            return nil
        }
        return try map.image(options) { own throws(WebImageError) in
            try decoder.picture(bytes, own).finished(options: own, fullSize: decoder.size)
        }
    }
}

extension ImageJPEGCoder: GainMapReading {
    package func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap? {
        try options.limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try JPEGDecoder(bytes, limits: options.limits)
            guard !decoder.isCMYK else { return nil }
            return try JPEGGainMap.find(in: bytes, limits: options.limits)?
                .decoded(in: bytes, options: options, base: decoder.info)
        }
    }
}

extension JPEGDecoder {
    /// Size, orientation, channels and bit depth. These values are in the markers before the first scan.
    var info: ImageInfo {
        var info = ImageInfo(format: .jpeg, storedSize: size)
        info.orientation = orientation
        info.isGray = isGray
        info.bitDepth = bitDepth
        info.hasICCProfile = hasICCProfile
        // A coarse file may have a plane of half its sides, where others have one of a quarter.
        info.workingMemory.fixedBytes = Int(clamping: header.coefficient_bytes) + (isCoarse ? size.pixelCount : 0)
        info.workingMemory.shrinksWhileReading = true
        return info
    }

    /// Returns the layout and size of the rows that libjpeg writes for these options: the smallest plane from which the
    /// result can be scaled without a loss that is visible (`Documentation/Decisions/dct-scaling.md`).
    func plan(_ options: DecodingOptions) throws(WebImageError) -> JPEGRowLayout {
        let orientation = orientation
        let resampling = options.resampling(of: size, orientation)
        let profile = try matchingProfile()
        let staysGray = isGray && (resampling.target != size || (profile != nil && options.colorConversion == .sRGB))
        let layout = staysGray ? .gray8 : Self.layout(for: options.pixelFormat, isCMYK: isCMYK)
        let color = isCMYK ? JCS_CMYK : Self.color(of: layout)
        let eighths =
            JPEGThumbnailLoop.allowsCoarseChroma ? Self.eighthsForMeans(resampling) : eighths(for: resampling)
        let stored = try outputSize(color: color, eighths: eighths)
        return JPEGRowLayout(
            layout: layout, size: stored, eighths: eighths, orientation: orientation, profile: profile)
    }

    /// The smallest scale from which the result can be made. The means of a coarse file's blocks go beyond black and white, where
    /// a complete decode limits the pixels: a quarter loses up to 2.8 points of SSIMULACRA2 there, half of the sides 0.9, for
    /// a tenth (progressive files) to a third of the time. From an eighth, the filter averages 16 pixels or more: 0.9 points.
    private func eighths(for resampling: Resampling) -> Int {
        let eighths = resampling.eighths
        return eighths == 2 && isCoarse ? 4 : eighths
    }

    /// The smallest scale for a mean colour or a hash, which need no detail: the plane of a small picture has twice the pixels
    /// of the result as well.
    private static func eighthsForMeans(_ resampling: Resampling) -> Int {
        let side = min(resampling.stored.width, resampling.stored.height)
        return [1, 2, 4].first {
            resampling.ratio * Double($0) >= 8 * Resampling.leastRatio && side * $0 >= 8 * 64
        } ?? 8
    }

    /// Creates a picture from decompressed pixels. For a CMYK file, converts CMYK to RGB in place and thereby
    /// overwrites `pixels`. Every JPEG with CMYK stores 1 − ink: decoders agree on this, also for files without the marker
    /// of Adobe.
    func picture(_ pixels: PixelBuffer, _ plan: JPEGRowLayout) throws(WebImageError) -> DecodedPicture {
        var picture = DecodedPicture(
            pixels: pixels, orientation: plan.orientation, profile: plan.profile, hasAlpha: false, format: .jpeg)
        // The plane has whole pixels, so its last column and row can show less than a whole block.
        if plan.eighths < 8 { picture.reduction = .init(factor: 8 / Double(plan.eighths)) }
        if isCMYK {
            picture.profile = nil
            picture.pixels = try pixels.convertedFromCMYK(
                isInverted: true, profile: plan.profile)
        }
        return picture
    }

    /// Decompresses a whole file: a thumbnail by ``JPEGThumbnailLoop`` if possible, otherwise by libjpeg-turbo. The loop
    /// writes the result's size at once, or an eighth of the file's size with the pixels of libjpeg-turbo.
    func picture(
        _ bytes: UnsafeRawBufferPointer, _ options: DecodingOptions
    ) throws(WebImageError) -> DecodedPicture {
        let plan = try plan(options)
        let resampling = options.resampling(of: size, orientation)
        let (region, target) = (resampling.region, resampling.target)
        var isTried = false
        if isCMYK, let profile = plan.profile, ColorTransformCache.canConvertInk(of: profile) {
            let side = JPEGThumbnailLoop.unscaledInkSamples(from: region, to: target, eighths: plan.eighths)
            isTried = side != nil
            if let side, let inks = try JPEGThumbnailLoop.decodeInks(bytes, by: self, side: side) {
                var picture = try picture(inks, plan)
                picture.reduction = .init(factor: 8 / Double(side), left: 0, top: 0)
                return picture
            }
        } else if let planes = try JPEGThumbnailLoop.decodePlanes(
            bytes, by: self, from: region, to: target, format: plan.layout)
        {
            var picture = DecodedPicture(
                pixels: planes, orientation: plan.orientation, profile: isCMYK ? nil : plan.profile, hasAlpha: false,
                format: .jpeg)
            picture.isScaled = true
            return picture
        } else {
            isTried = JPEGThumbnailLoop.samples(from: region, to: target, of: self) != nil
        }
        let pixels = try plan.makeBuffer()
        // What keeps the loop from planes of a file with one scan keeps it from 1/8 as well. Do not search twice. Inks of
        // different resolutions have planes only if the ratio is the same in both directions.
        let isRefused = isTried && header.coefficient_bytes == 0 && !(isCMYK && hasSmallChroma)
        if plan.eighths == 1, !isRefused, try JPEGThumbnailLoop.decode(bytes, by: self, into: pixels) {
            return try picture(pixels, plan)
        }
        try readRows(of: bytes, into: pixels)
        return try picture(pixels, plan)
    }

    /// Returns the file's profile if the profile is for the file's channels (grey, RGB or CMYK). A profile for other
    /// channels is an error in the file and is ignored.
    private func matchingProfile() throws(WebImageError) -> ColorProfile? {
        guard let profile = try profile() else { return nil }
        let colorSpace = isGray ? "GRAY" : isCMYK ? "CMYK" : "RGB "
        return profile.iccData.dropFirst(16).prefix(4).elementsEqual(colorSpace.utf8) ? profile : nil
    }

    private static func layout(for wanted: PixelFormat, isCMYK: Bool) -> PixelFormat {
        isCMYK || wanted.bitsPerComponent > 8 ? .rgba8 : wanted
    }

    private static func color(of layout: PixelFormat) -> J_COLOR_SPACE {
        switch layout {
        case .bgra8Premultiplied: JCS_EXT_BGRA
        case .rgba8, .rgba16, .rgbaHalf: JCS_EXT_RGBA
        case .rgb8: JCS_RGB
        case .gray8: JCS_GRAYSCALE
        }
    }
}

/// Layout, size, scale and colour handling of the rows that libjpeg writes.
struct JPEGRowLayout {
    let layout: PixelFormat
    let size: PixelSize
    let eighths: Int
    let orientation: ImageOrientation
    let profile: ColorProfile?

    func makeBuffer() throws(WebImageError) -> PixelBuffer {
        try PixelBuffer(width: size.width, height: size.height, format: layout)
    }
}

extension ImageJPEGCoder {
    /// Encodes a baseline JPEG. If `options.progressive` is true, encodes a progressive JPEG.
    ///
    /// - Quality: 0…1 corresponds to 0…100 in libjpeg. If the quality is below 0.9, colour is stored at half the width
    ///   and half the height (4:2:0). Otherwise colour is stored at full size (4:4:4).
    /// - Aim: If `qualityAim` is set, colour is stored at half size where the score can be reached so, and otherwise at full size.
    /// - File size: If `maxFileSize` is set, the quality is the highest quality at which the file is within this limit.
    ///   If no quality is low enough, the lowest quality is used.
    /// - Transparency: Transparent pixels are blended with the background colour in the options.
    /// - Gain map: If `keepsHDR` is set, the gain map of ``Image/hdr`` is written behind the picture, with the metadata of
    ///   ISO 21496-1 and Adobe and a multi-picture index (Ultra HDR). An image of PQ or HLG becomes the picture that the tone
    ///   curve shows, with a map that leads back. A base with the higher range and its alternate picture change places.
    /// - Metadata: The image's profile is written. EXIF and XMP are written if the options contain them.
    public func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        guard canEncode(to: format) else {
            throw WebImageError(.encodingFailed, stage: .encode, underlying: .message("JPEG cannot write \(format)"))
        }
        let image = options.keepsHDR ? try image.withStandardBase() ?? image : image
        if let file = try AimedEncoding(of: image, as: .jpeg, options, by: self)?.file() { return file }
        let pixels = try Self.opaquePixels(of: image, options: options)
        let writer = options.keepsHDR ? try Self.gainMapWriter(of: image, size: pixels.size) : nil
        let encoding = JPEGEncoding(
            pixels: pixels, profile: image.colorProfile?.matching(pixels.format), isProgressive: options.progressive,
            halvesChroma: options.halvesChroma,
            metadata: try JPEGMetadata(
                options.metadata, thumbnail: options.embedsThumbnail ? try Self.thumbnail(of: pixels) : nil,
                description: writer?.description))
        func file(_ quality: Int) throws(WebImageError) -> Data {
            let primary = try encoding.encode(quality: quality)
            return writer?.file(primary: primary) ?? primary
        }
        guard let limit = options.maxFileSize else { return try file(Int((options.quality * 100).rounded())) }
        return try QualitySearch.encode(maxBytes: limit) { quality throws(WebImageError) in try file(quality) }
    }

    /// Returns the writer of the image's gain map, at the resolution that belongs to `size`. Nil if the image has none: a
    /// transparent picture loses its map, because the factors do not belong to the background.
    private static func gainMapWriter(of image: Image, size: PixelSize) throws(WebImageError) -> JPEGGainMapWriter? {
        guard !image.hasAlpha, let map = image.hdr?.gainMap, !map.metadata.isBaseHDR else { return nil }
        let fitting = try map.resampled(from: PixelRegion(image.pixelSize), of: image.pixelSize, to: size)
        return try fitting.pixels.map { pixels throws(WebImageError) in
            try JPEGGainMapWriter(fitting, pixels: try pixels.converted(to: pixels.format == .gray8 ? .gray8 : .rgb8))
        }
    }

    /// Returns an encoded thumbnail of at most 320×320 px.
    private static func thumbnail(of pixels: PixelBuffer) throws(WebImageError) -> Data {
        let size = ImageScaling.size(
            of: PixelSize(width: pixels.width, height: pixels.height), in: PixelSize(width: 320, height: 320),
            preserveAspectRatio: true, allowsEnlarging: false)
        let small = try pixels.scaled(to: size, isOpaque: true)
        return try JPEGEncoding(pixels: small, profile: nil, isProgressive: false, metadata: nil).encode(quality: 75)
    }

    private static func opaquePixels(of image: Image, options: EncodingOptions) throws(WebImageError) -> PixelBuffer {
        var pixels = image.pixels
        if let box = options.maxPixelSize {
            let size = ImageScaling.size(
                of: image.pixelSize, in: box, preserveAspectRatio: true, allowsEnlarging: false)
            pixels = try pixels.scaled(to: size, isOpaque: !image.hasAlpha)
        }
        if image.hasAlpha, pixels.format.hasAlpha { return try pixels.composited(over: options.backgroundColor) }
        return pixels.format.bitsPerComponent > 8 ? try pixels.converted(to: .rgba8, isOpaque: true) : pixels
    }
}

/// Converts the status codes of the libjpeg shim to errors with a hint.
enum JPEGError {
    /// - Parameter decoder: The decoder that returned the status. It has the message of libjpeg.
    static func error(of decoder: OpaquePointer, status: Int32, limits: DecodingLimits) -> WebImageError {
        let seconds = Int(clamping: limits.maxDecodeTime.components.seconds)
        switch Int(status) {
        case WEBIMAGE_JPEG_OUT_OF_TIME:
            // The decode also ends when its job is cancelled.
            do throws(WebImageError) { try WorkBudget.checkCurrent() } catch { return error }
            return .limit(.decodeTime, actual: seconds, allowed: seconds)
        case WEBIMAGE_JPEG_TOO_MANY_SCANS: return .badData("libjpeg", "more than 500 scans", hint: damaged)
        case WEBIMAGE_JPEG_ANCILLARY:
            return .limit(.ancillaryBytes, actual: .max, allowed: limits.maxAncillaryBytes)
        case WEBIMAGE_JPEG_TRUNCATED:
            return .badData("libjpeg", "the file ends inside its picture", hint: truncated)
        default:
            let message = String(cString: webimage_jpeg_message(decoder))
            return .badData("libjpeg", message, hint: webimage_jpeg_ran_dry(decoder) != 0 ? truncated : damaged)
        }
    }

    private static let truncated = "The file is cut off. Fetch it again."
    private static let damaged = "The file is damaged, or a kind of JPEG that viewers do not support."
}
