import CWebImageYUVShim
import Foundation
package import WebImageCore

extension PixelBuffer {
    /// Converts four bytes of ink per pixel (stored as `rgba8`) to opaque `rgba8` in place, and returns the receiver.
    ///
    /// With a usable CMYK profile, lcms2 converts the colours to sRGB. Otherwise each channel is the absence of its ink
    /// times the absence of black. `isInverted` is true when the bytes already store the absence of ink, as in Adobe's
    /// files.
    package func convertedFromCMYK(
        isInverted: Bool, profile: ColorProfile?
    ) throws(WebImageError) -> PixelBuffer {
        let plane = try BytePlane(self)
        let opaque = try PixelBuffer(width: width, height: 1, format: .gray8)
        let row = try BytePlane(opaque)
        memset(row.base, 255, width)
        if let profile, let transform = ColorTransformCache.transform(fromInkOf: profile, isInverted: isInverted) {
            transform.apply(from: self, to: self)
        } else {
            if !isInverted { try invert(plane) }
            // Premultiplying multiplies red, green and blue by the fourth channel, which is black here.
            try YUVError.check(plane.run(webimage_yuv_premultiply, into: plane), "cannot convert CMYK")
        }
        // A stride of 0 reads the same row for every target row.
        try YUVError.check(
            webimage_yuv_set_alpha(row.base, 0, plane.base, plane.stride, plane.width, plane.height),
            "cannot convert CMYK")
        return self
    }

    private func invert(_ plane: BytePlane) throws(WebImageError) {
        let white = try PixelBuffer(width: width, height: 1, format: .rgba8)
        let row = try BytePlane(white)
        memset(row.base, 255, width * 4)
        try YUVError.check(
            webimage_yuv_subtract(
                row.base, 0, plane.base, plane.stride, plane.base, plane.stride, plane.width, plane.height),
            "cannot convert CMYK")
    }
}
