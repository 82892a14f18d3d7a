public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads and writes WebP stills and animations with libwebp (RFC 9649).
///
/// libwebp offers no callback while it decodes. Therefore the decode time limit is checked only after a still and
/// between the frames of an animation. Only the pixel limit bounds the decode time of one picture. Thread-safe.
public final class ImageWebPCoder: BuiltInAnimatedImageCoder {
    /// The shared coder for whole files. It has no state.
    public static let shared = ImageWebPCoder()

    /// The functions that recognise, stream and open files of this format.
    public static let fileType = CodecFileType(
        format: .webP, makeStream: { WebPStream($0) },
        open: { data, options throws(WebImageError) in try WebPAnimationSource.open(data, options: options) })

    /// The picture or animation that this instance was created for. Empty in the shared instance.
    public let work: CodecWork

    /// Creates a coder that decodes whole files and behaves like ``shared``.
    public init() { work = CodecWork() }

    /// Creates an instance for one picture or one animation.
    public init(work: CodecWork) { self.work = work }

    /// Returns size, alpha, orientation and frames from the chunks of the file and the first bytes of the bitstream.
    /// Decodes no pixels.
    ///
    /// - Throws: `.badImageData` if the header is incomplete or an animation has no frames. `.limitExceeded` if the
    ///   file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        let webP = try data.withFileBytes { bytes throws(WebImageError) in try WebPContainer(bytes, limits: limits) }
        if webP.isAnimated, webP.frames.isEmpty { throw Self.noFrames }
        return webP.info(orientation: webP.orientation(in: data))
    }

    /// Decodes a still, or opens an animation with a poster frame. If `options.firstFrameOnly` is true, the first frame
    /// of an animation is returned as a still.
    ///
    /// This function decodes only the first frame. The other frames are decoded when they are requested.
    ///
    /// - Throws: `.badImageData` if the still or the first frame is damaged or truncated. `.limitExceeded` if the file
    ///   exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try Self.decode(data, options: options) { bytes, limits, deadline throws(WebImageError) in
            let webP = try WebPContainer(bytes, limits: limits)
            try options.checkMemory(for: webP.info(orientation: .up))
            let picture =
                webP.isAnimated
                ? try Self.firstFrame(bytes, webP, data, options)
                : try Self.still(bytes, in: webP, of: data, options: options)
            try deadline.check()
            let image = try picture.finished(options: options, fullSize: webP.canvas)
            return (image, webP.isAnimated ? webP.frames.count : 1)
        }
    }

    /// Encodes the image, either lossless or lossy with the quality in the options. Writes the image's colour profile
    /// if it has one. If the image is an animation, encodes all frames, unless `options.firstFrameOnly` is true.
    ///
    /// If `maxFileSize` is set, libwebp chooses the quality of a lossy file in six passes. A side of a WebP has at most
    /// 16383 px.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libwebp", "\(format) is not WebP") }
        if let file = try encodeAnimation(image, format: format, options: options) { return file }
        if let file = try AimedEncoding(of: image, as: format, options, by: self)?.file() { return file }
        return try WebPEncoding.encode(image, options: options)
    }

    private static func still(
        _ bytes: UnsafeRawBufferPointer, in webP: WebPContainer, of data: Data, options: DecodingOptions
    ) throws(WebImageError) -> DecodedPicture {
        let orientation = webP.orientation(in: data)
        let scaled = webP.roughSize(for: options, orientation: orientation)
        let pixels = try webP.stillBuffer(
            for: options, scaledSize: scaled, isLossless: try WebPFeatures(bytes).isLossless)
        try WebPDecoding.decode(bytes, into: .init(pixels: pixels, scaledSize: scaled))
        return webP.picture(pixels, data, hasAlpha: webP.hasAlpha)
    }

    static func firstFrame(
        _ bytes: UnsafeRawBufferPointer, _ webP: WebPContainer, _ data: Data, _ options: DecodingOptions
    ) throws(WebImageError) -> DecodedPicture {
        guard let frame = webP.frames.first else { throw noFrames }
        let bitstream = UnsafeRawBufferPointer(rebasing: bytes[frame.bitstream])
        let features = try WebPFeatures(bitstream)
        guard features.size == frame.size else {
            throw .badData("WebP", "a frame has \(features.size) px, but the file declares \(frame.size)")
        }
        let format = webP.format(for: options)
        let canvas = try PixelBuffer(width: webP.canvas.width, height: webP.canvas.height, format: format)
        let covers = frame.size == webP.canvas
        if !covers { canvas.clear() }
        try WebPDecoding.decode(bitstream, into: .init(pixels: canvas, x: frame.x, y: frame.y))
        return webP.picture(canvas, data, hasAlpha: features.hasAlpha || !covers)
    }

    static let noFrames = WebImageError.badData("WebP", "the animation has no complete frame")
}

