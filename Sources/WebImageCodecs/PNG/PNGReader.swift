import CCodecShim
import Foundation
import WebImageCore

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

    /// The inflated profile, if there is one that libpng takes for valid.
    var profile: ColorProfile? {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard cpng_reader_icc(handle, &bytes, &count), let bytes else { return nil }
        return ColorProfile(iccData: Data(bytes: bytes, count: count))
    }

    /// Decodes the picture into `pixels`; `finishedRows` is told each batch that has its final values while still warm.
    func read(
        into pixels: PixelBuffer, layout: CPNGLayout, deadline: DecodeDeadline,
        finishedRows: (Range<Int>) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        var passes: Int32 = 0
        var rowBytes = 0
        guard cpng_reader_start(handle, layout, &passes, &rowBytes) else { throw failure }
        guard rowBytes <= pixels.bytesPerRow else { throw .badData("libpng", "rows are longer than announced") }
        let batch = max(1, Self.batchByteCount / pixels.bytesPerRow)
        for pass in 1...max(passes, 1) {
            for first in stride(from: 0, to: pixels.height, by: batch) {
                let rows = first..<min(first + batch, pixels.height)
                let start = pixels.baseAddress.advanced(by: first * pixels.bytesPerRow)
                    .assumingMemoryBound(to: UInt8.self)
                guard cpng_reader_read_rows(handle, start, pixels.bytesPerRow, rows.count) else { throw failure }
                if pass == passes { try finishedRows(rows) }
                try deadline.check()
            }
        }
        guard cpng_reader_finish(handle) else { throw failure }
    }

    /// Rows between two looks at the clock: as many as stay in the second-level cache.
    private static let batchByteCount = 256 << 10

    private var failure: WebImageError {
        .badData("libpng", String(cString: cpng_reader_message(handle)), hint: "Fetch the file again, it is damaged.")
    }
}
