import CWebImageCodecShim
import Foundation
import WebImageCore
import WebImageGraphics

/// The rows of a picture with 8 bits per channel. libdeflate inflates all rows in one call, in half the time of libpng
/// with zlib.
///
/// The initialiser returns nil if the file is unusual, larger than the limit or damaged. In these cases libpng reads
/// the file and reports errors.
final class PNGInflatedRows {
    /// The position of the pixel data in a file. `skipping` is the number of bytes to skip at the start of each
    /// payload.
    struct Location {
        var payloads: [Range<Int>]
        var skipping = 0
        var size: PixelSize
    }

    private let memory: UnsafeMutablePointer<UInt8>
    private let size: PixelSize
    /// The size of a row in bytes, without the filter byte.
    private let rowBytes: Int
    private let pixelBytes: Int

    /// The maximum size of a picture that this type reads: 64 MiB of inflated bytes. libpng reads larger pictures. It
    /// reads them in batches of rows, and the deadline is checked after each batch.
    static let largestByteCount = 64 << 20

    /// Returns the number of bytes that all inflated rows need in memory. The number includes the filter bytes and one
    /// additional row. Returns nil if this type does not support the picture.
    static func byteCount(of size: PixelSize, in chunks: PNGChunks) -> Int? {
        let header = chunks.header
        guard header.bitDepth == 8, !header.isInterlaced, let pixelBytes = header.wholePixelBytes,
            chunks.transparency == nil || header.isPalette, !chunks.isTransparencyMisplaced,
            size.width < largestByteCount / pixelBytes, size.height < largestByteCount
        else { return nil }
        // Add one row, because the filters of the first row need a row of zeros before it.
        let (count, overflow) = (size.width * pixelBytes + 1).multipliedReportingOverflow(by: size.height + 1)
        return overflow || count > largestByteCount ? nil : count
    }

    /// Inflates the rows. Verifies the checksums of the chunks that contain the compressed rows.
    init?(_ bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks, _ source: Location) {
        guard let count = Self.byteCount(of: source.size, in: chunks),
            let pixelBytes = chunks.header.wholePixelBytes, bytes[26] == 0, bytes[27] == 0,
            let memory = malloc(count)
        else { return nil }
        self.memory = memory.assumingMemoryBound(to: UInt8.self)
        self.pixelBytes = pixelBytes
        size = source.size
        rowBytes = size.width * pixelBytes
        memset(memory, 0, rowBytes + 1)
        guard inflate(bytes, source, byteCount: count) else { return nil }
    }

    deinit { free(memory) }

    private func inflate(_ bytes: UnsafeRawBufferPointer, _ source: Location, byteCount: Int) -> Bool {
        var parts: [UnsafeRawBufferPointer] = []
        for payload in source.payloads {
            guard payload.count >= source.skipping, bytes.hasChecksum(ofChunk: payload) else { return false }
            parts.append(UnsafeRawBufferPointer(rebasing: bytes[payload.dropFirst(source.skipping)]))
        }
        let inflate = { [memory, rowBytes] (stream: UnsafeRawBufferPointer) in
            cpng_inflate_whole(
                stream.bindMemory(to: UInt8.self).baseAddress, stream.count, memory + rowBytes + 1,
                byteCount - rowBytes - 1)
        }
        if parts.count == 1 { return inflate(parts[0]) }
        var stream = Data(capacity: parts.reduce(0) { $0 + $1.count })
        for part in parts {
            guard let start = part.bindMemory(to: UInt8.self).baseAddress else { continue }
            stream.append(start, count: part.count)
        }
        return stream.withUnsafeBytes { inflate($0) }
    }

