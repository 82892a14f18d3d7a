public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes PNG and APNG with libpng (PNG third edition).
///
/// Common pictures have 8 bits per channel, are not interlaced and have up to 64 MB. libdeflate inflates such a picture
/// in one call. This takes half the time of libpng with zlib, but temporarily needs as much memory as a second picture.
///
/// - Ancillary chunks: Only the chunks for transparency, colours, orientation and animation are read. `iCCP`, `eXIf`
///   and XMP count towards the limits.
/// - Decode time: The deadline is checked every 256 KB of pixels.
/// - Partial images: A partial image shows the rows that have arrived, or the passes of an interlaced picture. Missing
///   pixels are transparent.
/// - Threads: Thread-safe.
public final class ImagePNGCoder: BuiltInAnimatedImageCoder {
    /// The shared coder for whole files. It has no state.
    public static let shared = ImagePNGCoder()

    /// The functions that recognise, stream and open files of this format.
    public static let fileType = CodecFileType(
        format: .png, makeStream: { PNGStream($0) },
        open: { data, options throws(WebImageError) in try PNGAnimationSource.open(data, options: options) })

    /// The picture or animation that this instance was created for. Empty in the shared instance.
    public let work: CodecWork

    /// Creates a coder that decodes whole files and behaves like ``shared``.
    public init() { work = CodecWork() }

    /// Creates an instance for one picture or one animation.
    public init(work: CodecWork) { self.work = work }

    /// Returns size, channels, orientation and frames from the chunks of the file. Inflates no pixels.
    ///
    /// - Throws: `.badImageData` if the header is invalid or incomplete. `.limitExceeded` if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let chunks = try data.withFileBytes { bytes throws(WebImageError) in try PNGChunks(bytes, limits: limits) }
        return chunks.info(orientation: chunks.orientation(in: data))
    }

    /// Decodes a still, or opens an animation (APNG) with a poster frame. If `options.firstFrameOnly` is true, the
    /// poster frame of an animation is returned as a still.
    ///
    /// The poster frame is the first frame. If the first frame is damaged, the poster frame is the default image. The
    /// other frames are decoded when they are requested.
    ///
    /// - Throws: `.badImageData` with libpng's message if the file is damaged or truncated. `.limitExceeded` if the
    ///   file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try Self.decode(data, options: options) { bytes, limits, deadline throws(WebImageError) in
            let chunks = try PNGChunks(bytes, limits: limits)
            let options = options.resolved(bitDepth: chunks.header.bitDepth, isHDR: chunks.hdr != nil)
            let decoding = PNGDecoding(
                chunks: chunks, orientation: chunks.orientation(in: data), options: options, deadline: deadline)
            let picture = try decoding.firstPicture(bytes)
            let frameCount = chunks.animation?.playableFrames(on: chunks.header.size).count ?? 1
            return (try picture.finished(options: options, fullSize: chunks.header.size), frameCount)
        }
    }

    /// Encodes the image. Writes alpha only if the image has alpha. Writes the image's colour profile if it has one. If
    /// the image is an animation, encodes all frames, unless `options.firstFrameOnly` is true.
    ///
    /// `options.effort` decides between time and size. Pictures whose rows have up to 64 MB are filtered here and
    /// compressed by libdeflate, in about a quarter of the time of libpng and zlib, which write larger pictures.
    ///
    /// Quality and maximum file size in the options have no effect, because PNG is lossless.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libpng", "\(format) is not PNG") }
        if let file = try encodeAnimation(image, format: format, options: options) { return file }
        return try PNGWriter.encode(image, options: options)
    }
}

extension PNGChunks {
    func orientation(in data: Data) -> ImageOrientation {
        ExifOrientation.orientation(of: data, exif: exif, xmp: xmp)
    }

    /// Returns size, channels and frames from the chunks. The orientation of the result is `orientation`.
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
        info.hdr = hdr
        info.workingMemory.fixedBytes = PNGInflatedRows.byteCount(of: header.size, in: self) ?? 0
        info.workingMemory.shrinksWhileReading = !header.isInterlaced && animation == nil
        return info
    }
}

extension ImagePNGCoder {
    /// Whether this coder writes the format. Each of its files can have frames.
    public func canEncodeFrames(to format: ImageFormat) -> Bool { canEncode(to: format) }

    /// Encodes the frames as a lossless APNG with 8 or 16 bits per channel. Writes a still PNG if there is only one
    /// frame, or if `options.firstFrameOnly` is true.
    ///
    /// Calls `frame` in order. If any frame has alpha, calls `frame` a second time for all frames, from the first
    /// frame.
    ///
    /// - Throws: `.encodingFailed` if a frame cannot be encoded. Errors of `frame` are also thrown.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libpng", "\(format) is not PNG") }
        guard frameCount > 0 else { throw .cannotEncode("APNG", "there are no frames") }
        guard frameCount > 1, !options.firstFrameOnly else {
            return try PNGWriter.encode(try frame(0).image, options: options)
        }
        return try APNGWriter.encode(frameCount: frameCount, loopCount: loopCount, options: options, frame: frame)
    }
}
