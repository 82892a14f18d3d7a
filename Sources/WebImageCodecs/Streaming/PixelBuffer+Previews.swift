import Foundation
import WebImageCore

extension PixelBuffer {
    /// A copy of the pixels.
    func copied() throws(WebImageError) -> PixelBuffer {
        let copy = try PixelBuffer(width: width, height: height, format: format)
        memcpy(copy.baseAddress, baseAddress, byteCount)
        return copy
    }

    /// Makes all but the first `rowCount` stored rows transparent black in a picture of size `stored` that has already been
    /// turned upright.
    func clear(outside rowCount: Int, of stored: PixelSize, _ orientation: ImageOrientation) {
        guard rowCount < stored.height else { return }
        let missing = stored.height - rowCount
        switch orientation {
        case .up, .upMirrored: clearRows(rowCount..<height)
        case .down, .downMirrored: clearRows(0..<missing)
        case .leftMirrored, .left: clearColumns(rowCount..<width)
        case .right, .rightMirrored: clearColumns(0..<missing)
        }
    }

    private func clearRows(_ rows: Range<Int>) {
        memset(baseAddress + rows.lowerBound * bytesPerRow, 0, rows.count * bytesPerRow)
    }

    private func clearColumns(_ columns: Range<Int>) {
        let (offset, count) = (columns.lowerBound * format.bytesPerPixel, columns.count * format.bytesPerPixel)
        for row in 0..<height { memset(baseAddress + row * bytesPerRow + offset, 0, count) }
    }
}
