import CWebImageCodecShim
import CWebImageJPEGThumbnail
import Foundation
package import WebImageCore

/// Decodes JPEG at 1/8 with `CWebImageJPEGThumbnail`, which writes the pixels of libjpeg-turbo in about a third of its
/// time. `Documentation/Decisions/jpeg-thumbnails.md` describes the method and its limits.
package enum JPEGThumbnailLoop {
    /// When the loop is used.
    package enum Use: Sendable {
        /// All thumbnails are decoded by libjpeg-turbo.
        case never
        /// Only where the loop is faster: in a release build, for pictures of at least 307,200 pixels.
        case whereFaster
        /// For every file that the loop can decode. A small window lets tests cover its edges with small files. If
        /// `isRequired` is true, any other file is an error.
        case always(windowBytes: Int, isRequired: Bool = false)
    }

    /// Tests change this value. A debug build does not optimise the loop, and libjpeg-turbo is then faster. In a process
    /// whose environment has `WEBIMAGE_JPEG_THUMBNAILS=libjpeg`, libjpeg-turbo decodes every thumbnail.
    @TaskLocal package static var use = isWanted ? Use.whereFaster : .never

    /// Whether the processor has the vector instructions without which planes of 8 samples take longer than libjpeg-turbo.
    package static let isVectorized = webimage_jpeg_thumbnail_is_vectorized() != 0

    /// The greatest quantisation factor of luma's means in a file that is not coarse.
    static let coarseFactor = Int32(WEBIMAGE_JPEG_THUMBNAIL_COARSE_FACTOR)

    private static let isWanted =
        webimage_jpeg_thumbnail_is_optimized() != 0
        && ProcessInfo.processInfo.environment["WEBIMAGE_JPEG_THUMBNAILS"] != "libjpeg"

    /// Whether chroma may be decoded from its DC coefficients alone. The pixels then differ slightly from those of
    /// libjpeg-turbo, and the decode of a usual photo takes 0.7 of the time, that of a progressive one 0.25. Set this
    /// value for a mean colour or a hash.
    @TaskLocal package static var allowsCoarseChroma = false

    /// Whether a picture may be decoded to planes and scaled from there. The pixels then differ from those of
    /// libjpeg-turbo. Tests that compare both decoders set it to false.
    @TaskLocal package static var allowsPlanes = true

    /// Decodes a whole file into `buffer`, whose size is an eighth of the file's size.
    ///
    /// - Parameter decoder: The libjpeg decoder that has read the header and has checked the limits.
    /// - Returns: Whether the pixels were written. If not, libjpeg must decode the file: it also reports errors.
    /// - Throws: `.limitExceeded` if the decode takes too long.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder, into buffer: PixelBuffer
    ) throws(WebImageError) -> Bool {
        var request = webimage_jpeg_thumbnail_request()
        request.has_coarse_chroma = allowsCoarseChroma ? 1 : 0
        if decoder.isCMYK { request.format = WEBIMAGE_JPEG_THUMBNAIL_CMYK }
        return try run(&request, bytes, by: decoder, into: buffer)
    }

    /// Decodes a whole file to planes and scales `region` of these to `target`. Colours of CMYK and YCCK are the products of ink
    /// and black, for files without a profile.
    ///
    /// - Returns: The pixels, or nil if the caller must decode the file. See
    ///   ``samples(from:to:chroma:)``.
    static func decodePlanes(
        _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder, from region: PixelRegion, to target: PixelSize,
        format: PixelFormat
    ) throws(WebImageError) -> PixelBuffer? {
        if case .never = use { return nil }
        guard let samples = samples(from: region, to: target, of: decoder) else { return nil }
        let buffer = try PixelBuffer(width: target.width, height: target.height, format: format)
        var request = webimage_jpeg_thumbnail_request()
        return try run(&request, samples: samples, from: region, bytes, by: decoder, into: buffer) ? buffer : nil
    }

    /// Decodes the inks of a file of CMYK or YCCK to planes with `side` samples per row of a block. The planes are not scaled:
    /// colours of a profile must be made before.
    ///
    /// - Returns: The inks as the file stores them, or nil if the caller must decode the file.
    static func decodeInks(
        _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder, side: Int
    ) throws(WebImageError) -> PixelBuffer? {
        if case .never = use { return nil }
        let size = decoder.size
        let buffer = try PixelBuffer(
            width: (size.width * side + 7) / 8, height: (size.height * side + 7) / 8, format: .rgba8)
        var request = webimage_jpeg_thumbnail_request()
        request.format = WEBIMAGE_JPEG_THUMBNAIL_CMYK
        let whole = PixelRegion(size)
        return try run(&request, samples: (side, side), from: whole, bytes, by: decoder, into: buffer) ? buffer : nil
    }

    /// Decodes to planes.
    private static func run(
        _ request: inout webimage_jpeg_thumbnail_request, samples: (luma: Int, chroma: Int), from region: PixelRegion,
        _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder, into buffer: PixelBuffer
    ) throws(WebImageError) -> Bool {
        var planes = webimage_jpeg_thumbnail_planes()
        planes.file_width = Int32(decoder.size.width)
        planes.file_height = Int32(decoder.size.height)
        planes.x = region.left
        planes.y = region.top
        planes.width = region.width
        planes.height = region.height
        planes.side = Int32(samples.luma)
        planes.chroma_side = Int32(samples.chroma)
        return try withUnsafePointer(to: planes) { planes throws(WebImageError) in
            request.planes = planes
            return try run(&request, bytes, by: decoder, into: buffer)
        }
    }

    /// How many samples a file has for chroma.
    package enum Chroma: Sendable { case none, asLuma, fewer }

    static func samples(
        from region: PixelRegion, to target: PixelSize, of decoder: JPEGDecoder
    ) -> (luma: Int, chroma: Int)? {
        if decoder.isCMYK {
            return inkSamples(from: region, to: target, hasSmallPlanes: decoder.hasSmallChroma).map { ($0, $0) }
        }
        return samples(
            from: region, to: target, chroma: decoder.isGray ? .none : decoder.hasSmallChroma ? .fewer : .asLuma)
    }

    /// Returns how many samples per row a block of ink must have. A colour is the product of two inks, so that a result needs
    /// larger planes than one of luma and chroma.
    ///
    /// - Parameter hasSmallPlanes: Whether some inks have half the resolution of others. Their blocks must have twice as many
    ///   samples: 4 or 8, because there are no 6. Below a ratio of 6, the result would lose one to two points of SSIMULACRA2.
    package static func inkSamples(
        from region: PixelRegion, to target: PixelSize, hasSmallPlanes: Bool, isVectorized: Bool = isVectorized
    ) -> Int? {
        guard let ratio = ratio(from: region, to: target), ratio >= 3 else { return nil }
        if ratio >= 14 { return 2 }
        guard isVectorized, ratio >= 6 || !hasSmallPlanes else { return nil }
        return ratio < 8 || hasSmallPlanes ? 4 : 3
    }

    /// Returns how many samples per row a block of ink must have so that the caller can convert the colours of its planes. The
    /// conversion takes longer than the decode, so that the planes are not larger than those of libjpeg-turbo.
    static func unscaledInkSamples(from region: PixelRegion, to target: PixelSize, eighths: Int) -> Int? {
        guard let ratio = ratio(from: region, to: target), ratio >= 3, eighths > 1 else { return nil }
        return eighths == 2 ? 2 : isVectorized ? 4 : nil
    }

    /// How many times smaller than the picture the result is. Nil if no planes are used.
    private static func ratio(from region: PixelRegion, to target: PixelSize) -> Double? {
        guard allowsPlanes, !allowsCoarseChroma, target.width > 0, target.height > 0 else { return nil }
        return min(region.width / Double(target.width), region.height / Double(target.height))
    }

    /// Returns how many samples per row a block of luma, and one of chroma with less resolution, must have so that the
    /// result loses at most a point of SSIMULACRA2 against a complete decode.
    ///
    /// A plane of luma has at least 1.5 times the pixels of a result's row. Of chroma with half the resolution, 4 samples of a
    /// block are too few for a result above 3/14 of the picture, and for a small one above 3/16, for which 3 of luma are too
    /// few as well. All 8 are fast enough only with vector instructions. Above a third, complete blocks take the time of
    /// libjpeg-turbo, but the whole picture is never in memory; above half of the picture they lose up to 2 points.
    ///
    /// - Returns: Nil if the picture must be decoded completely, or if the 1/8 decode is as good and takes less time.
    package static func samples(
        from region: PixelRegion, to target: PixelSize, chroma: Chroma, isVectorized: Bool = isVectorized
    ) -> (luma: Int, chroma: Int)? {
        guard let ratio = ratio(from: region, to: target) else { return nil }
        let isSmall = target.pixelCount <= Resampling.smallResult
        return switch ratio {
        case ..<2: nil
        case ..<3: isVectorized ? (8, 8) : nil
        case ..<4: chroma != .fewer ? (4, 4) : isVectorized ? (4, 8) : nil
        case ..<(14.0 / 3): chroma != .fewer ? (4, 4) : isVectorized ? (isSmall ? 4 : 3, 8) : nil
        case ..<(16.0 / 3): chroma != .fewer ? (3, 3) : isVectorized ? (isSmall ? (4, 8) : (3, 4)) : nil
        case ..<7.2: (3, 4)
        case ..<8: (2, 4)
        case ..<16: (2, 3)
        case ..<20: (2, 2)
        default: chroma == .none ? nil : (2, 2)
        }
    }

    private static func run(
        _ request: inout webimage_jpeg_thumbnail_request, _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder,
        into buffer: PixelBuffer
    ) throws(WebImageError) -> Bool {
        var isRequired = false
        switch use {
        case .never: return false
        case .whereFaster: break
        case .always(let windowBytes, let required):
            isRequired = required
            request.ignores_cost = 1
            request.window_bytes = windowBytes
        }
        if request.format != WEBIMAGE_JPEG_THUMBNAIL_CMYK {
            guard let format = Self.format(of: buffer.format) else { return false }
            request.format = format
        }
        request.width = Int32(buffer.width)
        request.height = Int32(buffer.height)
        request.stride = buffer.bytesPerRow
        request.deadline = webimage_jpeg_deadline(decoder.handle)
        request.should_stop = WorkBudget.shouldStop
        let status = buffer.withUnsafeMutableBytes { pixels in
            request.pixels = pixels.bindMemory(to: UInt8.self).baseAddress
            return webimage_jpeg_thumbnail_decode(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &request)
        }
        if status == WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME { try decoder.check(Int32(WEBIMAGE_JPEG_OUT_OF_TIME)) }
        if isRequired, status != WEBIMAGE_JPEG_THUMBNAIL_OK {
            throw .badData("JPEGThumbnailLoop", "status \(status.rawValue)")
        }
        return status == WEBIMAGE_JPEG_THUMBNAIL_OK
    }

    private static func format(of layout: PixelFormat) -> webimage_jpeg_thumbnail_format? {
        switch layout {
        case .gray8: WEBIMAGE_JPEG_THUMBNAIL_GRAY
        case .rgb8: WEBIMAGE_JPEG_THUMBNAIL_RGB
        case .rgba8: WEBIMAGE_JPEG_THUMBNAIL_RGBA
        case .bgra8Premultiplied: WEBIMAGE_JPEG_THUMBNAIL_BGRA
        case .rgba16, .rgbaHalf: nil
        }
    }
}
