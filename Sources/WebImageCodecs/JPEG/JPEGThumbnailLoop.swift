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
        return try run(&request, bytes, by: decoder, into: buffer)
    }

    /// Decodes a whole file to planes and scales `region` of these to `target`.
    ///
    /// - Returns: The pixels, or nil if the caller must decode the file. See
    ///   ``samples(from:to:chroma:)``.
    static func decodePlanes(
        _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder, from region: PixelRegion, to target: PixelSize,
        format: PixelFormat
    ) throws(WebImageError) -> PixelBuffer? {
        if case .never = use { return nil }
        guard !decoder.isCMYK, let samples = samples(from: region, to: target, of: decoder) else {
            return nil
        }
        let buffer = try PixelBuffer(width: target.width, height: target.height, format: format)
        var planes = webimage_jpeg_thumbnail_planes()
        planes.file_width = Int32(decoder.size.width)
        planes.file_height = Int32(decoder.size.height)
        planes.x = region.left
        planes.y = region.top
        planes.width = region.width
        planes.height = region.height
        planes.side = Int32(samples.luma)
        planes.chroma_side = Int32(samples.chroma)
        let isDecoded = try withUnsafePointer(to: planes) { planes throws(WebImageError) in
            var request = webimage_jpeg_thumbnail_request()
            request.planes = planes
            return try run(&request, bytes, by: decoder, into: buffer)
        }
        return isDecoded ? buffer : nil
    }

    /// How many samples a file has for chroma.
    package enum Chroma: Sendable { case none, asLuma, fewer }

    static func samples(
        from region: PixelRegion, to target: PixelSize, of decoder: JPEGDecoder
    ) -> (luma: Int, chroma: Int)? {
        samples(
            from: region, to: target, chroma: decoder.isGray ? .none : decoder.hasSmallChroma ? .fewer : .asLuma)
    }

    /// Returns how many samples per row a block of luma, and one of chroma with less resolution, must have so that the
    /// result loses at most a point of SSIMULACRA2 against a complete decode.
    ///
    /// A plane of luma has at least 1.5 times the pixels of a result's row. Of chroma with half the resolution, a block
    /// has at most 4 samples here, which is too few for a result above 3/16 of the picture.
    ///
    /// - Returns: Nil if the picture must be decoded completely, or if the 1/8 decode is as good and takes less time.
    package static func samples(
        from region: PixelRegion, to target: PixelSize, chroma: Chroma
    ) -> (luma: Int, chroma: Int)? {
        guard allowsPlanes, !allowsCoarseChroma, target.width > 0, target.height > 0 else { return nil }
        let ratio = min(region.width / Double(target.width), region.height / Double(target.height))
        return switch ratio {
        case ..<3: nil
        case ..<(14.0 / 3): chroma == .fewer ? nil : (4, 4)
        case ..<(16.0 / 3): chroma == .fewer ? nil : (3, 3)
        case ..<7.2: (3, 4)
        case ..<9: (2, 4)
        case ..<20: (2, 3)
        default: chroma == .none ? nil : (2, 3)
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
        guard let format = Self.format(of: buffer.format) else { return false }
        request.format = format
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
