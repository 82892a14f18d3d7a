public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes JPEG XL still images and animations with libjxl (ISO/IEC 18181). Converts JPEG files to JPEG XL and back
/// bit for bit.
///
/// libjxl blends the layers of a frame, so every decoded frame covers the whole canvas. The decode time limit is
/// checked after every 256 KiB of the file.
///
/// Add ``shared`` to `ImageCodersManager`. Safe on any thread. One decode uses one thread.
public final class ImageJPEGXLCoder: AnimatedImageCoder {
    /// The shared coder. It has no open animation and no other state.
    public static let shared = ImageJPEGXLCoder()

    private let source: (any AnimationSource)?

    /// Creates a coder without an open animation.
    public init() { source = nil }

    /// Opens an animation. A still image is opened as an animation of one frame.
    ///
    /// - Throws: `.badImageData` if the headers cannot be read. `.limitExceeded` if the file exceeds a limit.
    public init(animation data: Data, options: DecodingOptions) throws(WebImageError) {
        source = try JXLAnimation(data, options: options)
    }

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.jpegXL)] }

    /// Whether the format is JPEG XL.
    public func canEncode(to format: ImageFormat) -> Bool { format == .jpegXL }

    /// Reads the properties that the header declares. For an animation, also reads the frame headers. Decodes no
    /// pixels.
    ///
    /// - Throws: `.badImageData` if the headers cannot be read. `.limitExceeded` if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let pictures = try JXLPictures(bytes, limits: limits, deadline: deadline)
            try pictures.countFrames(limits: limits, deadline: deadline)
            return pictures.info
        }
    }

    /// Returns EXIF and XMP.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        var properties = ImageProperties(info: try imageInfo(of: data, limits: limits))
        try data.withFileBytes { bytes throws(WebImageError) in
            JXLMetadata.read(bytes, limits: limits, into: &properties)
        }
        return properties
    }

    /// Decodes a still image, or opens an animation with a poster frame. If `firstFrameOnly` is set, the first frame of
    /// an animation is decoded as a still image.
    ///
    /// Decodes only the first frame. The other frames are decoded when they are requested.
    /// - Throws: `.badImageData` if the file is damaged or truncated. `.limitExceeded` if the file exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        let (poster, frameCount) = try data.withFileBytes { bytes throws(WebImageError) in
            let pictures = try JXLPictures(bytes, limits: options.limits, deadline: deadline)
            try options.checkMemory(for: pictures.info)
            if !options.firstFrameOnly { try pictures.countFrames(limits: options.limits, deadline: deadline) }
            let image = try pictures.image(options, deadline)
            // Counting the frames reads the whole file. Therefore the frames are not counted if only the first frame is
            // decoded. The frame count of an animation is then 2, which stands for several frames.
            let isUncounted = options.firstFrameOnly && pictures.declaresAnimation
            return (image, isUncounted ? 2 : pictures.info.frameCount)
        }
        return Self.picture(poster, of: data, frameCount: frameCount, options: options)
    }

    /// Encodes a still image. The file contains the image's colour profile if the image has one.
    ///
    /// The encoding is lossless if the options request a lossless encoding. Otherwise the encoding has the quality of
    /// the options. Quality 1 corresponds to libjxl's distance 0.1. If `maxFileSize` is set, the file has the highest
    /// quality at which it does not exceed that size. EXIF, XMP and the orientation of the options are written. If `keepsHDR` is set, the gain map of ``Image/hdr`` is written in the
    /// box `jhgm`.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libjxl", "\(format) is not JPEG XL") }
        if let file = try AimedEncoding(of: image, as: format, options, by: self)?.file() { return file }
        return try QualitySearch.encode(options) { options throws(WebImageError) in
            let file = try JXLMetadata.adding(
                options.metadata, to: try JXLEncoder().encode(image, options: options))
            // The colours of the alternate picture are not written.
            guard options.keepsHDR, let map = image.hdr?.gainMap?.inColors(of: image.colorProfile),
                let written = try map.written(of: image.pixelSize, options)
            else { return file }
            return try written.map.added(
                to: file, codestream: try JXLEncoder().encode(written.values, options: written.options))
        }
    }

    /// Whether this coder writes the format. Each of its files can have frames.
    public func canEncodeFrames(to format: ImageFormat) -> Bool { canEncode(to: format) }

    /// Encodes an animation. A single frame is encoded as a still image. Durations are stored in whole milliseconds.
    ///
    /// The first frame determines size and depth. If a frame has alpha, all have, and `frame` is called again for all
    /// frames if an earlier one had none. `maxFileSize` is ignored.
    /// - Throws: `.encodingFailed` if libjxl fails or if there are no frames.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libjxl", "\(format) is not JPEG XL") }
        guard frameCount > 0 else { throw .cannotEncode("libjxl", "there are no frames") }
        guard frameCount > 1, !options.firstFrameOnly else {
            return try encode(try frame(0).image, format: format, options: options)
        }
        let outcome: Result<Data, WebImageError> = withoutActuallyEscaping(frame) { frame in
            Result { () throws(WebImageError) in
                let frames = JXLFrames(count: frameCount, loopCount: loopCount, frame: frame)
                for writesAlpha in [false, true] {
                    let file = try JXLEncoder().encode(frames, options: options, writesAlpha: writesAlpha)
                    if let file { return try JXLMetadata.adding(options.metadata, to: file) }
                }
                throw .cannotEncode("libjxl", "a frame cannot be written")
            }
        }
        return try outcome.get()
    }

    /// The encoded bytes of the open animation. Nil if no animation is open.
    public var animatedImageData: Data? { source?.data }
    /// The number of frames of the open animation. 0 if no animation is open.
    public var animatedImageFrameCount: Int { source?.info.frameCount ?? 0 }
    /// The loop count of the open animation. 0 means that the animation repeats endlessly. The value is also 0 if no
    /// animation is open.
    public var animatedImageLoopCount: Int { source?.info.loopCount ?? 0 }
    /// Returns the time in seconds for which playback shows a frame. Returns 0 if the animation has no such frame.
    public func animatedImageDuration(at index: Int) -> TimeInterval { source?.playedDuration(at: index) ?? 0 }

    /// Decodes a frame of the open animation. If frames are requested in ascending order, each call decodes one frame.
    /// In another order, the decoder restarts at the beginning of the file.
    ///
    /// - Throws: `.badImageData` if the file is damaged, the index is out of range, or no animation is open.
    ///   `.limitExceeded` if the frame exceeds a limit.
    public func frame(at index: Int) throws(WebImageError) -> Image {
        guard let source else { throw .noAnimation }
        return try source.frame(at: index)
    }
}

extension JXLPictures {
    /// Decodes the first frame, with its gain map if the options read it.
    fileprivate func image(_ wanted: DecodingOptions, _ deadline: DecodeDeadline) throws(WebImageError) -> Image {
        func base(_ options: DecodingOptions) throws(WebImageError) -> Image {
            let options = options.resolved(bitDepth: info.bitDepth, isHDR: info.hdr?.transfer != nil)
            try options.checkMemory(for: info)
            return try picture(at: 0, options: options, deadline: deadline)
                .finished(options: options, fullSize: info.storedSize)
        }
        return try GainMap.image(
            wanted, of: gainMap?.description, deadline: deadline,
            map: { () throws(WebImageError) in try gainMap?.decoded(wanted, base: info, deadline: deadline) },
            base: base)
    }
}

extension ImageJPEGXLCoder: GainMapReading {
    package func gainMap(of data: Data, options: DecodingOptions) throws(WebImageError) -> GainMap? {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let pictures = try JXLPictures(bytes, limits: options.limits, deadline: deadline)
            return try pictures.gainMap?.decoded(options, base: pictures.info, deadline: deadline)
        }
    }
}
