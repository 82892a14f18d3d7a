import CWebImageAVIF
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libavif encoder and its output.
final class AVIFEncoder {
    private let libavif: AVIFFunctions
    private let handle: UnsafeMutablePointer<avifEncoder>
    private var output = avifRWData()

    init() throws(WebImageError) {
        libavif = try AVIFLibrary.functions()
        guard let handle = libavif.avifEncoderCreate() else { throw .cannotEncode("libavif", "cannot make an encoder") }
        self.handle = handle
        HandleLedger.opened("avif_encoder")
    }

    deinit {
        libavif.avifRWDataFree(&output)
        libavif.avifEncoderDestroy(handle)
        HandleLedger.closed("avif_encoder")
    }

    /// - Parameter isMap: Whether the picture is a gain map, whose primaries and curve are unspecified.
    /// - Parameter writesAlpha: Whether every frame has alpha. libavif makes a track for alpha only if the first frame has it.
    /// - Returns: Nil if a later frame has alpha although the first one has none and `writesAlpha` is false.
    func encode(
        frameCount: Int, loopCount: Int, options: EncodingOptions, writesAlpha: Bool, isMap: Bool = false,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data? {
        guard frameCount > 0 else { throw .cannotEncode("libavif", "there are no frames") }
        configure(options, isAnimation: frameCount > 1)
        let plays = min(max(loopCount, 0), Int(Int32.max) - 1)
        let writesPlays = webimage_avif_set_play_count(handle, Int32(plays)) != 0
        var clock = FrameClock(unitsPerSecond: 1000, limit: 1_000_000_000)
        var size: PixelSize?
        var hasAlpha = writesAlpha
        for index in 0..<frameCount {
            let frame = try frame(index)
            if index == 0, frame.image.hasAlpha { hasAlpha = true }
            guard hasAlpha || !frame.image.hasAlpha else { return nil }
            try Self.checkSize(frame.image.pixelSize)
            // libavif cannot be interrupted while it encodes a frame.
            try WorkBudget.current?.admit(
                "encoding AVIF", seconds: Double(frame.image.pixelSize.pixelCount) * Self.secondsPerPixel(options))
            let planes =
                isMap
                ? try AVIFPlanes(map: frame.image.pixels, options: options, libavif: libavif)
                : try AVIFPlanes(frame.image, options: options, writesAlpha: hasAlpha, libavif: libavif)
            guard planes.size == size ?? planes.size else { throw .cannotEncode("libavif", "frames differ in size") }
            size = planes.size
            // libavif writes the metadata and the orientation of the first frame.
            if index == 0 { try planes.set(options.metadata) }
            // Lossless encoding needs key frames, because the encoding of a predicted frame is not exact.
            let flags =
                frameCount == 1
                ? AVIF_ADD_IMAGE_FLAG_SINGLE.rawValue
                : options.lossless
                    ? AVIF_ADD_IMAGE_FLAG_FORCE_KEYFRAME.rawValue : AVIF_ADD_IMAGE_FLAG_NONE.rawValue
            // A sample of a track has no duration of 0.
            let milliseconds = UInt64(max(1, clock.next(frame.duration)))
            try check(libavif.avifEncoderAddImage(handle, planes.image, milliseconds, flags))
        }
        try check(libavif.avifEncoderFinish(handle, &output))
        var data = Data(bytes: output.data, count: output.size)
        guard frameCount > 1 else { return data }
        try Self.clearTimes(&data)
        guard !writesPlays else { return data }
        let playing = try data.withFileBytes { bytes throws(WebImageError) in
            try AVIFPlayCount(bytes).file(playing: plays)
        }
        guard let playing else { throw .cannotEncode("libavif", "the file has an unknown form") }
        return playing
    }

    /// Refuses a picture that most readers refuse: libavif's limit, unless its caller raises it.
    private static func checkSize(_ size: PixelSize) throws(WebImageError) {
        guard max(size.width, size.height) <= Int(AVIF_DEFAULT_IMAGE_DIMENSION_LIMIT) else {
            throw .cannotEncode(
                "libavif", "\(size.width)x\(size.height) is over 32768 px a side",
                hint: "Set a maximum pixel size, or choose PNG or JPEG.")
        }
    }

    /// Sets the times of creation and modification in the headers of an animation to 0, which means unknown.
    ///
    /// libavif writes the current time. The same animation would have other bytes in every second, and the image service
    /// would send it with another entity tag.
    private static func clearTimes(_ data: inout Data) throws(WebImageError) {
        let ranges = try data.withFileBytes { bytes throws(WebImageError) in
            let file = HEIFBoxReader(bytes)
            func headers(_ range: Range<Int>) throws(WebImageError) -> [Range<Int>] {
                var found: [Range<Int>] = []
                for box in try file.boxes(in: range) {
                    switch box.type {
                    case "moov", "trak", "mdia": found += try headers(box.content)
                    case "mvhd", "tkhd", "mdhd":
                        let start = box.content.lowerBound + 4
                        found.append(start..<start + (try file.version(of: box) == 0 ? 8 : 16))
                    default: break
                    }
                }
                return found
            }
            return try headers(0..<bytes.count)
        }
        for range in ranges where range.upperBound <= data.count { data.resetBytes(in: range) }
    }

    /// The time of encoding a pixel: that of noise (Documentation/Costs.md). A photo takes a quarter of it.
    private static func secondsPerPixel(_ options: EncodingOptions) -> Double {
        options.lossless || options.quality >= 0.9 ? 420e-9 : 130e-9
    }

    private func configure(_ options: EncodingOptions, isAnimation: Bool) {
        // Quantizers range from 63 (worst quality) to 0 (best quality). The minimum quantizer is lower than the maximum
        // quantizer, so that the encoder can encode parts with visible errors at a better quality.
        var quantizer = options.lossless ? 0 : Int32(((1 - options.quality) * 63).rounded())
        // With a smaller maximum, libaom 3.6 ends the process at a predicted frame: an assertion in ratectrl.c fails.
        if isAnimation, !options.lossless { quantizer = max(quantizer, 3) }
        handle.pointee.maxQuantizer = quantizer
        handle.pointee.minQuantizer = max(quantizer - 4, 0)
        handle.pointee.maxQuantizerAlpha = quantizer
        handle.pointee.minQuantizerAlpha = 0
        // Encoding at speed 8 takes four times as long as encoding at speed 9. The files have the same quality
        // (Documentation/Decisions/delivery-encoding.md).
        handle.pointee.speed = 9
        handle.pointee.maxThreads = 1
        handle.pointee.timescale = 1000
    }

    private func check(_ result: avifResult) throws(WebImageError) {
        guard result != AVIF_RESULT_OK else { return }
        throw .cannotEncode("libavif", libavif.words(for: result))
    }
}

/// Owns one libavif picture. Its planes are luma and chroma. For lossless encoding, they are red, green and blue.
private final class AVIFPlanes {
    private let libavif: AVIFFunctions
    let image: UnsafeMutablePointer<avifImage>
    /// The pixels that are the plane of a grey picture.
    private var plane: PixelBuffer?

