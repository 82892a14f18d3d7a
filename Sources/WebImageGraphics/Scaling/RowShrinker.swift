import CWebImagePixelLoops
import CWebImageYUV
import Foundation
package import WebImageCore

/// Reduces a picture while it is read row by row, so that the whole picture is never in memory.
///
/// libyuv's box filter averages each square block to one pixel of the result. All blocks have the same size, except those
/// at the right and bottom edges, where the picture ends: blocks of unequal sizes would displace what they show.
/// Afterwards, the caller scales the result to the requested size with the Lanczos filter. Pixels with transparency must
/// be premultiplied.
package final class RowShrinker {
    /// The reduced picture; complete after the last band.
    package let result: PixelBuffer
    private let band: PixelBuffer
    private let planes: PixelBuffer
    private let small: PixelBuffer
    private let factor: Int
    private let sourceHeight: Int
    private let planeCount: Int
    private var row = 0

    /// Allocates memory for one band and for the result.
    ///
    /// - Parameters:
    ///   - format: `gray8`, `rgb8` or `bgra8Premultiplied`.
    ///   - factor: The side of a block in pixels. A block at the end of a row or column can have fewer pixels.
    package init(_ size: PixelSize, format: PixelFormat, factor: Int) throws(WebImageError) {
        planeCount = format.channelCount
        sourceHeight = size.height
        self.factor = factor
        result = try PixelBuffer(
            width: (size.width + factor - 1) / factor, height: (size.height + factor - 1) / factor, format: format)
        band = try PixelBuffer(width: size.width, height: factor, format: format)
        planes = try PixelBuffer(width: size.width, height: factor * planeCount, format: .gray8)
        small = try PixelBuffer(width: result.width, height: planeCount, format: .gray8)
    }

    /// Whether all bands are finished.
    package var isDone: Bool { row == result.height }

    /// The number of source rows in the next band.
    package var wantedRowCount: Int { min(factor, sourceHeight - row * factor) }

    /// The address at which the rows of the next band must be written, and the distance between two rows in bytes.
    package var target: (start: UnsafeMutablePointer<UInt8>, stride: Int) {
        (band.baseAddress.assumingMemoryBound(to: UInt8.self), band.bytesPerRow)
    }

    /// The rows of the current band. The caller can still change them before ``finishBand()``.
    package var bandPixels: PixelBuffer { band }

    /// Averages the rows that were written to ``target`` and adds one row to the result.
    package func finishBand() {
        split(rows: wantedRowCount)
        let wholeCount = band.width / factor
        for plane in 0..<planeCount {
            average(planeAddress(plane), width: wholeCount * factor, to: smallAddress(plane), count: wholeCount)
            let rest = band.width - wholeCount * factor
            average(
                planeAddress(plane) + wholeCount * factor, width: rest, to: smallAddress(plane) + wholeCount,
                count: min(rest, 1))
        }
        merge()
        row += 1
    }

    /// Averages `width` columns of the band to `count` pixels.
    private func average(
        _ source: UnsafeMutablePointer<UInt8>, width: Int, to target: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        guard count > 0 else { return }
        ScalePlane(
            source, Int32(planes.bytesPerRow), Int32(width), Int32(wantedRowCount), target, Int32(small.bytesPerRow),
            Int32(count), 1, kFilterBox)
    }

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
