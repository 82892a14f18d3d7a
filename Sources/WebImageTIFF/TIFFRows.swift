import CTIFF
import Foundation
import WebImageCore

/// Rows that are stored as they are wanted, so that they need no conversion: RGB, straight RGBA, or grey of eight bits.
///
/// libtiff's conversion would multiply by alpha, which cannot be undone without loss.
struct TIFFRows {
    private let file: TIFFFile
    private let size: PixelSize
    private let format: PixelFormat
    private let stripRows: Int

    /// nil for what is stored otherwise.
    init?(_ file: TIFFFile, size: PixelSize) {
        guard file.libtiff.TIFFIsTiled(file.handle) == 0, file.short(TIFFTAG_BITSPERSAMPLE) == 8,
            file.short(TIFFTAG_SAMPLEFORMAT) ?? 1 == Int(SAMPLEFORMAT_UINT),
            file.short(TIFFTAG_PLANARCONFIG) ?? 1 == Int(PLANARCONFIG_CONTIG)
        else { return nil }
        let photometric = file.short(TIFFTAG_PHOTOMETRIC)
        switch (file.short(TIFFTAG_SAMPLESPERPIXEL), photometric) {
        case (1, Int(PHOTOMETRIC_MINISBLACK)): format = .gray8
        case (3, Int(PHOTOMETRIC_RGB)): format = .rgb8
        // A fourth sample that the file says nothing about is read as straight alpha, as most readers do.
        case (4, Int(PHOTOMETRIC_RGB)) where file.firstExtraSample != Int(EXTRASAMPLE_ASSOCALPHA): format = .rgba8
        default: return nil
        }
        guard Int(file.libtiff.TIFFScanlineSize64(file.handle)) == size.width * format.bytesPerPixel else { return nil }
        self.file = file
        self.size = size
        stripRows = max(1, min(file.long(TIFFTAG_ROWSPERSTRIP) ?? size.height, size.height))
    }

    /// What a strip that breaks off leaves out is black or clear; without the first strip there is no picture.
    func pixels(_ deadline: DecodeDeadline) throws(WebImageError) -> PixelBuffer {
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: format)
        memset(pixels.baseAddress, 0, pixels.byteCount)
        let rowBytes = size.width * format.bytesPerPixel
        let band = try PixelBuffer(width: rowBytes * stripRows, height: 1, format: .gray8)
        for top in stride(from: 0, to: size.height, by: stripRows) {
            try deadline.check()
            let rows = min(stripRows, size.height - top)
            let read = file.libtiff.TIFFReadEncodedStrip(
                file.handle, UInt32(top / stripRows), band.baseAddress, tmsize_t(rows * rowBytes))
            guard read > 0 else {
                if top > 0 { break }
                throw .badData("libtiff", file.message, hint: "Fetch the file again.")
            }
            for row in 0..<min(rows, Int(read) / rowBytes) {
                memcpy(
                    pixels.baseAddress + (top + row) * pixels.bytesPerRow, band.baseAddress + row * rowBytes, rowBytes)
            }
        }
        return pixels
    }
}
