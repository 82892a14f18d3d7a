import CWebImageYUV
import CWebImageYUVShim
import Foundation
package import WebImageCore

/// Averages a picture, read row by row, to a smaller one, so that the whole picture is never in memory.
///
/// libyuv's box filter averages a band of rows to each result row. The Lanczos filter then scales the result to the
/// wanted size. Pixels with transparency must be premultiplied.
package final class RowShrinker {
    /// The small picture; complete after the last band.
    package let result: PixelBuffer
    private let band: PixelBuffer
    private let planes: PixelBuffer
    private let small: PixelBuffer
    private let sourceHeight: Int
    private let planeCount: Int
    private var row = 0

    /// Prepares for a picture of `size` in `gray8`, `rgb8` or `bgra8Premultiplied`; the result is `factor` times smaller.
    package init(_ size: PixelSize, format: PixelFormat, factor: Int) throws(WebImageError) {
        planeCount = format.channelCount
        sourceHeight = size.height
        result = try PixelBuffer(
            width: max(1, size.width / factor), height: max(1, size.height / factor), format: format)
        let rows = (size.height + result.height - 1) / result.height
        band = try PixelBuffer(width: size.width, height: rows, format: format)
        planes = try PixelBuffer(width: size.width, height: rows * planeCount, format: .gray8)
        small = try PixelBuffer(width: result.width, height: planeCount, format: .gray8)
    }

    /// Whether all bands are finished.
    package var isDone: Bool { row == result.height }

    /// The number of the picture's rows in the next band.
    package var wantedRowCount: Int { bandEnd(row) - bandEnd(row - 1) }

    /// The address for those rows, and the bytes from one to the next.
    package var target: (start: UnsafeMutablePointer<UInt8>, stride: Int) {
        (band.baseAddress.assumingMemoryBound(to: UInt8.self), band.bytesPerRow)
    }

    /// The rows of the current band, for processing before they are averaged.
    package var bandPixels: PixelBuffer { band }

    /// Averages the band that has been written.
    package func finishBand() {
        split(rows: wantedRowCount)
        for plane in 0..<planeCount {
            ScalePlane(
                planeAddress(plane), Int32(planes.bytesPerRow), Int32(band.width), Int32(wantedRowCount),
                smallAddress(plane), Int32(small.bytesPerRow), Int32(result.width), 1, kFilterBox)
        }
        merge()
        row += 1
    }

    private func bandEnd(_ row: Int) -> Int { (row + 1) * sourceHeight / result.height }

    private func planeAddress(_ plane: Int) -> UnsafeMutablePointer<UInt8> {
        (planes.baseAddress + plane * band.height * planes.bytesPerRow).assumingMemoryBound(to: UInt8.self)
    }

    private func smallAddress(_ plane: Int) -> UnsafeMutablePointer<UInt8> {
        (small.baseAddress + plane * small.bytesPerRow).assumingMemoryBound(to: UInt8.self)
    }

    private func split(rows: Int) {
        let (start, stride) = target
        let (width, rows, planeStride) = (Int32(band.width), Int32(rows), Int32(planes.bytesPerRow))
        switch planeCount {
        case 1: webimage_copy_rows(start, Int32(stride), planeAddress(0), planeStride, width, rows)
        case 3:
            _ = webimage_yuv_split_rgb(
                start, Int32(stride), planeAddress(0), planeStride, planeAddress(1), planeStride, planeAddress(2),
                planeStride, width, rows)
        default:
            _ = webimage_yuv_split_bgra(
                start, Int32(stride), planeAddress(0), planeStride, planeAddress(1), planeStride, planeAddress(2),
                planeStride, planeAddress(3), planeStride, width, rows)
        }
    }

    private func merge() {
        let line = (result.baseAddress + row * result.bytesPerRow).assumingMemoryBound(to: UInt8.self)
        let width = Int32(result.width)
        switch planeCount {
        case 1: webimage_copy_rows(smallAddress(0), 0, line, 0, width, 1)
        case 3:
            _ = webimage_yuv_merge_rgb(
                smallAddress(0), 0, smallAddress(1), 0, smallAddress(2), 0, line, 0, width, 1)
        default:
            _ = webimage_yuv_merge_bgra(
                smallAddress(0), 0, smallAddress(1), 0, smallAddress(2), 0, smallAddress(3), 0, line, 0, width, 1)
        }
    }
}
