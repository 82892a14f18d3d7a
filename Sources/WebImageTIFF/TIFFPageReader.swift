import CWebImageTIFF
import Foundation
import WebImageCore

/// Reads the samples of one page, in every arrangement of rows, strips, tiles and planes.
struct TIFFPageReader {
    private let file: TIFFFile
    private let layout: TIFFLayout
    private let size: PixelSize
    private let deadline: DecodeDeadline

    init(_ file: TIFFFile, _ layout: TIFFLayout, size: PixelSize, deadline: DecodeDeadline) {
        (self.file, self.layout, self.size, self.deadline) = (file, layout, size, deadline)
    }

    /// Reads the page.
    ///
    /// - Throws: `.badImageData` if any row of the page is missing or damaged.
    func read(into page: TIFFPagePixels, limits: DecodingLimits) throws(WebImageError) {
        if file.libtiff.TIFFIsTiled(file.handle) != 0 {
            guard let width = file.long(TIFFTAG_TILEWIDTH), let height = file.long(TIFFTAG_TILELENGTH), width > 0,
                height > 0
            else { throw .badData("libtiff", "the tiles have no size") }
            let tile = PixelSize(width: width, height: height)
            try limits.checkPixels(tile)
            try check(file.libtiff.TIFFTileRowSize64(file.handle), is: rowBytes(width))
            try readSegments(tile, into: page, limits: limits) {
                file.libtiff.TIFFReadEncodedTile(file.handle, $0, $1, tmsize_t($2))
            }
        } else {
            try check(file.libtiff.TIFFScanlineSize64(file.handle), is: rowBytes(size.width))
            guard layout.isPlanar else { return try readRows(into: page, limits: limits) }
            let rows = max(1, min(file.long(TIFFTAG_ROWSPERSTRIP) ?? size.height, size.height))
            try readSegments(PixelSize(width: size.width, height: rows), into: page, limits: limits) {
                file.libtiff.TIFFReadEncodedStrip(file.handle, $0, $1, tmsize_t($2))
            }
        }
    }

    private func readRows(into page: TIFFPagePixels, limits: DecodingLimits) throws(WebImageError) {
        let row = try page.isStored ? nil : buffer(rowBytes(size.width), limits)
        for y in 0..<size.height {
            if y % 16 == 0 { try deadline.check() }
            let target = row?.baseAddress ?? page.row(y)
            guard file.libtiff.TIFFReadScanline(file.handle, target, UInt32(y), 0) == 1 else { throw file.failure }
            if row != nil { page.convert([UnsafeRawPointer(target)], x: 0, y: y, count: size.width) }
        }
    }

    /// Reads tiles, or strips as tiles of the width of the page.
    private func readSegments(
        _ segment: PixelSize, into page: TIFFPagePixels, limits: DecodingLimits,
        read: (_ number: UInt32, UnsafeMutableRawPointer, _ byteCount: Int) -> tmsize_t
    ) throws(WebImageError) {
        let isTiled = file.libtiff.TIFFIsTiled(file.handle) != 0
        let across = (size.width - 1) / segment.width + 1
        let down = (size.height - 1) / segment.height + 1
        let rowBytes = rowBytes(segment.width)
        let planes = layout.isPlanar ? layout.samples : [0]
        let (byteCount, overflow) = rowBytes.multipliedReportingOverflow(by: segment.height)
        let (_, sumOverflow) = byteCount.multipliedReportingOverflow(by: planes.count)
        guard !overflow, !sumOverflow else { throw .limit(.decodeBytes, actual: .max, allowed: limits.maxDecodeBytes) }
        var buffers: [PixelBuffer] = []
        for _ in planes { buffers.append(try buffer(byteCount, limits, copies: planes.count)) }
        for top in 0..<down {
            let rows = min(segment.height, size.height - top * segment.height)
            for left in 0..<across {
                try deadline.check()
                let count = min(segment.width, size.width - left * segment.width)
                let expected = (isTiled ? segment.height : rows) * rowBytes
                for (plane, buffer) in zip(planes, buffers) {
                    let number = (plane * down + top) * across + left
                    guard read(UInt32(clamping: number), buffer.baseAddress, expected) == expected else {
                        throw file.failure
                    }
                }
                for row in 0..<rows {
                    let lines = buffers.map { UnsafeRawPointer($0.baseAddress + row * rowBytes) }
                    page.convert(lines, x: left * segment.width, y: top * segment.height + row, count: count)
                }
            }
        }
    }

    private func rowBytes(_ width: Int) -> Int {
        (width * (layout.isPlanar ? 1 : layout.samplesPerPixel) * layout.bits + 7) / 8
    }

    private func check(_ stored: UInt64, is expected: Int) throws(WebImageError) {
        guard stored == UInt64(expected) else { throw .notSupported("rows of \(stored) bytes") }
    }

    /// Memory for stored samples, cleared, because some decoders of libtiff report success for data that ends early.
    private func buffer(_ byteCount: Int, _ limits: DecodingLimits, copies: Int = 1) throws(WebImageError)
        -> PixelBuffer
    {
        guard byteCount <= limits.maxDecodeBytes / copies else {
            throw .limit(.decodeBytes, actual: byteCount, allowed: limits.maxDecodeBytes)
        }
        let buffer = try PixelBuffer(width: byteCount, height: 1, format: .gray8)
        memset(buffer.baseAddress, 0, byteCount)
        return buffer
    }
}
