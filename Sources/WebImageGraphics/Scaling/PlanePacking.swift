import CWebImagePixelLoops
import WebImageCore

/// Converts rows between interleaved pixels and the separate planes that zimg reads and writes.
///
/// zimg can request a part of a row, and can request the same part more than once.
final class PlanePacking: ResampleCallbacks {
    private let plan: ScalingCall
    private let source: PixelWindow
    private let sourceRing: PlaneRing
    private let target: PixelBuffer
    private let targetRing: PlaneRing
    /// Two rows of memory for intermediate results between pixels and planes.
    private let scratch: PixelBuffer
    /// The alpha of a row of an opaque picture in half precision; nil for other pictures. Without alpha, the function that
    /// merges planes writes 65,535, which is not a number in half precision.
    private let fullAlpha: PixelBuffer?

    init(
        plan: ScalingCall, source: PixelWindow, sourceRing: PlaneRing, target: PixelBuffer, targetRing: PlaneRing
    ) throws(WebImageError) {
        self.plan = plan
        self.source = source
        self.sourceRing = sourceRing
        self.target = target
        self.targetRing = targetRing
        scratch = try PixelBuffer(
            width: max(source.size.width, target.width), height: 2,
            format: plan.sample.byteCount == 2 ? .rgba16 : .rgba8)
        guard plan.target == .rgbaHalf, plan.planeCount < 4 else {
            fullAlpha = nil
            return
        }
        let alpha = try PixelBuffer(width: target.width * 2, height: 1, format: .gray8)
        alpha.withUnsafeMutableBytes { $0.bindMemory(to: UInt16.self).initialize(repeating: Float16(1).bitPattern) }
        fullAlpha = alpha
    }

    override func unpack(row: Int, left: Int, right: Int) -> Bool {
        let pixels = source.start + row * source.pixels.bytesPerRow + left * plan.source.bytesPerPixel
        let count = Int32(right - left)
        switch plan.source {
        case .rgb8:
            _ = webimage_yuv_split_rgb(
                bytes(pixels), 0, plane8(sourceRing, 0, row, left), 0, plane8(sourceRing, 1, row, left), 0,
                plane8(sourceRing, 2, row, left), 0, count, 1)
        case .rgba16, .rgbaHalf: split16(pixels, row: row, left: left, count: count)
        case .rgba8, .bgra8Premultiplied, .gray8:
            var input = bytes(pixels)
            if plan.multiplies {
                let multiplied = bytes(scratch.baseAddress)
                _ = webimage_premultiply(input, 0, multiplied, 0, count, 1)
                input = multiplied
            }
            // `webimage_yuv_split_bgra` reads BGRA, with red in the third byte. For RGBA, exchange the red plane and
            // the blue plane.
            let isBGR = plan.source == .bgra8Premultiplied
            let (first, step) = (plane8(sourceRing, 0, row, left), sourceRing.planeByteCount)
            _ = webimage_yuv_split_bgra(
                input, 0, isBGR ? first : first + 2 * step, 0, first + step, 0, isBGR ? first + 2 * step : first, 0,
                plan.planeCount == 4 ? first + 3 * step : nil, 0, count, 1)
        }
        return true
    }

    override func pack(row: Int, left: Int, right: Int) {
        let pixels = target.baseAddress + row * target.bytesPerRow + left * target.format.bytesPerPixel
        let count = Int32(right - left)
        switch plan.target {
        case .rgb8:
            _ = webimage_yuv_merge_rgb(
                plane8(targetRing, 0, row, left), 0, plane8(targetRing, 1, row, left), 0,
                plane8(targetRing, 2, row, left), 0, bytes(pixels), 0, count, 1)
        case .rgba16, .rgbaHalf:
            // `webimage_yuv_merge_bgra16` only copies 16-bit values, so it works for integers and for half precision.
            let alpha =
                plan.planeCount == 4 ? plane16(targetRing, 3, row, left) : fullAlpha.map { words($0.baseAddress) }
            _ = webimage_yuv_merge_bgra16(
                plane16(targetRing, 2, row, left), 0, plane16(targetRing, 1, row, left), 0,
                plane16(targetRing, 0, row, left), 0, alpha, 0, words(pixels), 0, count, 1)
        case .rgba8, .bgra8Premultiplied, .gray8:
            let isBGR = plan.target == .bgra8Premultiplied
            let (first, step) = (plane8(targetRing, 0, row, left), targetRing.planeByteCount)
            _ = webimage_yuv_merge_bgra(
                isBGR ? first : first + 2 * step, 0, first + step, 0, isBGR ? first + 2 * step : first, 0,
                plan.planeCount == 4 ? first + 3 * step : nil, 0, bytes(pixels), 0, count, 1)
            if isBGR, plan.planeCount == 4 { clampToAlpha(bytes(pixels), row: row, left: left, count: count) }
        }
    }

    /// Limits each colour value c to alpha a. A Lanczos filter can overshoot, and a premultiplied colour above
    /// its alpha would brighten the background.
    ///
    /// The result is min(c, a) = c − max(c − a, 0). The subtraction function works on whole pixels, so alpha is copied
    /// to all four channels first.
    private func clampToAlpha(_ pixels: UnsafeMutablePointer<UInt8>, row: Int, left: Int, count: Int32) {
        let alpha = plane8(targetRing, 3, row, left)
        let excess = bytes(scratch.baseAddress)
        _ = webimage_yuv_merge_bgra(alpha, 0, alpha, 0, alpha, 0, alpha, 0, excess, 0, count, 1)
        _ = webimage_yuv_subtract(pixels, 0, excess, 0, excess, 0, count, 1)
        _ = webimage_yuv_subtract(pixels, 0, excess, 0, pixels, 0, count, 1)
    }

    /// Splits RGBA pixels of 16 bits per channel into planes, in two steps. Each step writes the values with even
    /// indices to one row and the values with odd indices to another row.
    private func split16(_ pixels: UnsafeMutableRawPointer, row: Int, left: Int, count: Int32) {
        let redBlue = words(scratch.baseAddress)
        let greenAlpha = words(scratch.baseAddress + scratch.bytesPerRow)
        _ = webimage_yuv_split_pairs16(words(pixels), 0, redBlue, 0, greenAlpha, 0, count * 2, 1)
        _ = webimage_yuv_split_pairs16(
            redBlue, 0, plane16(sourceRing, 0, row, left), 0, plane16(sourceRing, 2, row, left), 0, count, 1)
        // For an opaque picture, write alpha to `redBlue`, which is not needed any more.
        let alpha = plan.planeCount == 4 ? plane16(sourceRing, 3, row, left) : redBlue
        _ = webimage_yuv_split_pairs16(greenAlpha, 0, plane16(sourceRing, 1, row, left), 0, alpha, 0, count, 1)
    }

    private func plane8(_ ring: PlaneRing, _ plane: Int, _ row: Int, _ left: Int) -> UnsafeMutablePointer<UInt8> {
        bytes(ring.row(row, plane: plane) + left)
    }

    private func plane16(_ ring: PlaneRing, _ plane: Int, _ row: Int, _ left: Int) -> UnsafeMutablePointer<UInt16> {
        words(ring.row(row, plane: plane) + 2 * left)
    }

    private func bytes(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt8> {
        pointer.assumingMemoryBound(to: UInt8.self)
    }

    private func words(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt16> {
        pointer.assumingMemoryBound(to: UInt16.self)
    }
}