    /// Draws the picture. Call this function only once. Returns false if a row has an invalid filter. In this case, the
    /// rows before this row may have been drawn already.
    ///
    /// - Parameter palette: The colours of a picture with a palette. Nil for any other picture.
    func draw(
        onto canvas: PixelBuffer, x: Int, y: Int, premultiplies: Bool, palette: PaletteTable?,
        deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        // Choose the batch so that its rows fit into the processor's second-level cache.
        let batch = max(1, (256 << 10) / max(canvas.bytesPerRow, rowBytes))
        for first in stride(from: 0, to: size.height, by: batch) {
            try deadline.check()
            let count = min(batch, size.height - first)
            guard unfilter(first..<first + count) else { return false }
            convert(
                rows: first..<first + count, columns: 0..<size.width, palette: palette, onto: canvas, x: x,
                y: y + first)
            if premultiplies {
                canvas.premultiplyInPlace(rows: y + first..<y + first + count, columns: x..<x + size.width)
            }
        }
        return true
    }

    /// Replaces the filtered bytes of rows by the samples. Call this function once for each row, in order. Returns
    /// false if a row has an invalid filter.
    private func unfilter(_ rows: Range<Int>) -> Bool {
        cpng_unfilter(memory + (rows.lowerBound + 1) * (rowBytes + 1), rowBytes, pixelBytes, rows.count)
    }

    /// Converts a part of unfiltered rows to the format of the canvas.
    private func convert(
        rows: Range<Int>, columns: Range<Int>, palette: PaletteTable?, onto canvas: PixelBuffer, x: Int, y: Int
    ) {
        let stride = rowBytes + 1
        let start = memory + (rows.lowerBound + 1) * stride + 1 + columns.lowerBound * pixelBytes
        if let palette {
            let offset = y * canvas.bytesPerRow + x * canvas.format.bytesPerPixel
            palette.expand(
                start, stride: stride, width: columns.count, rowCount: rows.count, into: canvas.baseAddress + offset,
                targetStride: canvas.bytesPerRow)
        } else if let channels = PackedRows.Channels(rawValue: pixelBytes) {
            PackedRows.copy(
                start, stride: stride, channels, size: PixelSize(width: columns.count, height: rows.count),
                into: canvas, x: x, y: y)
        }
    }

    /// The inflated rows as a source of pixels for the scaler. A row is unfiltered when it is first read.
    final class Source: PixelRowSource {
        private let rows: PNGInflatedRows
        private let plan: PNGRowLayout
        private let palette: PaletteTable?
        private let deadline: DecodeDeadline
        private let row: PixelBuffer
        private var unfilteredCount = 0

        init(
            _ rows: PNGInflatedRows, _ plan: PNGRowLayout, palette: PaletteTable?, deadline: DecodeDeadline
        ) throws(WebImageError) {
            self.rows = rows
            self.plan = plan
            self.palette = palette
            self.deadline = deadline
            row = try PixelBuffer(width: rows.size.width, height: 1, format: plan.format)
        }

        var size: PixelSize { rows.size }
        var format: PixelFormat { plan.format }

        func read(row index: Int, columns: Range<Int>, into target: UnsafeMutableRawPointer) -> Bool {
            if index >= unfilteredCount {
                guard (try? deadline.check()) != nil, rows.unfilter(unfilteredCount..<index + 1) else { return false }
                unfilteredCount = index + 1
            }
            rows.convert(rows: index..<index + 1, columns: columns, palette: palette, onto: row, x: 0, y: 0)
            if plan.premultiplies { row.premultiplyInPlace(rows: 0..<1, columns: 0..<columns.count) }
            target.copyMemory(from: row.baseAddress, byteCount: columns.count * format.bytesPerPixel)
            return true
        }
    }
}

extension PNGHeader {
    /// The size of a pixel in bytes. Nil if ``PNGInflatedRows`` does not support the colour type.
    fileprivate var wholePixelBytes: Int? {
        switch colorType {
        case 0, 3: 1
        case 2: 3
        case 6: 4
        default: nil
        }
    }
}

