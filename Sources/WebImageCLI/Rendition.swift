import Foundation
import WebImage
import WebImageCore
import WebImageGraphics

/// The properties that a written picture should have, such as size, quality and transform steps.
struct Rendition: Sendable {
    /// An encoded picture: the bytes to write and their properties.
    struct Output: Sendable {
        var data: Data
        var format: ImageFormat
        var pixelSize: PixelSize
        /// Whether the bytes are the unchanged input.
        var isOriginal = false
    }

    var size: SizeLimit?
    var quality: Int?
    /// The score that a lossy still gets, instead of a quality.
    var aim: QualityAim?
    var effort: Int?
    var frame: Int?
    /// The time of the frame of a video, in seconds. Nil means its poster.
    var time: Double?
    var color: DecodingOptions.ColorConversion?
    /// What happens to a high dynamic range; nil keeps a gain map in a JPEG, and maps PQ and HLG to sRGB unless the output
    /// keeps the stored values.
    var range: RangeUse?
    var limits = DecodingLimits.default
    var transformers: [any ImageTransformer] = []
    /// Whether the EXIF and XMP data of the input are written. Applies only to JPEG output.
    var keepsMetadata = false
    /// Whether EXIF and XMP must not be in the output. Then a JPEG is not converted to JPEG XL as it is.
    var dropsMetadata = false
    /// Whether the output is a copy of the input's bytes if the picture needs no change.
    var copiesUnchanged = false

    /// The values of `--hdr`.
    enum RangeUse: String, Sendable, CaseIterable {
        /// Writes the high dynamic range in the form of the input, where the output format has it.
        case keep
        /// Applies the gain map and writes PQ.
        case apply
        /// Writes a picture of standard dynamic range.
        case drop
    }

    private static let curveFormats: [ImageFormat] = [.png, .avif, .jpegXL]

    private var manager: ImageCodersManager { .shared }

    /// Whether an output in `format` is an unchanged copy of the input's bytes.
    func isCopy(_ info: ImageInfo, to format: ImageFormat?) -> Bool {
        copiesUnchanged && needsNoPixels(info) && (format ?? info.format.container) == info.format.container
    }

    /// What an output needs of a video: all of it for a copy and for previews, otherwise the poster.
    ///
    /// - Parameter format: The format of the output; nil for that of the input, which no coder of videos writes.
    func demand(as format: ImageFormat?) -> PictureDemand {
        let poster = PictureDemand.poster(time: time)
        if let frame { return frame == 0 ? poster : .whole }
        guard time == nil else { return poster }
        guard let format else { return copiesUnchanged && size == nil ? .whole : poster }
        return manager.canEncodeFrames(to: format.container) ? .whole : poster
    }

    /// Whether no option asks for other pixels, or for another way of encoding them.
    private func needsNoPixels(_ info: ImageInfo) -> Bool {
        transformers.isEmpty && frame == nil && color == nil && range == nil && quality == nil && aim == nil
            && effort == nil && fits(info)
    }

    /// Returns a JPEG as JPEG XL or such a file as the JPEG that it was, bit for bit. Nil if the pixels must be encoded.
    private func transcoded(_ data: Data, _ info: ImageInfo, to wanted: ImageFormat?) throws(WebImageError) -> Data? {
        guard let wanted, needsNoPixels(info), !dropsMetadata, let transcoder = manager.jpegTranscoder else {
            return nil
        }
        switch (info.format, wanted) {
        case (.jpeg, .jpegXL):
            do throws(WebImageError) {
                return try transcoder.transcoded(jpeg: data, limits: limits)
            } catch {
                // JPEG XL cannot hold every kind of JPEG.
                guard error.code == .badImageData else { throw error }
                return nil
            }
        case (.jpegXL, .jpeg): return try transcoder.originalJPEG(in: data, limits: limits)
        default: return nil
        }
    }

