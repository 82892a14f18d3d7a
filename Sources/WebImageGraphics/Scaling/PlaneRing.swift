import CWebImageZimg
import Foundation
import WebImageCore

/// Memory for a few rows in separate planes. The memory of a row is reused for a later row, so that memory need not
/// contain the planes of the whole picture.
final class PlaneRing {
    private let base: UnsafeMutableRawPointer
    private let ownsMemory: Bool
    private let planeCount: Int
    /// The distance from one plane to the next, in bytes.
    let planeByteCount: Int
    private let stride: Int
    private let mask: UInt32

    /// Allocates `rowCount` rows for an image of this width.
    ///
    /// - Parameter rowCount: A power of 2 or a number that is at least `height`. If `rowCount` is at least `height`,
    ///   the ring has `height` rows.
    init(plan: ScalingCall, width: Int, height: Int, rowCount: Int) throws(WebImageError) {
        let isWhole = rowCount >= height
        planeCount = plan.planeCount
        stride = (width * plan.sample.byteCount + 63) & ~63
        planeByteCount = stride * (isWhole ? height : rowCount)
        mask = isWhole ? UInt32.max : UInt32(rowCount - 1)
        var memory: UnsafeMutableRawPointer?
        guard posix_memalign(&memory, 64, planeByteCount * planeCount) == 0, let memory else {
            throw .badData("zimg", "cannot allocate \(planeByteCount * planeCount) bytes")
        }
        base = memory
        ownsMemory = true
    }

    /// Uses the memory of a buffer as one plane, without a copy. The buffer must outlive this object.
    convenience init(borrowing buffer: PixelBuffer) { self.init(borrowing: PixelWindow(buffer)) }

    /// Uses a part of the memory of a buffer as one plane, without a copy. The buffer must outlive this object.
    init(borrowing window: PixelWindow) {
        planeCount = 1
        stride = window.pixels.bytesPerRow
        planeByteCount = stride * window.size.height
        mask = UInt32.max
        base = window.start
        ownsMemory = false
    }

    deinit { if ownsMemory { free(base) } }

    /// Returns the address of a row in a plane. The planes are in the order red, green, blue, alpha.
    func row(_ row: Int, plane: Int) -> UnsafeMutableRawPointer {
        base + (plane * planeByteCount + Int(UInt32(row) & mask) * stride)
    }

    var buffer: zimg_image_buffer {
        var buffer = zimg_image_buffer()
        buffer.version = ResampleGraph.apiVersion
        for plane in 0..<planeCount {
            webimage_zimg_set_plane(&buffer, Int32(plane), row(0, plane: plane), stride, mask)
        }
        return buffer
    }

    var constantBuffer: zimg_image_buffer_const {
        var buffer = zimg_image_buffer_const()
        buffer.version = ResampleGraph.apiVersion
        for plane in 0..<planeCount {
            webimage_zimg_set_const_plane(&buffer, Int32(plane), row(0, plane: plane), stride, mask)
        }
        return buffer
    }
}
