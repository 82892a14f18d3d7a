import CWebImageTIFF
import Foundation
import WebImageCore
import WebImageGraphics

/// Writes pages with Deflate compression, horizontal differencing and straight alpha. Writes the image's colour profile
/// if the image has one, and the metadata of the options: EXIF and XMP in the first page, the density in each.
enum TIFFWriter {
    static func encode(
        pageCount: Int, options: EncodingOptions, page: (Int) throws(WebImageError) -> Image
    ) throws(WebImageError) -> Data {
        let file = try TIFFFile(writing: ())
        for index in 0..<pageCount {
            // libtiff takes no fields after the first row of a page.
            if index == 0, let xmp = options.metadata.xmpWithOrientation {
                try set(TIFFTAG_XMLPACKET, to: xmp, in: file)
            }
            try write(page(index), to: file, options: options)
            guard file.libtiff.TIFFWriteDirectory(file.handle) == 1 else {
                throw .cannotEncode("libtiff", file.message)
            }
        }
        let written = file.written
        return options.metadata.exifWithOrientation.map { TIFFMetadata.adding(exif: $0, to: written) } ?? written
    }

    private static func write(_ image: Image, to file: TIFFFile, options: EncodingOptions) throws(WebImageError) {
        let pixels = try pixels(try image.pixelsToEncode(options), hasAlpha: image.hasAlpha)
        let gray = try image.deepGrayToEncode(pixels)
        let format = gray?.format ?? pixels.format
        // There is no pixel format of 16 bits without alpha. An opaque picture is written without it.
        let dropsAlpha = format == .rgba16 && !image.hasAlpha
        let channelCount = dropsAlpha ? 3 : format.channelCount
        try file.set(TIFFTAG_IMAGEWIDTH, Int32(pixels.width))
        try file.set(TIFFTAG_IMAGELENGTH, Int32(pixels.height))
        try file.set(TIFFTAG_BITSPERSAMPLE, Int32(pixels.format.bitsPerComponent))
        try file.set(TIFFTAG_SAMPLESPERPIXEL, Int32(channelCount))
        try file.set(TIFFTAG_PHOTOMETRIC, format == .gray8 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB)
        try file.set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG)
        try file.set(TIFFTAG_ORIENTATION, Int32(options.metadata.orientation.rawValue))
        try file.set(TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE)
        try file.set(TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL)
        let source = gray ?? pixels
        let rowBytes = source.width * format.bytesPerPixel
        try file.set(TIFFTAG_ROWSPERSTRIP, Int32(clamping: max(1, (256 << 10) / rowBytes)))
        if format.hasAlpha, !dropsAlpha { try setAlpha(file) }
        if let profile = image.colorProfile?.matching(format) {
            try set(TIFFTAG_ICCPROFILE, to: profile.iccData, in: file)
        }
        if let density = options.metadata.density {
            try file.set(TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH)
            try file.set(TIFFTAG_XRESOLUTION, density.horizontal)
            try file.set(TIFFTAG_YRESOLUTION, density.vertical)
        }
        // Copy each row, because libtiff applies the differencing to the caller's row in place.
        let row = try PixelBuffer(width: source.width, height: 1, format: format)
        for index in 0..<pixels.height {
            if index % 16 == 0 { try WorkBudget.current?.check() }
            let stored = source.baseAddress + index * source.bytesPerRow
            if dropsAlpha {
                Self.copyColors(stored, to: row.baseAddress, count: pixels.width)
            } else {
                memcpy(row.baseAddress, stored, rowBytes)
            }
            guard file.libtiff.TIFFWriteScanline(file.handle, row.baseAddress, UInt32(index), 0) == 1 else {
                throw .cannotEncode("libtiff", file.message)
            }
        }
    }

    private static func copyColors(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int) {
        let (from, to) = (
            source.assumingMemoryBound(to: UInt16.self), target.assumingMemoryBound(to: UInt16.self)
        )
        for pixel in 0..<count {
            for channel in 0..<3 { to[pixel * 3 + channel] = from[pixel * 4 + channel] }
        }
    }

    private static func setAlpha(_ file: TIFFFile) throws(WebImageError) {
        let type = UnsafeMutablePointer<UInt16>.allocate(capacity: 1)
        defer { type.deallocate() }
        type.pointee = UInt16(EXTRASAMPLE_UNASSALPHA)
        try file.set(TIFFTAG_EXTRASAMPLES, Int32(1), type)
    }

    private static func set(_ tag: Int32, to data: Data, in file: TIFFFile) throws(WebImageError) {
        try data.withFileBytes { bytes throws(WebImageError) in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
            try file.set(tag, UInt32(clamping: bytes.count), base)
        }
    }

    private static func pixels(_ pixels: PixelBuffer, hasAlpha: Bool) throws(WebImageError) -> PixelBuffer {
        switch pixels.format {
        case .bgra8Premultiplied, .rgba8: try pixels.converted(to: hasAlpha ? .rgba8 : .rgb8, isOpaque: !hasAlpha)
        case .rgb8, .gray8, .rgba16: pixels
        case .rgbaHalf: try pixels.converted(to: .rgba16)
        }
    }
}
