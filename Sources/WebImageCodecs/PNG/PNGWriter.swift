import CWebImageCodecShim
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libpng writer.
final class PNGWriter {
    private let handle: OpaquePointer

    private init() throws(WebImageError) {
        guard let handle = cpng_writer_create() else { throw .cannotEncode("libpng", "cannot make a writer") }
        self.handle = handle
        HandleLedger.opened("png_writer")
    }

    deinit {
        cpng_writer_destroy(handle)
        HandleLedger.closed("png_writer")
    }

    static func encode(_ image: Image, options: EncodingOptions) throws(WebImageError) -> Data {
        let pixels = try image.pixelsToEncode(options)
        let gray = options.keepsPixelLayout ? nil : try image.deepGrayToEncode(pixels)
        let (source, layout) =
            if let gray { (gray, CPNG_GRAY16) } else { try rows(of: pixels, hasAlpha: image.hasAlpha) }
        let hasAlpha = image.hasAlpha && source.format.hasAlpha
        let profile = image.colorProfile?.matching(source.format)
        return try (profile?.iccData ?? Data()).withFileBytes { icc throws(WebImageError) in
            let description = CPNGDescription(
                width: UInt32(pixels.width), height: UInt32(pixels.height), layout: layout, has_alpha: hasAlpha,
                may_be_reduced: !options.keepsPixelLayout, has_color_space: profile != nil,
                effort: Int32(options.effort),
                icc: icc.bindMemory(to: UInt8.self).baseAddress, icc_count: icc.count,
                should_stop: WorkBudget.shouldStop)
            let file = try PNGWriter().write(description, source)
            return PNGChunkWriter.adding(
                options.metadata, codePoints: profile?.codePoints, light: profile?.contentLight, to: file)
        }
    }

    /// Converts the pixels to a layout that libpng accepts. libpng requires straight alpha. Therefore pixels in the
    /// premultiplied display format stay unchanged only if the picture is opaque.
    private static func rows(
        of pixels: PixelBuffer, hasAlpha: Bool
    ) throws(WebImageError) -> (PixelBuffer, CPNGLayout) {
        switch pixels.format {
        case .bgra8Premultiplied: hasAlpha ? (try pixels.converted(to: .rgba8), CPNG_RGBA8) : (pixels, CPNG_BGRA8)
        case .rgba8: (pixels, CPNG_RGBA8)
        case .rgb8: (pixels, CPNG_RGB8)
        case .gray8: (pixels, CPNG_GRAY8)
        case .rgba16: (pixels, CPNG_RGBA16)
        case .rgbaHalf: (try pixels.converted(to: .rgba16), CPNG_RGBA16)
        }
    }

    private func write(_ description: CPNGDescription, _ pixels: PixelBuffer) throws(WebImageError) -> Data {
        var description = description
        let rows = UnsafePointer(pixels.baseAddress.assumingMemoryBound(to: UInt8.self))
        guard cpng_writer_write(handle, &description, rows, pixels.bytesPerRow) else {
            try WorkBudget.checkCurrent()
            throw .cannotEncode("libpng", String(cString: cpng_writer_message(handle)))
        }
        var count = 0
        guard let file = cpng_writer_take(handle, &count) else { throw .cannotEncode("libpng", "wrote nothing") }
        return Data(bytesNoCopy: file, count: count, deallocator: .free)
    }
}
