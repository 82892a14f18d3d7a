import CWebImageCodecShim
import Foundation
import WebImageCore

/// The rows of a PNG picture as the file stores them, without filters.
final class StoredRows {
    let start: UnsafeMutablePointer<UInt8>
    /// The distance of two rows in bytes.
    let stride: Int
    private let height: Int

    private init(stride: Int, height: Int) {
        start = .allocate(capacity: stride * height)
        start.initialize(repeating: 0, count: stride * height)
        (self.stride, self.height) = (stride, height)
    }

    deinit { start.deallocate() }

    /// Reads the rows of a file. Returns nil if they have more than `limit` bytes.
    static func read(
        _ data: Data, limits: DecodingLimits, atMost limit: Int
    ) throws(WebImageError) -> StoredRows? {
        try data.withFileBytes { bytes throws(WebImageError) in
            let size = try PNGHeader(bytes).size
            try limits.checkPixels(size)
            let deadline = DecodeDeadline(limits)
            let reader = try PNGReader(bytes)
            try reader.readHeader(limits: limits)
            let (passes, rowBytes) = try reader.startStored()
            let (count, overflow) = rowBytes.multipliedReportingOverflow(by: size.height)
            guard !overflow, count <= limit else { return nil }
            // The rows, the filtered rows and the compressed ones.
            try limits.checkDecodeBytes(3 * count)
            let rows = StoredRows(stride: rowBytes, height: size.height)
            for _ in 0..<max(passes, 1) {
                for first in Swift.stride(from: 0, to: size.height, by: 64) {
                    try reader.readRows(
                        rows.start + first * rowBytes, stride: rowBytes, count: min(64, size.height - first))
                    try deadline.check()
                }
            }
            try reader.finish()
            return rows
        }
    }

    /// Returns the rows as a zlib stream with filters.
    ///
    /// - Parameter form: The colour type and the depth of the rows, which decide how many bytes a row has.
    func compressed(_ form: CPNGForm, width: Int, effort: Int) throws(WebImageError) -> Data {
        let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][form.color] ?? 1
        let bits = channels * Int(form.depth)
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard
            cpng_compress_rows(
                start, stride, (width * bits + 7) / 8, max(1, bits / 8), height, Int32(effort), WorkBudget.shouldStop,
                &bytes, &count), let bytes
        else {
            try WorkBudget.checkCurrent()
            throw .cannotEncode("libdeflate", "out of memory")
        }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}