    /// Encodes the picture in `format`. If `format` is nil, uses the picture's own format. If the own format cannot be
    /// written, uses PNG for a picture with alpha and JPEG for other pictures.
    ///
    /// - Parameter decoded: The first frame, decoded with the options of ``decodingOptions(_:_:)``. Nil if it was not
    ///   decoded yet.
    func output(
        of data: Data, _ info: ImageInfo, format wanted: ImageFormat?, decoded: Image? = nil
    ) throws(WebImageError) -> Output {
        if isCopy(info, to: wanted), !VideoParts.areParts(data) {
            return Output(data: data, format: info.format, pixelSize: info.pixelSize, isOriginal: true)
        }
        if let file = try transcoded(data, info, to: wanted) {
            return Output(data: file, format: wanted ?? info.format, pixelSize: info.pixelSize)
        }
        let format = format(wanted, info)
        if range == .apply, info.hdr?.gainMap != nil, !Self.curveFormats.contains(format.container) {
            throw WebImageError(
                .encodingFailed, stage: .encode,
                underlying: .message("\(format) holds no picture of high dynamic range"),
                hint: "Write PNG, AVIF or JPEG XL, or use --hdr keep or drop.")
        }
        // Pages are not an animation: only a file of pages keeps them.
        let hasFrames = info.format.framesArePages == format.framesArePages && info.frameCount > 1
        if hasFrames, frame == nil, time == nil, manager.canEncodeFrames(to: format) {
            return try animation(data, info, format)
        }
        let image = try still(data, info, format: format, decoded: decoded)
        let file = try manager.encode(image, format: format, options: encodingOptions(data, info, format))
        return Output(data: file, format: format, pixelSize: image.pixelSize)
    }

    /// Decodes one frame and applies all transform steps.
    func still(
        _ data: Data, _ info: ImageInfo, format: ImageFormat?, decoded: Image? = nil
    ) throws(WebImageError) -> Image {
        guard (frame ?? 0) < info.frameCount else {
            throw .badData("convert", "there is no frame \(frame ?? 0)", hint: "The picture has \(info.frameCount).")
        }
        var options = decodingOptions(info, format)
        if let frame, frame > 0, let animation = try manager.animation(of: data, options: options) {
            return try transformed(try animation.frame(at: frame))
        }
        options.firstFrameOnly = true
        let image = if let decoded { decoded } else { try manager.decode(data, options: options) }
        return try transformed(try quantized(image, info))
    }

    /// Returns an image of linear light as PQ, which files store.
    private func quantized(_ image: Image, _ info: ImageInfo) throws(WebImageError) -> Image {
        guard range == .apply, image.pixels.format == .rgbaHalf, let headroom = info.hdr?.headroom else { return image }
        return try image.perceptuallyQuantized(headroom: headroom) ?? image
    }

    /// Whether the output has the gain map of the input, or the values of PQ and HLG.
    private func keepsRange(_ info: ImageInfo, _ format: ImageFormat?) -> Bool {
        guard let hdr = info.hdr, let format = format?.container, range == nil || range == .keep else { return false }
        if hdr.gainMap != nil, [.jpeg, .jpegXL].contains(format) { return true }
        return range == .keep && hdr.isKept(in: format)
    }

    /// The options with which the picture is decoded.
    ///
    /// - Parameter format: The output format. Nil for raw pixel rows.
    func decodingOptions(_ info: ImageInfo, _ format: ImageFormat?) -> DecodingOptions {
        var options = DecodingOptions()
        options.limits = limits
        options.video.time = time
        setSize(of: info, in: &options)
        // Decode with straight alpha. Multiplying by alpha and dividing again would lose the colours of transparent
        // pixels.
        let isDeep = keepsDepth(info, format)
        options.pixelFormat = isDeep ? .rgba16 : .rgba8
        options.colorConversion = colorConversion(info, format, keepsDepth: isDeep)
        if keepsRange(info, format) { options.dynamicRange = .keep }
        if range == .apply, let hdr = info.hdr, hdr.gainMap != nil {
            options.dynamicRange = .high(headroom: hdr.headroom ?? 1)
        }
        if range == .drop, info.hdr?.transfer != nil {
            (options.pixelFormat, options.colorConversion) = (.rgba8, .sRGB)
        }
        return options
    }

    /// Makes the decode scale to exactly the requested size.
    func setSize(of info: ImageInfo, in options: inout DecodingOptions) {
        options.thumbnailPixelSize = size?.target(for: info.pixelSize, isVector: info.format.isVector)
        if size != nil { options.preserveAspectRatio = false }
    }

    private func colorConversion(
        _ info: ImageInfo, _ format: ImageFormat?, keepsDepth: Bool
    ) -> DecodingOptions.ColorConversion {
        guard let format else { return color ?? .asStored }
        // These formats have no place for a profile.
        if format.container == .gif || format.container == .bmp { return .sRGB }
        // 8 bits are too few for the stored values of some files with 16 bits, such as linear light.
        let keepsValues = keepsEveryBit(info, format) && (keepsDepth || info.bitDepth <= 8)
        return color ?? (keepsValues ? .asStored : .sRGB)
    }

    private func format(_ wanted: ImageFormat?, _ info: ImageInfo) -> ImageFormat {
        if let wanted { return wanted.container }
        let own = info.format.container
        return manager.canEncode(to: own) ? own : info.hasAlpha ? .png : .jpeg
    }

