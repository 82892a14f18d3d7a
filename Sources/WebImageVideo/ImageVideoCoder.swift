public import Foundation
public import WebImageCore
import WebImageGraphics

/// Makes pictures of videos with FFmpeg: a poster, and previews that play as an animation.
///
/// Reads MP4, QuickTime, Matroska, WebM, AVI, MPEG-TS and Ogg. The poster is the first key frame that is not black, or the
/// frame at ``VideoOptions/time``. The previews are the poster and frames at equal distances; each is shown for half a
/// second. ``ImageInfo/mediaDuration`` is the time of the video itself.
///
/// Pictures are upright, by the matrix of the track, and have the shape in which players show them: pixels that are not
/// square make a picture wider or higher. The matrix, the range and the curve of the colours are those of the file; PQ and
/// HLG are mapped to the standard range, or kept, as in all formats.
///
/// FFmpeg reads only the bytes that it is given. It opens no file and no connection, also if a video names one. Its
/// libraries are large and their packages are many: use `WebImageSandbox`, whose processes can reach nothing, and are ended
/// after their time. Debian builds FFmpeg under the GPL; this package only loads it if it is installed.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread. One decode uses one thread.
public final class ImageVideoCoder: AnimatedImageCoder {
    /// The shared coder. It has no open video and no other state.
    public static let shared = ImageVideoCoder()

    private let source: (any AnimationSource)?

    /// Creates a coder without an open video.
    public init() { source = nil }

    /// Opens a video to decode its previews.
    ///
    /// - Throws: `.badImageData` if the video cannot be read. `.unsupportedFormat` if FFmpeg is missing or does not decode
    ///   the video. `.limitExceeded` if it exceeds a limit.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try VideoPreviews(data, options: options)
    }

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.video)] }

    /// Reads the properties from the header. If the header lacks some of them, decodes the first frames.
    ///
    /// - Throws: `.badImageData` if the video cannot be read. `.limitExceeded` if it exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        var options = DecodingOptions()
        options.limits = limits
        return try data.withFileBytes { bytes throws(WebImageError) in
            try VideoFile(.init(bytes), options: options).info
        }
    }

    /// Decodes the poster and opens the previews. If `firstFrameOnly` or ``VideoOptions/time`` is set, the result is a still
    /// image.
    ///
    /// - Throws: `.badImageData` if the video cannot be read. `.unsupportedFormat` if FFmpeg is missing or does not decode
    ///   the video. `.limitExceeded` if it exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try VideoDecoder(.init(bytes), options: options)
            return (try decoder.image(options), decoder.file.info.frameCount)
        }
        return Self.picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// Always throws `.encodingFailed`: this coder only reads.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        throw .cannotEncode("ffmpeg", "videos are only read", hint: "Choose WebP, AVIF or GIF.")
    }

    /// The bytes of the open video. Nil if no video is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of previews of the open video. 0 if no video is open.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count. Always 0: previews repeat endlessly.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// Returns the time in seconds for which playback shows a preview. Returns 0 if there is no such preview.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Decodes a preview of the open video. A call decodes from the key frame before the preview on.
    ///
    /// - Throws: `.badImageData` if the video is damaged, the index is out of range, or no video is open. `.limitExceeded`
    ///   if the preview exceeds a limit.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}

extension ImageVideoCoder {
    /// Reads the properties of a video of which only parts are read.
    ///
    /// Always runs in this process, also while `WebImageSandbox` is enabled.
    /// - Throws: The errors of ``imageInfo(of:limits:)``, and those of the source. ``DecodingLimits/maxEncodedBytes`` counts
    ///   the bytes that are read.
    public func imageInfo(
        reading source: VideoByteSource, limits: DecodingLimits = .default
    ) throws(WebImageError) -> ImageInfo {
        var options = DecodingOptions()
        options.limits = limits
        return try VideoFile(.ranges(source), options: options).info
    }

    /// Decodes the poster of a video of which only parts are read. The result is a still image.
    ///
    /// Always runs in this process, also while `WebImageSandbox` is enabled.
    /// - Throws: The errors of ``decode(_:options:)``, and those of the source. ``DecodingLimits/maxEncodedBytes`` counts the
    ///   bytes that are read.
    public func decode(
        reading source: VideoByteSource, options: DecodingOptions = DecodingOptions()
    ) throws(WebImageError) -> Image {
        try VideoDecoder(.ranges(source), options: options).image(options)
    }
}

extension VideoDecoder {
    /// The finished poster.
    fileprivate func image(_ wanted: DecodingOptions) throws(WebImageError) -> Image {
        let info = file.info
        let options = wanted.resolved(bitDepth: info.bitDepth, isHDR: info.hdr?.transfer != nil)
        try options.checkMemory(for: info)
        let picture = try poster(options)
        try file.input.deadline.check()
        return try picture.finished(options: options, fullSize: info.storedSize)
    }
}
