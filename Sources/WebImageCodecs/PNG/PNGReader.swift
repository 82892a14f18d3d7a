import CWebImageCodecShim
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libpng reader. The bytes of the file must outlive this object.
final class PNGReader {
    private let handle: OpaquePointer

    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        guard let handle = cpng_reader_create(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) else {
            throw .badData("libpng", "cannot make a reader")
        }
        self.handle = handle
        HandleLedger.opened("png_reader")
    }

    deinit {
        cpng_reader_destroy(handle)
        HandleLedger.closed("png_reader")
    }

    func readHeader(limits: DecodingLimits) throws(WebImageError) {
        guard cpng_reader_read_header(handle, limits.maxAncillaryChunkBytes) else { throw failure }
    }

    /// The inflated colour profile. Nil if the file has no profile or libpng rejects the profile as invalid.
    var profile: ColorProfile? {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard cpng_reader_icc(handle, &bytes, &count), let bytes else { return nil }
        return ColorProfile(iccData: Data(bytes: bytes, count: count))
    }

    /// Returns the file's palette, converted to pixels of `format`. `format` must have alpha. Returns nil if the file
    /// has no palette.
    func palette(_ format: PixelFormat) -> PaletteTable? {
        var colors = [UInt8](repeating: 0, count: 768)
        var alphas = [UInt8](repeating: 0, count: 256)
        var (colorCount, alphaCount) = (0, 0)
        guard cpng_reader_palette(handle, &colors, &colorCount, &alphas, &alphaCount) else { return nil }
        return PaletteTable(
            rgb: Array(colors.prefix(colorCount * 3)), alphas: Array(alphas.prefix(alphaCount)), format: format)
    }

    /// The rectangle of a buffer to which decoded rows are written.
    struct Target {
        var pixels: PixelBuffer
        var layout: CPNGLayout
        var x = 0
        var y = 0
        var size: PixelSize
    }

    /// Decodes the picture.
    ///
    /// - Parameter finishedRows: A function that is called for each batch of rows when their values are final. At this
    ///   time the rows are still in the processor's cache, so they can be processed fast.
    func read(
        into target: Target, deadline: DecodeDeadline, finishedRows: (Range<Int>) -> Void
    ) throws(WebImageError) {
        let pixels = target.pixels
        var passes: Int32 = 0
        var rowBytes = 0
        guard cpng_reader_start(handle, target.layout, &passes, &rowBytes) else { throw failure }
        let indent = target.x * pixels.format.bytesPerPixel
        guard indent + rowBytes <= pixels.bytesPerRow, target.y + target.size.height <= pixels.height else {
            throw .badData("libpng", "the picture is larger than its header declares")
        }
        let batch = max(1, Self.batchByteCount / pixels.bytesPerRow)
        for pass in 1...max(passes, 1) {
            for first in stride(from: 0, to: target.size.height, by: batch) {
                let rows = target.y + first..<target.y + min(first + batch, target.size.height)
                let start = pixels.baseAddress.advanced(by: rows.lowerBound * pixels.bytesPerRow + indent)
                    .assumingMemoryBound(to: UInt8.self)
                guard cpng_reader_read_rows(handle, start, pixels.bytesPerRow, rows.count) else { throw failure }
                if pass == passes { finishedRows(rows) }
                try deadline.check()
            }
        }
        guard cpng_reader_finish(handle) else { throw failure }
    }

    /// Prepares to read rows. Throws an error for an interlaced picture.
    func start(_ layout: CPNGLayout, fitting stride: Int) throws(WebImageError) {
        var passes: Int32 = 0
        var rowBytes = 0
        guard cpng_reader_start(handle, layout, &passes, &rowBytes) else { throw failure }
        guard rowBytes <= stride, passes == 1 else {
            throw .badData("libpng", "the picture is larger than its header declares")
        }
    }

    /// Prepares to read rows as the file stores them. Returns the number of passes over all rows, and the bytes of a row.
    func startStored() throws(WebImageError) -> (passes: Int, rowBytes: Int) {
        var passes: Int32 = 0
        var rowBytes = 0
        guard cpng_reader_start_stored(handle, &passes, &rowBytes) else { throw failure }
        return (Int(passes), rowBytes)
    }

    /// Decodes the next `count` rows.
    func readRows(_ rows: UnsafeMutablePointer<UInt8>, stride: Int, count: Int) throws(WebImageError) {
        guard cpng_reader_read_rows(handle, rows, stride, count) else { throw failure }
    }

    /// Reads the chunks after the pixels, up to the end of the file.
    func finish() throws(WebImageError) {
        guard cpng_reader_finish(handle) else { throw failure }
    }

    /// The size of a batch of rows: 256 KiB, which fits into the processor's second-level cache. The deadline is
    /// checked after each batch.
    private static let batchByteCount = 256 << 10

    private var failure: WebImageError {
        .badData("libpng", String(cString: cpng_reader_message(handle)), hint: "Fetch the file again, it is damaged.")
    }
}
