import CWebImageZimg
import Foundation
import WebImageCore

/// A few rows of separate planes, reused in turn, so that the picture is never in memory twice.
final class PlaneRing {
    private let base: UnsafeMutableRawPointer
    private let ownsMemory: Bool
    private let planeCount: Int
    /// Bytes from one plane to the next.
    let planeByteCount: Int
    private let stride: Int
    private let mask: UInt32

    /// Allocates `rowCount` rows for an image of this width.
    ///
    /// `rowCount` is a power of 2. A value of at least the height, which can be any number, allocates all rows.
    init(plan: ScalingPlan, width: Int, height: Int, rowCount: Int) throws(WebImageError) {
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

    /// Uses the rows of a buffer as one plane; the caller keeps the buffer alive.
    init(borrowing buffer: PixelBuffer) {
        planeCount = 1
        stride = buffer.bytesPerRow
        planeByteCount = buffer.byteCount
        mask = UInt32.max
        base = buffer.baseAddress
        ownsMemory = false
    }

    deinit { if ownsMemory { free(base) } }

    /// Returns the address of a row in a plane; the planes are red, green, blue, alpha.
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
