public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes GIF files (GIF89a), writing by giflib.
///
/// The shared instance decodes whole files; one made by ``init(animation:options:)`` returns all frames of its animation.
/// Damaged files are decoded as in browsers: the logical screen is the size, the background colour is never painted,
/// disposal 2 makes the rectangle transparent, frames are clipped to the screen, rows that cannot be decoded stay
/// transparent. The decode time is checked every 64 KB of indices. Safe on any thread.
public final class ImageGIFCoder: BuiltInAnimatedImageCoder {
    /// The shared coder for whole files; it has no state.
    public static let shared = ImageGIFCoder()

    /// How files of the format are recognised, streamed and opened.
    public static let fileType = CodecFileType(
        format: .gif, makeStream: { GIFStream($0) },
        open: { data, options throws(WebImageError) in try GIFAnimationSource.open(data, options: options) })

    /// The content of an instance made for one picture or one animation.
    public let work: CodecWork

    /// Makes another coder for whole files.
    public init() { work = CodecWork() }

    /// Makes an instance with this content.
    public init(work: CodecWork) { self.work = work }

    /// The facts in the blocks of all frames; nothing is decompressed.
    ///
    /// - Throws: `.badImageData` without a whole header or any frame, `.limitExceeded`.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let gif = try data.withFileBytes { bytes throws(WebImageError) in try GIFStructure(bytes, limits: limits) }
        guard !gif.frames.isEmpty else { throw Self.noFrames }
        return gif.info
    }

    /// The animation with its poster frame; only the first frame for a still, or if the options ask for it.
    ///
    /// Decodes the first frame; the others are decoded when they are needed.
    /// - Throws: `.badImageData` when the first frame's data is cut off or not a single row can be decoded, `.limitExceeded`.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            var limits = options.limits
            if options.firstFrameOnly { limits.maxAnimationPixels = .max }
            let gif = try GIFStructure(bytes, limits: limits)
            let picture = try Self.firstFrame(bytes, gif, format: options.pixelFormat, deadline)
            return (try picture.finished(options: options, fullSize: gif.screen), gif.frames.count)
        }
        return Self.picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// Encodes the image; all frames of an animation, unless the options ask for the first alone.
    ///
    /// GIF has no quality setting, so the quality is ignored. ``encode(frameCount:loopCount:format:options:frame:)``
    /// describes how colours are reduced.
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
    /// The facts in the blocks read so far.
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