    private func fits(_ info: ImageInfo) -> Bool {
        guard let target = size?.target(for: info.pixelSize, isVector: false) else { return true }
        return info.pixelSize == target
    }

    /// Encodes all frames. Only one frame is in memory at a time. The output has the delays that the input file stores.
    /// Playback can use other delays.
    private func animation(_ data: Data, _ info: ImageInfo, _ format: ImageFormat) throws(WebImageError) -> Output {
        guard let animation = try manager.animation(of: data, options: decodingOptions(info, format)) else {
            throw .badData("convert", "the coder of \(info.format) gives no frames", hint: "Use --frame 0.")
        }
        let delays = info.delaysMilliseconds
        var size = info.pixelSize
        let file = try manager.encode(
            frameCount: animation.animatedImageFrameCount, loopCount: animation.animatedImagePlayCount,
            format: format, options: encodingOptions(data, info, format)
        ) { index throws(WebImageError) in
            guard !Task.isCancelled else { throw .cancelled }
            let image = try transformed(try animation.frame(at: index))
            // Pages can differ in size. The first one counts.
            if index == 0 { size = image.pixelSize }
            return ImageFrame(
                image: image,
                duration: index < delays.count ? delays[index] / 1000 : animation.animatedImageDuration(at: index))
        }
        return Output(data: file, format: format, pixelSize: size)
    }

    /// Applies the transform steps to the picture in order.
    private func transformed(_ image: Image) throws(WebImageError) -> Image {
        guard !transformers.isEmpty else { return image }
        let pipeline = ImagePipelineTransformer(transformers: transformers)
        guard let result = pipeline.transformedImage(with: image, forKey: "picture") else {
            throw WebImageError(
                .badImageData, stage: .transform,
                underlying: .message("nothing is left of the picture, or it would be too large"),
                hint: "The picture has \(image.pixelSize.width)x\(image.pixelSize.height) px before the first step.")
        }
        return result
    }

    /// Whether the output stores 16 bits per channel, because the input has more than 8.
    private func keepsDepth(_ info: ImageInfo, _ format: ImageFormat?) -> Bool {
        info.bitDepth > 8 && (format?.container == .png || format == .tiff)
    }

    private func keepsEveryBit(_ info: ImageInfo, _ format: ImageFormat) -> Bool {
        let target = [.png, .tiff].contains(format.container) || (format == .webP && quality == nil && aim == nil)
        return target && info.isLossless
    }

    private func encodingOptions(_ data: Data, _ info: ImageInfo, _ format: ImageFormat) -> EncodingOptions {
        var options = EncodingOptions()
        options.quality = Double(quality ?? 85) / 100
        options.qualityAim = aim
        options.lossless = keepsEveryBit(info, format)
        options.keepsHDR = keepsRange(info, format) || (range == .apply && info.hdr?.gainMap != nil)
        if let effort { options.effort = effort }
        if keepsMetadata, [.jpeg, .png, .webP, .avif, .jpegXL, .tiff].contains(format.container),
            let properties = try? manager.imageProperties(of: data, limits: limits)
        {
            // A JPEG stores each of them in one segment, whose length has 16 bits. What does not fit is left out.
            let limit = format.container == .jpeg ? 65_000 : Int.max
            func fitting(_ data: Data?) -> Data? { data.flatMap { $0.count <= limit ? $0 : nil } }
            options.metadata = EmbeddedMetadata(exif: fitting(properties.exifData), xmp: fitting(properties.xmp))
            options.metadata.density = properties.density?.turned(by: info.orientation)
        }
        return options
    }
}

/// A coder that decodes each picture with the options that a rendition needs. These options cannot be set before the
/// load, because the decode size can depend on the picture's own size.
struct RenditionCoder: ImageCoder {
    let rendition: Rendition
    /// The output format. Nil if no file is written or if the output has the picture's own format.
    let format: ImageFormat?
    let isWritten: Bool

    func canDecode(from data: Data) -> Bool { ImageCodersManager.shared.canDecode(from: data) }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let info = try imageInfo(of: data, limits: options.limits)
        var wanted = options
        if isWritten, !rendition.isCopy(info, to: format) {
            wanted = rendition.decodingOptions(info, format ?? info.format.container)
            wanted.firstFrameOnly = options.firstFrameOnly
            wanted.limits = options.limits
        }
        rendition.setSize(of: info, in: &wanted)
        return try ImageCodersManager.shared.decode(data, options: wanted)
    }
}
