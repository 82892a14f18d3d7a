public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes GIF files (GIF89a). Writes them with giflib.
///
/// The shared instance decodes whole files. An instance that was created by ``init(animation:options:)`` returns the
/// frames of one animation.
///
/// Files are decoded as in browsers:
/// - The image has the size of the logical screen, which is enlarged if it does not contain the first frame. The other
///   frames are clipped to the screen.
/// - The background colour is never painted. The disposal value 2 makes the frame's rectangle transparent.
/// - Rows that cannot be decoded stay transparent.
///
/// The decode deadline is checked every 64 KB of indices. Thread-safe.
public final class ImageGIFCoder: BuiltInAnimatedImageCoder {
    /// The shared coder for whole files. It has no state.
    public static let shared = ImageGIFCoder()

    /// The functions that recognise, stream and open files of this format.
    public static let fileType = CodecFileType(
        format: .gif, makeStream: { GIFStream($0) },
        open: { data, options throws(WebImageError) in try GIFAnimationSource.open(data, options: options) })

    /// The picture or animation that this instance was created for. Empty in the shared instance.
    public let work: CodecWork

    /// Creates a coder that decodes whole files and behaves like ``shared``.
    public init() { work = CodecWork() }

    /// Creates an instance for one picture or one animation.
    public init(work: CodecWork) { self.work = work }

    /// Returns size, number of frames, delays and loop count from the blocks of the file. Decompresses nothing.
    ///
    /// - Throws: `.badImageData` if the header is incomplete or the file has no frame. `.limitExceeded` if the file
    ///   exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let gif = try data.withFileBytes { bytes throws(WebImageError) in try GIFStructure(bytes, limits: limits) }
        guard !gif.frames.isEmpty else { throw Self.noFrames }
        return gif.info
    }

    /// Decodes a still, or opens an animation. The poster frame of an animation is its first frame. If
    /// `options.firstFrameOnly` is true, the first frame of an animation is returned as a still.
    ///
    /// This function decodes only the first frame. The other frames are decoded when they are requested.
    ///
    /// - Throws: `.badImageData` if the first frame is truncated or if none of its rows can be decoded.
    ///   `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try Self.decode(data, options: options) { bytes, limits, deadline throws(WebImageError) in
            let gif = try GIFStructure(bytes, limits: limits)
            let picture = try Self.firstFrame(bytes, gif, format: options.pixelFormat, deadline)
            return (try picture.finished(options: options, fullSize: gif.screen), gif.frames.count)
        }
    }

    /// Encodes the image. If the image is an animation, encodes all frames, unless `options.firstFrameOnly` is true.
    ///
    /// The quality in the options has no effect, because GIF has no quality setting.
    /// ``encode(frameCount:loopCount:format:options:frame:)`` describes how colours are reduced.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        if let file = try encodeAnimation(image, format: format, options: options) { return file }
        return try encode(frameCount: 1, loopCount: 1, format: format, options: options) { _ in
            ImageFrame(image: image, duration: 0)
        }
    }

    static func firstFrame(
        _ bytes: UnsafeRawBufferPointer, _ gif: GIFStructure, format: PixelFormat, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> DecodedPicture {
        guard let frame = gif.frames.first else { throw noFrames }
        guard frame.isComplete else { throw .badData("GIF", "the file ends inside its first frame") }
        let format = format == .bgra8Premultiplied ? format : .rgba8
        let canvas = try PixelBuffer(width: gif.screen.width, height: gif.screen.height, format: format)
        canvas.clear()

        var isWhole = true
        if frame.visibleRect(in: gif.screen) != nil {
            let colors = (frame.localPalette ?? gif.palette)?.colors(in: bytes)
            let palette = PaletteTable(
                rgb: colors ?? [], transparentIndex: frame.control.transparentIndex, format: format)
            isWhole = try GIFFrameReader(bytes, frame).draw(
                in: gif.screen, palette: palette, onto: canvas, x: frame.x, y: frame.y, deadline: deadline)
        }
        let rect = frame.visibleRect(in: gif.screen)
        let covers = rect?.x == 0..<gif.screen.width && rect?.y == 0..<gif.screen.height
        return DecodedPicture(
            pixels: canvas, orientation: .up, profile: nil,
            hasAlpha: !covers || !isWhole || frame.control.transparentIndex != nil, format: .gif)
    }

    static let noFrames = WebImageError.badData("GIF", "there are no frames")
}

extension GIFStructure {
    /// Size, number of frames, delays and loop count. The values come from the blocks that were read so far.
    var info: ImageInfo {
        let frames = frames.prefix(max(1, completeFrameCount))
        var info = ImageInfo(format: .gif, storedSize: screen)
        info.frameCount = frames.count
        info.loopCount = loopCount ?? 1
        info.delaysMilliseconds = frames.map { Double($0.control.delayMilliseconds) }
        info.hasAlpha = frames.contains { $0.control.transparentIndex != nil }
        info.bitDepth = (palette ?? frames.first?.localPalette)?.bitDepth ?? 8
        info.hasICCProfile = hasICCProfile
        return info
    }
}

extension ImageGIFCoder {
    /// Whether this coder writes the format. Each of its files can have frames.
    public func canEncodeFrames(to format: ImageFormat) -> Bool { canEncode(to: format) }

    /// Encodes the frames as an animated GIF. Writes a still if there is only one frame, or if `options.firstFrameOnly`
    /// is true.
    ///
    /// A pixel with an alpha below 128 of 255 becomes transparent; any other pixel becomes opaque. A frame with at most
    /// 256 colours is encoded exactly. A frame with more colours is reduced to 256 colours with error diffusion. If a
    /// frame has transparent pixels, transparency counts as one of the 256 colours.
    ///
    /// Durations are rounded to hundredths of a second. The rounding error of each frame is added to the duration of
    /// the next frame. `loopCount` is the number of plays: the loop extension contains one less, because it counts
    /// repetitions. If `loopCount` is 1, no loop extension is written, and viewers play the file once.
    ///
    /// - Throws: `.encodingFailed` if the image cannot be encoded, for example if a side is longer than 65535 px.
    ///   Errors of `frame` are also thrown.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("giflib", "\(format) is not GIF") }
        guard frameCount > 0 else { throw .cannotEncode("giflib", "there are no frames") }
        return try GIFEncoding.encode(
            frameCount: options.firstFrameOnly ? 1 : frameCount, loopCount: loopCount, options: options, frame: frame)
    }
}