extension PNGChunks {
    /// Whether ``PNGInflatedRows`` can convert this picture to pixels of `format`.
    func canReadWhole(as format: PixelFormat) -> Bool {
        switch header.colorType {
        case 3: format == .bgra8Premultiplied || format == .rgba8
        case 0: PackedRows.canCopy(.gray, to: format)
        case 2: PackedRows.canCopy(.rgb, to: format)
        default: PackedRows.canCopy(.rgba, to: format)
        }
    }

    /// Draws the default image with ``PNGInflatedRows``. Returns false if libpng must draw the image. In this case,
    /// some rows may have been drawn already; libpng draws them again.
    ///
    /// - Parameter reader: A reader that has read the header.
    func drawWhole(
        _ bytes: UnsafeRawBufferPointer, _ reader: PNGReader, onto canvas: PixelBuffer, x: Int = 0, y: Int = 0,
        premultiplies: Bool, limits: DecodingLimits, deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        guard let (rows, palette) = try inflatedRows(bytes, reader, format: canvas.format, limits: limits) else {
            return false
        }
        return try rows.draw(
            onto: canvas, x: x, y: y, premultiplies: premultiplies, palette: palette, deadline: deadline)
    }

    /// Inflates the rows of the default image. Returns nil if libpng must read the image.
    ///
    /// - Parameters:
    ///   - reader: A reader that has read the header.
    ///   - format: The format of the pixels that will be drawn.
    func inflatedRows(
        _ bytes: UnsafeRawBufferPointer, _ reader: PNGReader, format: PixelFormat, limits: DecodingLimits
    ) throws(WebImageError) -> (rows: PNGInflatedRows, palette: PaletteTable?)? {
        guard canReadWhole(as: format), PNGInflatedRows.byteCount(of: header.size, in: self) != nil else { return nil }
        let palette = header.isPalette ? reader.palette(format) : nil
        guard !header.isPalette || palette != nil, let source = try wholeImageData(bytes, limits: limits),
            let rows = PNGInflatedRows(bytes, self, source)
        else { return nil }
        return (rows, palette)
    }

    /// Returns the position of the default image's data. Returns nil if the `IDAT` chunks are not contiguous, or if a
    /// later chunk is invalid. libpng can report an error for such a file, so libpng must read it.
    func wholeImageData(
        _ bytes: UnsafeRawBufferPointer, limits: DecodingLimits
    ) throws(WebImageError) -> PNGInflatedRows.Location? {
        guard isComplete, let last = imageData.last,
            zip(imageData, imageData.dropFirst()).allSatisfy({ $1.lowerBound - $0.upperBound == 12 })
        else { return nil }
        var walk = ChunkWalk(limits)
        var offset = last.upperBound + 4
        while let length = bytes.bigEndian32(at: offset), let tag = bytes.tag(at: offset + 4),
            let payload = bytes.range(at: offset + 8, count: length), bytes.hasChecksum(ofChunk: payload)
        {
            try walk.step()
            if tag == "IEND" { return length == 0 ? .init(payloads: imageData, size: header.size) : nil }
            guard tag.isAncillary else { return nil }
            offset = payload.upperBound + 4
        }
        return nil
    }
}

extension FourCC {
    /// Whether this is the name of an ancillary chunk. A reader can skip an ancillary chunk that it does not support
    /// (PNG third edition, §5.4).
    fileprivate var isAncillary: Bool { rawValue & 0x2000_0000 != 0 }
}

extension UnsafeRawBufferPointer {
    /// Whether the checksum of a PNG chunk is correct. The checksum is computed from the name and the payload. It is
    /// stored after the payload.
    fileprivate func hasChecksum(ofChunk payload: Range<Int>) -> Bool {
        let named = UnsafeRawBufferPointer(rebasing: self[payload.lowerBound - 4..<payload.upperBound])
        return bigEndian32(at: payload.upperBound) == Int(PNGChunkWriter.checksum(of: named))
    }
}
