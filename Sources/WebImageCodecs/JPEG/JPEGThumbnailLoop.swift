import CWebImageCodecShim
import CWebImageJPEGThumbnail
import Foundation
import WebImageCore

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

    /// Decodes a whole file into `buffer`, whose size is an eighth of the file's size.
    ///
    /// - Parameter decoder: The libjpeg decoder that has read the header and has checked the limits.
    /// - Returns: Whether the pixels were written. If not, libjpeg must decode the file: it also reports errors.
    /// - Throws: `.limitExceeded` if the decode takes too long.
    static func decode(
        _ bytes: UnsafeRawBufferPointer, by decoder: JPEGDecoder, into buffer: PixelBuffer
    ) throws(WebImageError) -> Bool {
        var request = webimage_jpeg_thumbnail_request()
        var isRequired = false
        switch use {
        case .never: return false
        case .whereFaster: break
        case .always(let windowBytes, let required):
            isRequired = required
            request.ignores_cost = 1
            request.window_bytes = windowBytes
        }
        request.has_coarse_chroma = allowsCoarseChroma ? 1 : 0
        guard let format = Self.format(of: buffer.format) else { return false }
        request.format = format
        request.width = Int32(buffer.width)
        request.height = Int32(buffer.height)
        request.stride = buffer.bytesPerRow
        request.deadline = webimage_jpeg_deadline(decoder.handle)
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
