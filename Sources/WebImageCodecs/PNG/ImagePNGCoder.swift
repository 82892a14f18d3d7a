public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes PNG and APNG (PNG third edition), by libpng.
///
/// Pictures of common types and up to 64 MB are inflated at once by libdeflate, twice as fast as by zlib under libpng;
/// meanwhile this takes the memory of a second picture.
///
/// Of the ancillary chunks a decode reads those for transparency, colours, orientation and animation, and skips the
/// others; `iCCP`, `eXIf` and XMP count against the limits. The decode time is checked every 256 KB of pixels. A partial
/// image has the rows that have arrived, or the passes of an interlaced picture; the rest is transparent. Safe on any
/// thread.
public final class ImagePNGCoder: BuiltInAnimatedImageCoder {
    /// The shared coder for whole files; it has no state.
    public static let shared = ImagePNGCoder()

    /// How files of the format are recognised, streamed and opened.
    public static let fileType = CodecFileType(
        format: .png, makeStream: { PNGStream($0) },
        open: { data, options throws(WebImageError) in try PNGAnimationSource.open(data, options: options) })

    /// The content of an instance made for one picture or one animation.
    public let work: CodecWork

    /// Makes another coder for whole files.
    public init() { work = CodecWork() }

    /// Makes an instance with this content.
    public init(work: CodecWork) { self.work = work }

    /// The facts in the chunks; no pixel is inflated.
    ///
    /// - Throws: `.badImageData` without a whole header, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let chunks = try data.withFileBytes { bytes throws(WebImageError) in try PNGChunks(bytes, limits: limits) }
        return chunks.info(orientation: chunks.orientation(in: data))
    }

    /// The still, or the animation of an APNG with its poster frame; only that frame if the options ask for it.
    ///
    /// The poster frame is the first frame, or the default image if the first frame is damaged. The other frames are
    /// decoded when they are needed.
    /// - Throws: `.badImageData` with libpng's message, also for a file that is cut off; `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            var limits = options.limits
            if options.firstFrameOnly { limits.maxAnimationPixels = .max }
            let chunks = try PNGChunks(bytes, limits: limits)
            let options = options.resolved(bitDepth: chunks.header.bitDepth)
            let decoding = PNGDecoding(
                chunks: chunks, orientation: chunks.orientation(in: data), options: options, deadline: deadline)
            let picture = try decoding.firstPicture(bytes)
            let frameCount = chunks.animation?.playableFrames(on: chunks.header.size).count ?? 1
            return (try picture.finished(options: options, fullSize: chunks.header.size), frameCount)
        }
        return Self.picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// Encodes at zlib's default level, without alpha for an opaque image, with the image's profile if it has one.
    ///
    /// PNG is lossless: quality and file size are ignored.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libpng", "\(format) is not PNG") }
        if let file = try encodeAnimation(image, format: format, options: options) { return file }
        return try PNGWriter.encode(image, options: options)
    }
}

extension PNGChunks {
    /// EXIF's orientation, else XMP's, else upright.
    func orientation(in data: Data) -> ImageOrientation {
        exif.flatMap { ExifOrientation.orientation(exif: data.slice($0)) }
            ?? xmp.flatMap { ExifOrientation.orientation(xmp: data.slice($0)) } ?? .up
    }

    /// The facts in the chunks, for pixels with this orientation.
    func info(orientation: ImageOrientation) -> ImageInfo {
        var info = ImageInfo(format: animation == nil ? .png : .apng, storedSize: header.size)
        info.orientation = orientation
        if let animation {
            let frames = animation.playableFrames(on: header.size)
            info.frameCount = max(1, frames.count)
            info.loopCount = animation.loopCount
            info.delaysMilliseconds = frames.map(\.delayMilliseconds)
        }
        info.hasAlpha = hasAlpha
        info.isGray = header.isGray
        info.bitDepth = header.bitDepth
        info.hasICCProfile = iccProfile != nil
        info.workingMemory.fixedBytes = PNGInflatedRows.byteCount(of: header.size, in: self) ?? 0
        info.workingMemory.shrinksWhileReading = !header.isInterlaced && animation == nil
        return info
    }
}
