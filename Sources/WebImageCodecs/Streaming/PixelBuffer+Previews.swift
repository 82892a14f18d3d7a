import Foundation
import WebImageCore

extension PixelBuffer {
    /// Returns a copy of the pixels.
    func copied() throws(WebImageError) -> PixelBuffer {
        let copy = try PixelBuffer(width: width, height: height, format: format)
        memcpy(copy.baseAddress, baseAddress, byteCount)
        return copy
    }

    /// Sets all rows of the file after the first `rowCount` rows to transparent black. The buffer is already rotated
    /// upright, so rows of the file can be columns of the buffer.
    ///
    /// - Parameters:
    ///   - rowCount: The number of visible rows, counted in the order of the file.
    ///   - stored: The size of the picture before it was rotated upright.
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
