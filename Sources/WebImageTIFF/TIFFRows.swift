import CWebImageTIFF
import Foundation
import WebImageCore

/// Reads rows whose stored layout needs no conversion. These layouts are RGB, RGBA with straight alpha, and grey, each
/// with 8 bits per channel.
///
/// libtiff's conversion to RGBA is not used for these layouts, because it would multiply the colours by alpha. The
/// multiplication cannot be reversed without loss.
struct TIFFRows {
    private let file: TIFFFile
    private let size: PixelSize
    private let format: PixelFormat
    private let stripRows: Int

    /// Creates a reader for the current page. Returns nil if the layout of the page needs a conversion.
    init?(_ file: TIFFFile, size: PixelSize) {
        guard file.libtiff.TIFFIsTiled(file.handle) == 0, file.short(TIFFTAG_BITSPERSAMPLE) == 8,
            file.short(TIFFTAG_SAMPLEFORMAT) ?? 1 == Int(SAMPLEFORMAT_UINT),
            file.short(TIFFTAG_PLANARCONFIG) ?? 1 == Int(PLANARCONFIG_CONTIG)
        else { return nil }
        let photometric = file.short(TIFFTAG_PHOTOMETRIC)
        switch (file.short(TIFFTAG_SAMPLESPERPIXEL), photometric) {
        case (1, Int(PHOTOMETRIC_MINISBLACK)): format = .gray8
        case (3, Int(PHOTOMETRIC_RGB)): format = .rgb8
        // If the file does not declare the meaning of the fourth sample, the sample is read as straight alpha, as in
        // most readers.
        case (4, Int(PHOTOMETRIC_RGB)) where file.firstExtraSample != Int(EXTRASAMPLE_ASSOCALPHA): format = .rgba8
        default: return nil
        }
        guard Int(file.libtiff.TIFFScanlineSize64(file.handle)) == size.width * format.bytesPerPixel else { return nil }
        self.file = file
        self.size = size
        stripRows = max(1, min(file.long(TIFFTAG_ROWSPERSTRIP) ?? size.height, size.height))
    }

    /// Reads all rows. If the file is truncated, the missing pixels are transparent. In a layout without alpha, the
    /// missing pixels are black. Throws if the first strip cannot be read.
    func pixels(_ deadline: DecodeDeadline) throws(WebImageError) -> PixelBuffer {
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: format)
        let rowBytes = size.width * format.bytesPerPixel
        // If the rows of the buffer have no padding, strips are read directly into the buffer.
        let isPacked = pixels.bytesPerRow == rowBytes
        let band = isPacked ? nil : try PixelBuffer(width: rowBytes * stripRows, height: 1, format: .gray8)
        for top in stride(from: 0, to: size.height, by: stripRows) {
            try deadline.check()
            let rows = min(stripRows, size.height - top)
            let target = pixels.baseAddress + top * pixels.bytesPerRow
            let strip = band?.baseAddress ?? target
            // Clear the memory of the strip, because libtiff reports success for a deflated strip that ends early. The
            // rest of the strip would otherwise show uninitialised memory.
            memset(strip, 0, rows * rowBytes)
            let read = file.libtiff.TIFFReadEncodedStrip(
                file.handle, UInt32(top / stripRows), strip, tmsize_t(rows * rowBytes))
            guard read > 0 || top > 0 else {
                throw .badData("libtiff", file.message, hint: "Fetch the file again.")
            }
            let whole = max(0, min(rows, Int(read) / rowBytes))
            if let band {
                for row in 0..<whole {
                    memcpy(target + row * pixels.bytesPerRow, band.baseAddress + row * rowBytes, rowBytes)
                }
            }
            // If a part of a strip was read, clear the other rows of the strip and continue with the next strip. If
            // nothing of a strip was read, clear the strip and all further rows, and stop.
            let end = read > 0 ? top + rows : size.height
            memset(target + whole * pixels.bytesPerRow, 0, (end - top - whole) * pixels.bytesPerRow)
            if read <= 0 { break }
        }
        return pixels
    }
}
