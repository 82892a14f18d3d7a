import CWebImagePixelLoops
import Foundation
package import WebImageCore

extension PixelBuffer {
    /// Returns the picture blended over `color`, as opaque pixels in the display format. The alpha of `color` is
    /// ignored.
    package func composited(over color: ImageColor) throws(WebImageError) -> PixelBuffer {
        guard format.hasAlpha else { return try converted(to: .bgra8Premultiplied) }
        let result = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        let above = try converted(to: .bgra8Premultiplied)
        let (source, target) = (try BytePlane(above), try BytePlane(result))
        let (red, green, blue) = (color.red, color.green, color.blue)
        let value = [1, red, green, blue].reduce(UInt32(0)) { $0 << 8 | UInt32(($1 * 255).rounded()) }
        webimage_fill_pixels(target.base, target.stride, target.width, target.height, value)
        try YUVError.check(
            webimage_yuv_blend(
                source.base, source.stride, target.base, target.stride, target.base, target.stride, target.width,
                target.height), "cannot draw the picture over its background")
        return result
    }

    /// Sets the alpha of a rectangle to 255. The format must have four bytes per pixel.
    ///
    /// Writes nothing if alpha is already 255 in the whole rectangle. This check takes half as long as writing.
    package func makeOpaque(x: Range<Int>, y: Range<Int>) throws(WebImageError) {
        precondition(format.bytesPerPixel == 4 && x.upperBound <= width && y.upperBound <= height)
        let plane = try BytePlane(self)
        let start = plane.base + y.lowerBound * bytesPerRow + x.lowerBound * 4
        guard webimage_is_opaque(start, bytesPerRow, x.count, y.count) == 0 else { return }
        let opaque = try PixelBuffer(width: x.count, height: 1, format: .gray8)
        let row = try BytePlane(opaque)
        memset(row.base, 255, opaque.width)
        // With a source stride of 0, libyuv reads the same source row for every target row.
        try YUVError.check(
            webimage_yuv_set_alpha(row.base, 0, start, plane.stride, row.width, Int32(y.count)), "cannot set alpha")
    }
}
