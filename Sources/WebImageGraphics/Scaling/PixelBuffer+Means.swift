import CWebImagePixelLoops
import Foundation
import WebImageCore

extension PixelBuffer {
    /// Sharpens a picture that was scaled from means of blocks, in place.
    ///
    /// The mean over a block dampens fine detail: by 36 % at the finest detail that the means can show. Three taps
    /// [−s, 1 + 2s, −s] at the pixels of the means, with s = 0.06, undo this. At the pixels of the result, which is
    /// `ratio` times smaller, the same correction has s = 0.06 / ratio². Both directions are corrected in one pass, without
    /// the product of both (at most 0.0002 of a level per level).
    ///
    /// - Parameters:
    ///   - ratioX: How many means became one pixel of the result along a row.
    ///   - ratioY: The same along a column.
    func sharpenMeans(ratioX: Double, ratioY: Double, isOpaque: Bool) throws(WebImageError) {
        guard format.bitsPerComponent == 8 else { return }
        let one = Double(1 << WEBIMAGE_WEIGHT_BITS)
        let (x, y) = (Self.meansCorrection / (ratioX * ratioX), Self.meansCorrection / (ratioY * ratioY))
        let (across, along) = (Int16((min(x, 0.5) * one).rounded()), Int16((min(y, 0.5) * one).rounded()))
        guard across > 0 || along > 0 else { return }
        let weights = [Int16(one) + 2 * across + 2 * along, -across, -across, -along, -along]
        // The row above and the current row are read after they were overwritten, so two copies of rows are kept. Each copy
        // begins and ends with a repeated pixel.
        let pixelBytes = format.bytesPerPixel
        let rowBytes = width * pixelBytes
        let copies = try PixelBuffer(width: width + 2, height: 2, format: format)
        func copy(_ row: Int, to index: Int) -> UnsafeMutablePointer<UInt8> {
            let start = (copies.baseAddress + index * copies.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            let source = (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
            memcpy(start, source, pixelBytes)
            memcpy(start + pixelBytes, source, rowBytes)
            memcpy(start + pixelBytes + rowBytes, source + (rowBytes - pixelBytes), pixelBytes)
            return start + pixelBytes
        }
        var above: UnsafeMutablePointer<UInt8>?
        for row in 0..<height {
            let current = copy(row, to: row & 1)
            let target = (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
            let below = row + 1 < height ? target + bytesPerRow : current
            var lines: [UnsafePointer<UInt8>?] = [
                UnsafePointer(current), UnsafePointer(current - pixelBytes), UnsafePointer(current + pixelBytes),
                UnsafePointer(above ?? current), UnsafePointer(below),
            ]
            webimage_weighted_sum(&lines, weights, lines.count, target, rowBytes)
            above = current
        }
        // The correction can make a premultiplied colour larger than its alpha.
        if format.isPremultiplied, !isOpaque { webimage_limit_to_alpha(bytes, bytesPerRow, width, height) }
    }

    private static let meansCorrection = 0.06

    private var bytes: UnsafeMutablePointer<UInt8> { baseAddress.assumingMemoryBound(to: UInt8.self) }
}