    /// The values of a gain map, as `gray8` or `rgb8`. One channel becomes a picture without chroma.
    init(map pixels: PixelBuffer, options: EncodingOptions, libavif: AVIFFunctions) throws(WebImageError) {
        self.libavif = libavif
        let isGray = pixels.format == .gray8
        let image = libavif.avifImageCreate(
            UInt32(pixels.width), UInt32(pixels.height), 8,
            isGray ? AVIF_PIXEL_FORMAT_YUV400 : AVIF_PIXEL_FORMAT_YUV444)
        guard let image else { throw .cannotEncode("libavif", "out of memory") }
        self.image = image
        HandleLedger.opened("avif_image")
        image.pointee.yuvRange = AVIF_RANGE_FULL
        image.pointee.colorPrimaries = 2
        image.pointee.transferCharacteristics = 2
        // The identity matrix is not allowed without chroma.
        image.pointee.matrixCoefficients = options.lossless && !isGray ? 0 : 6
        if isGray {
            plane = pixels
            image.pointee.yuvPlanes.0 = pixels.baseAddress.assumingMemoryBound(to: UInt8.self)
            image.pointee.yuvRowBytes.0 = UInt32(clamping: pixels.bytesPerRow)
            image.pointee.imageOwnsYUVPlanes = 0
        } else {
            try take(pixels, format: AVIF_RGB_FORMAT_RGB, ignoresAlpha: true)
        }
    }

