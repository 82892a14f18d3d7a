import CWebImageCodecShim
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libpng reader over bytes that outlive it.
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

    /// The inflated profile; nil if there is none or libpng finds it invalid.
    var profile: ColorProfile? {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard cpng_reader_icc(handle, &bytes, &count), let bytes else { return nil }
        return ColorProfile(iccData: Data(bytes: bytes, count: count))
    }

    /// The palette's colours for pixels of a layout with alpha.
    func palette(_ format: PixelFormat) -> PaletteTable? {
        var colors = [UInt8](repeating: 0, count: 768)
        var alphas = [UInt8](repeating: 0, count: 256)
        var (colorCount, alphaCount) = (0, 0)
        guard cpng_reader_palette(handle, &colors, &colorCount, &alphas, &alphaCount) else { return nil }
        return PaletteTable(
            rgb: Array(colors.prefix(colorCount * 3)), alphas: Array(alphas.prefix(alphaCount)), format: format)
    }

    /// The destination of decoded rows: a rectangle of a buffer.
    struct Target {
        var pixels: PixelBuffer
        var layout: CPNGLayout
        var x = 0
        var y = 0
        var size: PixelSize
    }

    /// Decodes the picture. `finishedRows` is called with each batch of the buffer's rows that has its final values, while
    /// they are still in the processor's cache.
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

    /// Prepares for rows of a picture that is not interlaced.
    func start(_ layout: CPNGLayout, fitting stride: Int) throws(WebImageError) {
        var passes: Int32 = 0
        var rowBytes = 0
        guard cpng_reader_start(handle, layout, &passes, &rowBytes) else { throw failure }
        guard rowBytes <= stride, passes == 1 else {
            throw .badData("libpng", "the picture is larger than its header declares")
        }
    }

    /// Decodes the next rows.
    func readRows(_ rows: UnsafeMutablePointer<UInt8>, stride: Int, count: Int) throws(WebImageError) {
        guard cpng_reader_read_rows(handle, rows, stride, count) else { throw failure }
    }

    /// Reads the chunks after the pixels.
    func finish() throws(WebImageError) {
        guard cpng_reader_finish(handle) else { throw failure }
    }

    /// Bytes of rows between two checks of the deadline: as many as fit into the second-level cache.
    private static let batchByteCount = 256 << 10

    private var failure: WebImageError {
        .badData("libpng", String(cString: cpng_reader_message(handle)), hint: "Fetch the file again, it is damaged.")
    }
}
