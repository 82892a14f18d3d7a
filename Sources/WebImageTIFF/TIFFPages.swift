import CWebImageTIFF
import Foundation
import WebImageCore
import WebImageGraphics

/// Reads the pages of one file.
final class TIFFPages {
    private let file: TIFFFile
    private let table: TIFFPageTable
    /// The properties of the first page, and the number of pages.
    let info: ImageInfo

    /// Opens the file and reads the first page's directory.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        let file = try TIFFFile(reading: bytes, limits: limits)
        let table = TIFFPageTable(bytes, maxPages: limits.maxFrameCount)
        try Self.select(0, of: table, in: file)
        var info = try Self.info(of: file, limits: limits)
        info.frameCount = max(table.pages.count, 1)
        (self.file, self.table, self.info) = (file, table, info)
    }

    private static func select(_ page: Int, of table: TIFFPageTable, in file: TIFFFile) throws(WebImageError) {
        let directory = table.pages.indices.contains(page) ? table.pages[page].directory : 0
        guard file.libtiff.TIFFSetDirectory(file.handle, UInt32(directory)) == 1 else { throw file.failure }
    }

    /// Decodes a page. The page's size can differ from the first page's size.
    func image(at index: Int, options: DecodingOptions, deadline: DecodeDeadline) throws(WebImageError) -> Image {
        try Self.select(index, of: table, in: file)
        let page = try Self.info(of: file, limits: options.limits)
        try file.checkCompression()
        let layout = try TIFFLayout(file)
        // libtiff converts other layouts to 8 bits.
        let options = options.resolved(bitDepth: layout?.bits ?? 8)
        var profile = try profile(limits: options.limits)
        let pixels: PixelBuffer
        let hasAlpha: Bool
        if let layout {
            let wantsDeep =
                options.pixelFormat.bitsPerComponent > 8
                || options.colorConversion == .sRGB && layout.bits > 8 && profile?.needsDepth == true
            let picture = try TIFFPagePixels(
                layout, palette: layout.color == .palette ? file.palette(bits: layout.bits) : nil,
                size: page.storedSize, isDeep: wantsDeep && layout.bits > 8)
            try TIFFPageReader(file, layout, size: page.storedSize, deadline: deadline).read(
                into: picture, limits: options.limits)
            let isInk = layout.color == .ink
            pixels = try picture.finished(
                profile: isInk && options.colorConversion == .sRGB ? profile : nil, deadline)
            hasAlpha = layout.alpha != .none
            // The profile is for the ink, and the pixels are red, green and blue.
            if isInk { profile = nil }
        } else {
            let converted = try convertedPixels(page.storedSize, limits: options.limits, deadline: deadline)
            hasAlpha = converted.hasAlpha
            // libtiff has already multiplied the colours by alpha. `isOpaque: true` prevents a second multiplication,
            // so the conversion only swaps red and blue.
            pixels =
                hasAlpha
                ? try converted.pixels.converted(to: .bgra8Premultiplied, isOpaque: true) : converted.pixels
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
        // A page that is not supported has the alpha that it declares.
        let layout = try? TIFFLayout(file)
        info.hasAlpha = layout.map { $0.alpha != .none } ?? file.extraSamples.contains { $0 > 0 }
        info.hasICCProfile = file.profileBytes != nil
        return info
    }

    /// Returns the page's colour profile if it is for the page's colours. A profile for other colours is an error in the
    /// file and is ignored.
    private func profile(limits: DecodingLimits) throws(WebImageError) -> ColorProfile? {
        guard let bytes = file.profileBytes else { return nil }
        let space =
            switch Int32(file.short(TIFFTAG_PHOTOMETRIC) ?? 0) {
            case PHOTOMETRIC_MINISBLACK, PHOTOMETRIC_MINISWHITE: "GRAY"
            case PHOTOMETRIC_SEPARATED: "CMYK"
            // L*a*b* needs no profile.
            case PHOTOMETRIC_CIELAB, PHOTOMETRIC_ICCLAB: ""
            default: "RGB "
            }
        guard bytes.dropFirst(16).prefix(4).elementsEqual(space.utf8) else { return nil }
        var budget = AncillaryBudget(limits)
        try budget.take(bytes.count)
        return ColorProfile(iccData: Data(bytes))
    }

    /// Decodes a page with libtiff's conversion to RGBA. Each call to libtiff converts a few strips or one row of
    /// tiles, so that the deadline can be checked between calls.
    private func convertedPixels(
        _ size: PixelSize, limits: DecodingLimits, deadline: DecodeDeadline
    ) throws(WebImageError) -> (pixels: PixelBuffer, hasAlpha: Bool) {
        let bandRows = try rowsOfBand(size, limits: limits)
        var reader = TIFFRGBAImage()
        var words = [CChar](repeating: 0, count: 1024)
        guard file.libtiff.TIFFRGBAImageBegin(&reader, file.handle, 1, &words) == 1 else {
            let reason = String(decoding: words.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            throw .notSupported("these samples (\(reason))")
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
                throw file.failure
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