    init(
        _ source: Image, options: EncodingOptions, writesAlpha: Bool, libavif: AVIFFunctions
    ) throws(WebImageError) {
        self.libavif = libavif
        var given = try source.pixelsToEncode(options)
        if given.format == .rgbaHalf { given = try given.converted(to: .rgba16) }
        let isDeep = options.keepsHDR && given.format == .rgba16
        var pixels = isDeep ? given : try given.straight(hasAlpha: source.hasAlpha)
        // The fourth channel of an opaque picture has no meaning. An encoded alpha must be opaque.
        if writesAlpha, !source.hasAlpha {
            pixels = try pixels.converted(to: isDeep ? .rgba16 : .rgba8, isOpaque: true)
        }
        // Below quality 0.9, chroma is stored at half resolution, as in the JPEG encoder.
        let halvesChroma = !options.lossless && !isDeep && options.halvesChroma ?? (options.quality < 0.9)
        let image = libavif.avifImageCreate(
            UInt32(pixels.width), UInt32(pixels.height), isDeep ? 12 : 8,
            halvesChroma ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444)
        guard let image else { throw .cannotEncode("libavif", "out of memory") }
        self.image = image
        HandleLedger.opened("avif_image")
        image.pointee.yuvRange = AVIF_RANGE_FULL
        // Matrix coefficients of H.273: 0 (identity) stores red, green and blue for lossless encoding. 6 (BT.601)
        // stores luma and chroma.
        image.pointee.matrixCoefficients = options.lossless ? 0 : 6
        let profile = source.colorProfile?.matching(.rgb8)
        if let codes = profile?.codePoints {
            image.pointee.colorPrimaries = avifColorPrimaries(codes.primaries)
            image.pointee.transferCharacteristics = avifTransferCharacteristics(codes.transfer)
        } else if let profile {
            let result = profile.iccData.withUnsafeBytes { bytes in
                withUnsafePointer(to: libavif) {
                    webimage_avif_set_profile($0, image, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
                }
            }
            guard result == AVIF_RESULT_OK else { throw .cannotEncode("libavif", libavif.words(for: result)) }
        } else {
            image.pointee.colorPrimaries = 1
            image.pointee.transferCharacteristics = 13
        }
        try take(
            pixels, format: pixels.format == .bgra8Premultiplied ? AVIF_RGB_FORMAT_BGRA : AVIF_RGB_FORMAT_RGBA,
            ignoresAlpha: !writesAlpha)
    }

    /// Converts pixels to the planes.
    private func take(_ pixels: PixelBuffer, format: avifRGBFormat, ignoresAlpha: Bool) throws(WebImageError) {
        var rgb = avifRGBImage()
        libavif.avifRGBImageSetDefaults(&rgb, image)
        rgb.depth = UInt32(pixels.format.bitsPerComponent)
        rgb.format = format
        rgb.ignoreAlpha = ignoresAlpha ? 1 : 0
        rgb.pixels = pixels.baseAddress.assumingMemoryBound(to: UInt8.self)
        rgb.rowBytes = UInt32(clamping: pixels.bytesPerRow)
        let result = libavif.avifImageRGBToYUV(image, &rgb)
        guard result == AVIF_RESULT_OK else {
            throw .cannotEncode("libavif", libavif.words(for: result))
        }
    }

    /// Sets EXIF, XMP and orientation. The orientation is stored in the boxes `irot` and `imir`, because AVIF readers
    /// ignore the EXIF orientation.
    func set(_ metadata: EmbeddedMetadata) throws(WebImageError) {
        var upright = metadata
        upright.orientation = .up
        try set(upright.exifWithOrientation) { webimage_avif_set_exif($0, image, $1, $2) }
        try set(metadata.xmpWithOrientation) { webimage_avif_set_xmp($0, image, $1, $2) }
        // The number of quarter turns counter-clockwise, and whether top and bottom are exchanged afterwards.
        let (turns, flips): (UInt8, Bool) =
            switch metadata.orientation {
            case .up: (0, false)
            case .upMirrored: (2, true)
            case .down: (2, false)
            case .downMirrored: (0, true)
            case .leftMirrored: (1, true)
            case .right: (3, false)
            case .rightMirrored: (3, true)
            case .left: (1, false)
            }
        webimage_avif_set_transform(image, turns, flips ? 1 : 0)
    }

    private func set(
        _ data: Data?, _ store: (UnsafePointer<AVIFFunctions>, UnsafePointer<UInt8>?, Int) -> avifResult
    ) throws(WebImageError) {
        guard let data else { return }
        let result = data.withUnsafeBytes { bytes in
            withUnsafePointer(to: libavif) { store($0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) }
        }
        guard result == AVIF_RESULT_OK else { throw .cannotEncode("libavif", libavif.words(for: result)) }
    }

    deinit {
        libavif.avifImageDestroy(image)
        HandleLedger.closed("avif_image")
    }

    var size: PixelSize { PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height)) }
}
