public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes AVIF still images and sequences with libavif (AV1 Image File Format 1.1).
///
/// Only the boxes `clap`, `irot` and `imir` determine crop and orientation. The EXIF orientation is ignored. The
/// loop count is that of the track's edit list.
///
/// libavif calls no callback during a decode, so the time limit is checked only before and after each picture. The
/// pixel limit also applies to the AV1 decoder. It therefore limits the decode time of one picture.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread. One decode uses one thread.
public final class ImageAVIFCoder: AnimatedImageCoder {
    /// The shared coder. It has no open animation and no other state.
    public static let shared = ImageAVIFCoder()

    private let source: (any AnimationSource)?

    /// Creates a coder without an open animation.
    public init() { source = nil }

    /// Opens an animation. A still image is opened as an animation of one frame.
    ///
    /// - Throws: `.badImageData` if the boxes cannot be parsed. `.limitExceeded` if the file exceeds a limit.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try AVIFAnimation(data, options: options)
    }

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.avif)] }

    /// Whether the format is AVIF.
    public func canEncode(to format: ImageFormat) -> Bool { format == .avif }

    /// Reads the properties that the boxes declare. Decodes no AV1 data.
    ///
    /// - Throws: `.badImageData` if the boxes cannot be parsed. `.limitExceeded` if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in try AVIFDecoder(bytes, limits: limits).info }
    }

    /// Returns EXIF and XMP of the primary picture.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        var properties = ImageProperties(info: try imageInfo(of: data, limits: limits))
        try data.withFileBytes { bytes throws(WebImageError) in
            HEIFItems.readMetadata(of: bytes, limits: limits, into: &properties)
        }
        return properties
    }

    /// Decodes a still image, or opens a sequence as an animation with a poster frame. If `firstFrameOnly` is set, the
    /// first frame of a sequence is decoded as a still image.
    ///
    /// Decodes only the first frame. The other frames are decoded when they are requested.
    /// - Throws: `.badImageData` if the file is damaged or truncated. `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            var limits = options.limits
            if options.firstFrameOnly { limits.maxAnimationPixels = .max }
            let decoder = try AVIFDecoder(bytes, limits: limits)
            return (try decoder.image(options, deadline), decoder.info.frameCount)
        }
        return Self.picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// Encodes a still image. The file contains the image's colour profile if the image has one.
    ///
    /// Channels have 8 bits. They have 12 bits if the image has 16 bits and the options keep high dynamic range. A
    /// lossy file with 8 bits and a quality below 0.9 stores chroma at half resolution (4:2:0). All other files store
    /// chroma at full resolution. If `maxFileSize` is set, the file has the highest quality at which it does not exceed
    /// that size. If `keepsHDR` is set, the gain map of ``Image/hdr`` of an opaque image is written with the item `tmap`.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        if let file = try AimedEncoding(of: image, as: format, options, by: self)?.file() { return file }
        return try QualitySearch.encode(options) { options throws(WebImageError) in
            var file = try encode(frameCount: 1, loopCount: 0, format: format, options: options) { _ in
                ImageFrame(image: image, duration: 0)
            }
            if let light = image.colorProfile?.contentLight {
                file = try file.withFileBytes { bytes throws(WebImageError) in
                    try AVIFParts(bytes).file(with: light)
                }
            }
            guard options.keepsHDR, !image.hasAlpha else { return file }
            return try image.hdr?.gainMap?.added(to: file, of: image, options) ?? file
        }
    }

    /// Whether this coder writes the format. Each of its files can have frames.
    public func canEncodeFrames(to format: ImageFormat) -> Bool { canEncode(to: format) }

    /// Encodes a sequence. A single frame is encoded as a still image. Durations are stored in whole milliseconds.
    ///
    /// Rounding errors of the durations do not add up. If a later frame has alpha and the first one has none, `frame` is called
    /// again for all frames. `maxFileSize` is ignored, because each frame is supplied only once and cannot be encoded
    /// again at a lower quality.
    /// - Throws: `.encodingFailed` if libavif fails, if the frames differ in size, or if there are no frames.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libavif", "\(format) is not AVIF") }
        let count = options.firstFrameOnly ? min(frameCount, 1) : frameCount
        for writesAlpha in [false, true] {
            let file = try AVIFEncoder().encode(
                frameCount: count, loopCount: loopCount, options: options, writesAlpha: writesAlpha, frame: frame)
            if let file { return file }
        }
        throw .cannotEncode("libavif", "a frame cannot be written")
    }

    /// The encoded bytes of the open animation. Nil if no animation is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of frames of the open animation. 0 if no animation is open.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count of the open animation. 0 means that the animation repeats endlessly. The value is also 0 if the
    /// file declares no loop count or no animation is open.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// Returns the time in seconds for which playback shows a frame. Returns 0 if the animation has no such frame.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Decodes a frame of the open animation. If frames are requested in ascending order, each call decodes one frame.
    /// In another order, a call also decodes all frames from the preceding key frame to the requested frame.
    ///
    /// - Throws: `.badImageData` if the file is damaged, the index is out of range, or no animation is open.
    ///   `.limitExceeded` if the frame exceeds a limit.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}

extension AVIFDecoder {
    /// Decodes the first frame, with its gain map if the options read it.
    fileprivate func image(_ wanted: DecodingOptions, _ deadline: DecodeDeadline) throws(WebImageError) -> Image {
        func base(_ options: DecodingOptions) throws(WebImageError) -> Image {
            let options = options.resolved(bitDepth: info.bitDepth, isHDR: info.hdr?.transfer != nil)
            try options.checkMemory(for: info)
            let picture = try picture(at: 0, options: options, deadline: deadline)
            try deadline.check()
            return try picture.finished(options: options, fullSize: info.storedSize)
        }
        return try GainMap.image(
            wanted, of: gainMap?.description, deadline: deadline,
            map: { () throws(WebImageError) in try gainMap?.decoded(wanted, base: info, deadline: deadline) },
            base: base)
    }
}

extension ImageAVIFCoder: GainMapReading {
    package func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap? {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try AVIFDecoder(bytes, limits: options.limits)
            return try decoder.gainMap?.decoded(options, base: decoder.info, deadline: deadline)
        }
    }
}
