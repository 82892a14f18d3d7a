import CWebImageAVIF
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libavif decoder. `init` parses the boxes, and ``picture(at:options:deadline:)`` decodes pixels.
final class AVIFDecoder {
    private let libavif: AVIFFunctions
    private let handle: UnsafeMutablePointer<avifDecoder>
    /// The properties that the boxes of the file declare.
    private(set) var info = ImageInfo(format: .avif, storedSize: PixelSize(width: 1, height: 1))
    /// The colour profile. Nil for sRGB.
    private(set) var profile: ColorProfile?
    /// The visible part of the coded picture. Nil if the whole picture is visible.
    private var crop: avifCropRect?
    private let byteCount: Int

    /// The copy without the brand of a tone-mapped item that libavif reads instead of a file it has refused; nil if libavif
    /// reads the file itself. Kept for the life of the decoder, because libavif reads it at each frame.
    private var copy: PinnedBytes?
    /// The gain map of the picture; nil if it has none.
    private(set) var gainMap: AVIFGainMap?

    /// Parses the boxes. `bytes` must outlive the decoder, because the decoder reads them without a copy.
    ///
    /// - Parameter isMap: Whether the picture is the gain map of another one, so that it has none itself.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits, isMap: Bool = false) throws(WebImageError) {
        libavif = try AVIFLibrary.functions()
        guard let handle = libavif.avifDecoderCreate() else { throw .badData("libavif", "cannot make a decoder") }
        self.handle = handle
        byteCount = bytes.count
        HandleLedger.opened("avif_decoder")
        handle.pointee.maxThreads = 1
        handle.pointee.ignoreExif = 1
        handle.pointee.ignoreXMP = 1
        // Disable strict checks, because many real files lack boxes that the specification requires.
        handle.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
        do throws(WebImageError) {
            try parse(bytes, limits)
        } catch {
            // libavif 1.1 and later refuse a file whose tone-mapped item is damaged, although its base is whole.
            guard error.code != .limitExceeded, let copy = bytes.withoutToneMapBrand else { throw error }
            self.copy = copy
            do throws(WebImageError) { try parse(copy.bytes, limits) } catch _ { throw error }
        }
        try boundTiles(bytes)
        try readInfo(limits, bytes, light: HEIFBoxReader(bytes).contentLight)
        guard !isMap, info.frameCount == 1, let map = AVIFGainMap(findingIn: bytes, limits: limits) else { return }
        gainMap = map
        var range = info.hdr ?? HDRDescription()
        range.gainMap = map.description
        info.hdr = range
    }

    deinit {
        libavif.avifDecoderDestroy(handle)
        HandleLedger.closed("avif_decoder")
    }

    /// Parses the boxes with the pixel limit. libavif passes the limit on to the AV1 decoder. Without the limit, the
    /// AV1 decoder would accept a frame that is larger than the boxes declare.
    ///
    /// - Throws: `.limitExceeded` with the size of the picture if only the caller's limit is the reason; otherwise
    ///   `.badImageData` with the message of libavif.
    private func parse(_ bytes: UnsafeRawBufferPointer, _ limits: DecodingLimits) throws(WebImageError) {
        let base = bytes.bindMemory(to: UInt8.self).baseAddress
        try check(libavif.avifDecoderSetIOMemory(handle, base, bytes.count))
        // libavif refuses sides over 32,768 px by default. `DecodingLimits.checkPixels` checks the sides instead.
        handle.pointee.imageDimensionLimit = 0
        let most = UInt32(AVIF_DEFAULT_IMAGE_SIZE_LIMIT)
        handle.pointee.imageSizeLimit = UInt32(clamping: max(1, min(limits.maxPixels, Int(most))))
        let result = libavif.avifDecoderParse(handle)
        guard result != AVIF_RESULT_OK else { return }
        // Parse again without the limit of the caller. If the second attempt succeeds, the limit caused the failure.
        // libavif then reports the size of the picture, and the error contains this size.
        handle.pointee.imageSizeLimit = most
        if libavif.avifDecoderParse(handle) == AVIF_RESULT_OK { try limits.checkPixels(storedSize) }
        try check(result)
    }

    /// Sets the pixel limit for each coded picture. Call this method before the first picture is decoded, because
    /// the AV1 codecs read the limit at that time.
    private func boundTiles(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        let most = try AVIFTiles(bytes).pixelLimit(canvas: storedSize)
        handle.pointee.imageSizeLimit = min(handle.pointee.imageSizeLimit, UInt32(clamping: most))
    }

    private var image: avifImage { handle.pointee.image.pointee }

    private var storedSize: PixelSize { PixelSize(width: Int(image.width), height: Int(image.height)) }

    /// Sets ``info``, ``profile`` and the crop from the parsed boxes, after checking them against the limits.
    ///
    /// - Parameters:
    ///   - bytes: The file, for the edit list, which libavif before 1.0 does not read.
    ///   - light: The content light level that the boxes declare. Evaluated only for PQ and HLG, because other pictures do
    ///     not use it.
    private func readInfo(
        _ limits: DecodingLimits, _ bytes: UnsafeRawBufferPointer, light: @autoclosure () -> ContentLightLevel?
    ) throws(WebImageError) {
        try limits.checkPixels(storedSize)
        var budget = AncillaryBudget(limits)
        try budget.take(image.icc.size)
        let frameCount = Int(max(handle.pointee.imageCount, 1))
        try limits.checkAnimation(storedSize, frameCount: frameCount)
        crop = cleanAperture
        info.storedSize = crop.map { PixelSize(width: Int($0.width), height: Int($0.height)) } ?? storedSize
        info.orientation = orientation
        info.hasAlpha = handle.pointee.alphaPresent != 0
        info.bitDepth = Int(image.depth)
        info.isGray = image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
        info.hasICCProfile = image.icc.size > 0
        // The decoded planes need four samples per pixel. If the picture is cropped, the whole picture is in memory
        // together with the cropped picture.
        info.workingMemory.fixedBytes = storedSize.byteCount(image.depth > 8 ? 8 : 4)
        if crop != nil { info.workingMemory.fixedBytes += storedSize.byteCount(8) }
        profile =
            info.hasICCProfile
            ? ColorProfile(iccData: Data(bytes: image.icc.data, count: image.icc.size))
            : ColorProfile(
                primaries: Int(image.colorPrimaries), transfer: Int(image.transferCharacteristics),
                // PQ and HLG (ITU-T H.273).
                light: [16, 18].contains(image.transferCharacteristics) ? light() : nil)
        info.hdr = profile?.hdr
        guard frameCount > 1 else { return }
        info.frameCount = frameCount
        let plays = Int(webimage_avif_play_count(handle))
        // A damaged edit list does not make the pictures unreadable.
        info.loopCount = plays < 0 ? (try? AVIFPlayCount(bytes).read()) ?? 0 : plays
        info.delaysMilliseconds = (0..<frameCount).map { index in
            var timing = avifImageTiming()
            let result = libavif.avifDecoderNthImageTiming(handle, UInt32(index), &timing)
            return result == AVIF_RESULT_OK ? timing.duration * 1000 : 0
        }
    }

    /// The visible rectangle that the box `clap` declares, in pixels before rotation (ISO/IEC 23000-22 §7.3.6.7). Nil
    /// if the box is missing or invalid.
    private var cleanAperture: avifCropRect? {
        guard image.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0 else { return nil }
        var (box, rect, diagnostics) = (image.clap, avifCropRect(), avifDiagnostics())
        let isValid = libavif.avifCropRectConvertCleanApertureBox(
            &rect, &box, image.width, image.height, image.yuvFormat, &diagnostics)
        return isValid != 0 && rect.width > 0 && rect.height > 0 ? rect : nil
    }

    /// The orientation that the boxes declare. The rotation of `irot` is applied first, and the mirroring of `imir` is
    /// applied second (ISO/IEC 23000-22 §7.3.6.7). AVIF readers ignore the EXIF orientation.
    private var orientation: ImageOrientation {
        let flags = image.transformFlags
        let turns = flags & AVIF_TRANSFORM_IROT.rawValue != 0 ? Int(image.irot.angle) & 3 : 0
        let mirrors = flags & AVIF_TRANSFORM_IMIR.rawValue != 0
        let plain: [ImageOrientation] = [.up, .left, .down, .right]
        // Mirror axis 0 exchanges top and bottom. Axis 1 exchanges left and right.
        let upsideDown: [ImageOrientation] = [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored]
        let sideways: [ImageOrientation] = [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored]
        guard mirrors else { return plain[turns] }
        return (webimage_avif_mirror_axis(handle.pointee.image) == 0 ? upsideDown : sideways)[turns]
    }

    /// The time of decoding a pixel and a byte of a file (Documentation/Costs.md). Noise needs 5 ns for each pixel and
    /// 75 ns for each byte; filters and grain of the codec can double the time of a pixel several times.
    private static let (secondsPerPixel, secondsPerByte) = (30e-9, 80e-9)

    /// Decodes one frame. Does not apply the orientation. The pixel layout can differ from `options.pixelFormat`,
    /// because libavif does not write every layout.
    func picture(
        at index: Int, options: DecodingOptions, deadline: DecodeDeadline
    ) throws(WebImageError) -> DecodedPicture {
        // An AV1 decoder cannot be interrupted while it decodes a frame.
        let bytes = Double(byteCount) / Double(max(info.frameCount, 1))
        try deadline.admit(
            "decoding AVIF",
            seconds: Double(storedSize.pixelCount) * Self.secondsPerPixel + bytes * Self.secondsPerByte)
        try check(libavif.avifDecoderNthImage(handle, UInt32(index)))
        try options.limits.checkPixels(storedSize)
        guard crop != nil || storedSize == info.storedSize else {
            throw .badData("libavif", "a frame has \(storedSize) px, but the file declares \(info.storedSize)")
        }
        let layout = layout(for: options)
        let pixels = try PixelBuffer(width: storedSize.width, height: storedSize.height, format: layout)
        var rgb = avifRGBImage()
        libavif.avifRGBImageSetDefaults(&rgb, handle.pointee.image)
        rgb.format = layout == .bgra8Premultiplied ? AVIF_RGB_FORMAT_BGRA : AVIF_RGB_FORMAT_RGBA
        rgb.depth = UInt32(layout.bitsPerComponent)
        // libavif divides by alpha with truncated numbers, so this function divides.
        rgb.alphaPremultiplied = info.hasAlpha ? image.alphaPremultiplied : 0
        rgb.pixels = pixels.baseAddress.assumingMemoryBound(to: UInt8.self)
        rgb.rowBytes = UInt32(clamping: pixels.bytesPerRow)
        if let chroma = try AVIFChroma(image) {
            try check(chroma.withImage(image) { libavif.avifImageYUVToRGB($0, &rgb) })
        } else {
            try check(libavif.avifImageYUVToRGB(handle.pointee.image, &rgb))
        }
        if rgb.alphaPremultiplied != 0 { pixels.unpremultiplyInPlace() }
        return DecodedPicture(
            pixels: try cropped(pixels), orientation: info.orientation, profile: profile, hasAlpha: info.hasAlpha,
            format: .avif)
    }

    private func cropped(_ pixels: PixelBuffer) throws(WebImageError) -> PixelBuffer {
        guard let crop else { return pixels }
        let (x, y) = (Int(crop.x), Int(crop.y))
        guard x + info.storedSize.width <= pixels.width, y + info.storedSize.height <= pixels.height else {
            throw .badData("libavif", "the clean aperture is outside the picture")
        }
        let part = try PixelBuffer(
            width: info.storedSize.width, height: info.storedSize.height, format: pixels.format)
        part.copyRectangle(of: pixels, x: x, y: y)
        return part
    }

    /// Returns the layout to decode into. Only opaque pixels are decoded directly to the display layout. Pixels with
    /// alpha are decoded with straight alpha, because colours must be converted before they are multiplied by alpha.
    private func layout(for options: DecodingOptions) -> PixelFormat {
        if image.depth > 8 {
            let needsDepth = options.colorConversion == .sRGB && profile?.needsDepth == true
            if needsDepth || options.pixelFormat.bitsPerComponent > 8 { return .rgba16 }
        }
        return info.hasAlpha || options.pixelFormat != .bgra8Premultiplied ? .rgba8 : .bgra8Premultiplied
    }

    private func check(_ result: avifResult) throws(WebImageError) {
        guard result != AVIF_RESULT_OK else { return }
        throw .badData("libavif", libavif.words(for: result), hint: "Fetch the file again.")
    }
}
