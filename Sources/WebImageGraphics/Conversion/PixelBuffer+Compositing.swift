import CYUV
package import WebImageCore

extension PixelBuffer {
    /// The picture over white, in the display layout with every alpha 255.
    package func compositedOverWhite() throws(WebImageError) -> PixelBuffer {
        guard format.hasAlpha else { return try converted(to: .bgra8Premultiplied) }
        let result = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        let above = try converted(to: .bgra8Premultiplied)
        let (source, target) = (try BytePlane(above), try BytePlane(result))
        SetPlane(target.base, target.stride, target.width * 4, target.height, 255)
        try YUVError.check(
            ARGBBlend(
                source.base, source.stride, target.base, target.stride, target.base, target.stride, target.width,
                target.height), "cannot lay the picture over white")
        return result
    }
}