extension WebPContainer {
    func orientation(in data: Data) -> ImageOrientation {
        ExifOrientation.orientation(of: data, exif: exif, xmp: xmp)
    }

    /// Returns the layout that libwebp writes. The layout depends on the pixel format in the options and on the file.
    func format(for options: DecodingOptions) -> PixelFormat {
        switch options.pixelFormat {
        // A later colour conversion needs straight alpha (`rgba8`). After premultiplication, the colours of nearly
        // transparent pixels have too little precision.
        case .bgra8Premultiplied:
            hasAlpha && iccProfile != nil && options.colorConversion == .sRGB ? .rgba8 : .bgra8Premultiplied
        case .rgb8, .gray8: hasAlpha || isAnimated ? .rgba8 : .rgb8
        case .rgba8, .rgba16, .rgbaHalf: .rgba8
        }
    }

    /// Returns the size to which libwebp scales the picture while it decodes: three times the requested size. Returns nil
    /// (no scaling) for a picture of at most 32 MiB, or if a side would become less than half as long. Also returns nil
    /// for a picture with alpha, because libwebp's scaler mixes the colours of transparent pixels into visible pixels.
    ///
    /// libwebp's scaler only averages, which loses detail and saves no time. It only saves the memory of a large picture.
    func roughSize(for options: DecodingOptions, orientation: ImageOrientation) -> PixelSize? {
        let resampling = options.resampling(of: canvas, orientation)
        let factor = resampling.ratio / 3
        guard !hasAlpha, canvas.byteCount(4) > ImageInfo.wholeByteCount, factor >= 2 else { return nil }
        return PixelSize(
            width: Int((Double(canvas.width) / factor).rounded(.up)),
            height: Int((Double(canvas.height) / factor).rounded(.up)))
    }

    func picture(_ pixels: PixelBuffer, _ data: Data, hasAlpha: Bool) -> DecodedPicture {
        DecodedPicture(
            pixels: pixels, orientation: orientation(in: data),
            profile: iccProfile.map { ColorProfile(iccData: Data(data.slice($0))) }, hasAlpha: hasAlpha, format: .webP)
    }

    /// Creates the buffer to which libwebp writes a still.
    ///
    /// The header of a lossless bitstream can declare alpha as unused. In this case the buffer has no alpha, so that
    /// stored alpha is ignored (RFC 9649 §3.4).
    func stillBuffer(
        for options: DecodingOptions, scaledSize: PixelSize?, isLossless: Bool
    ) throws(WebImageError) -> PixelBuffer {
        let size = scaledSize ?? canvas
        return try PixelBuffer(
            width: size.width, height: size.height, format: isLossless && !hasAlpha ? .rgb8 : format(for: options))
    }

    /// Returns size, alpha and frames from the chunks that were read so far. The orientation of the result is
    /// `orientation`.
    func info(orientation: ImageOrientation) -> ImageInfo {
        var info = ImageInfo(format: .webP, storedSize: canvas)
        if isAnimated {
            info.frameCount = max(frames.count, 1)
            info.loopCount = loopCount ?? 0
            info.delaysMilliseconds = frames.map { Double($0.delayMilliseconds) }
        }
        info.orientation = orientation
        info.hasAlpha = hasAlpha
        info.hasICCProfile = iccProfile != nil
        info.isLossless = isLossless
        // libwebp decodes a lossless bitstream to full-size pixels before it scales them.
        info.workingMemory.fixedBytes = isLossless ? canvas.byteCount(4) : 0
        info.workingMemory.shrinksWhileReading = !hasAlpha && !isAnimated
        return info
    }
}

extension ImageWebPCoder {
    /// Whether this coder writes the format. Each of its files can have frames.
    public func canEncodeFrames(to format: ImageFormat) -> Bool { canEncode(to: format) }

    /// Encodes the frames as an animated WebP, lossy or lossless as the options request. Writes a still if there is
    /// only one frame, or if `options.firstFrameOnly` is true.
    ///
    /// - Throws: `.encodingFailed` if a frame cannot be encoded. Errors of `frame` are also thrown.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libwebp", "\(format) is not WebP") }
        guard frameCount > 0 else { throw .cannotEncode("libwebp", "there are no frames") }
        guard frameCount > 1, !options.firstFrameOnly else {
            return try WebPEncoding.encode(try frame(0).image, options: options)
        }
        return try WebPAnimationWriter.encode(
            frameCount: frameCount, loopCount: loopCount, options: options, frame: frame)
    }
}
