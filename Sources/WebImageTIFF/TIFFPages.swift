import CWebImageTIFF
import Foundation
import WebImageCore
import WebImageGraphics

/// Reads the pages of one file.
final class TIFFPages {
    private let file: TIFFFile
    private(set) var info: ImageInfo

    /// Opens the file and reads the first page's directory.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        file = try TIFFFile(reading: bytes, limits: limits)
        info = try TIFFPages.info(of: file, limits: limits)
    }

    /// Counts the pages. Follows the chain of directories without reading their content.
    func countPages() {
        let count = Int(file.libtiff.TIFFNumberOfDirectories(file.handle))
        guard count > 1 else { return }
        info.frameCount = count
        info.loopCount = 0
        info.delaysMilliseconds = Array(repeating: 0, count: count)
    }

    /// Decodes a page to 8 bits per channel. The page's size can differ from the first page's size.
    func image(at index: Int, options: DecodingOptions, deadline: DecodeDeadline) throws(WebImageError) -> Image {
        guard file.libtiff.TIFFSetDirectory(file.handle, UInt32(index)) == 1 else {
            throw .badData("libtiff", file.message)
        }
        let page = try Self.info(of: file, limits: options.limits)
        let profile = try Self.profile(of: file, limits: options.limits)
        var pixels: PixelBuffer
        var hasAlpha = false
        if let rows = TIFFRows(file, size: page.storedSize) {
            pixels = try rows.pixels(deadline)
            hasAlpha = pixels.format.hasAlpha
        } else {
            (pixels, hasAlpha) = try convertedPixels(page.storedSize, limits: options.limits, deadline: deadline)
            // libtiff has already multiplied the colours by alpha. `isOpaque: true` prevents a second multiplication,
            // so the conversion only swaps red and blue.
            if hasAlpha { pixels = try pixels.converted(to: .bgra8Premultiplied, isOpaque: true) }
        }
        return try DecodedPicture(
            pixels: pixels, orientation: page.orientation, profile: profile, hasAlpha: hasAlpha, format: .tiff
        ).finished(options: options, fullSize: page.storedSize)
    }

    private static func info(of file: TIFFFile, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        guard let width = file.long(TIFFTAG_IMAGEWIDTH), let height = file.long(TIFFTAG_IMAGELENGTH), width > 0,
            height > 0
        else { throw .badData("libtiff", "the page has no size") }
        let size = PixelSize(width: width, height: height)
        try limits.checkPixels(size)
        var info = ImageInfo(format: .tiff, storedSize: size)
        info.orientation = file.short(TIFFTAG_ORIENTATION).flatMap(ImageOrientation.init) ?? .up
        info.bitDepth = file.short(TIFFTAG_BITSPERSAMPLE) ?? 8
        let photometric = file.short(TIFFTAG_PHOTOMETRIC)
        info.isGray = photometric == Int(PHOTOMETRIC_MINISBLACK) || photometric == Int(PHOTOMETRIC_MINISWHITE)
        info.hasAlpha = file.hasAlphaSample
        info.hasICCProfile = file.profileBytes != nil
        return info
    }

    /// Returns the page's colour profile. Nil for CMYK, because libtiff converts CMYK to red, green and blue without
    /// the profile.
    private static func profile(of file: TIFFFile, limits: DecodingLimits) throws(WebImageError) -> ColorProfile? {
        guard let bytes = file.profileBytes, file.short(TIFFTAG_PHOTOMETRIC) != Int(PHOTOMETRIC_SEPARATED) else {
            return nil
        }
        var budget = AncillaryBudget(limits)
        try budget.take(bytes.count)
        return ColorProfile(iccData: Data(bytes))
    }

    /// Decodes a page with libtiff's conversion to RGBA. Each call to libtiff converts a few strips or one row of
    /// tiles, so that the deadline can be checked between calls.
    private func convertedPixels(
        _ size: PixelSize, limits: DecodingLimits, deadline: DecodeDeadline
    ) throws(WebImageError) -> (PixelBuffer, hasAlpha: Bool) {
        let bandRows = try rowsOfBand(size, limits: limits)
        var reader = TIFFRGBAImage()
        var words = [CChar](repeating: 0, count: 1024)
        guard file.libtiff.TIFFRGBAImageBegin(&reader, file.handle, 0, &words) == 1 else {
            throw .badData(
                "libtiff", String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        HandleLedger.opened("tiff_rgba")
        defer {
            file.libtiff.TIFFRGBAImageEnd(&reader)
            HandleLedger.closed("tiff_rgba")
        }
        // libtiff must not apply the orientation, because a later step applies the orientation of all formats.
        reader.req_orientation = reader.orientation
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: .rgba8)
        memset(pixels.baseAddress, 0, pixels.byteCount)
        let band = try PixelBuffer(width: size.width * bandRows, height: 1, format: .rgba8)
        let rowBytes = size.width * 4
        for top in stride(from: 0, to: size.height, by: bandRows) {
            try deadline.check()
            let rows = min(bandRows, size.height - top)
            memset(band.baseAddress, 0, rows * rowBytes)
            reader.row_offset = Int32(top)
            reader.col_offset = 0
            let raster = band.baseAddress.assumingMemoryBound(to: UInt32.self)
            guard file.libtiff.TIFFRGBAImageGet(&reader, raster, UInt32(size.width), UInt32(rows)) == 1 else {
                if top > 0 { break }
                throw .badData("libtiff", file.message, hint: "Fetch the file again.")
            }
            for row in 0..<rows {
                memcpy(
                    pixels.baseAddress + (top + row) * pixels.bytesPerRow, band.baseAddress + row * rowBytes, rowBytes)
            }
        }
        return (pixels, reader.alpha != 0)
    }

    private func rowsOfBand(_ size: PixelSize, limits: DecodingLimits) throws(WebImageError) -> Int {
        guard file.libtiff.TIFFIsTiled(file.handle) != 0 else {
            let rows = max(1, min(file.long(TIFFTAG_ROWSPERSTRIP) ?? size.height, size.height))
            // Each call to libtiff converts at least one strip. If a strip has at most 32 rows, each call converts
            // several strips with at most 64 rows in total.
            return min(rows * max(1, 64 / rows), size.height)
        }
        guard let width = file.long(TIFFTAG_TILEWIDTH), let height = file.long(TIFFTAG_TILELENGTH), width > 0,
            height > 0
        else { throw .badData("libtiff", "the tiles have no size") }
        try limits.checkPixels(PixelSize(width: width, height: height))
        return min(height, size.height)
    }
}
