import CWebImagePixelLoops
import Foundation
package import WebImageCore

extension PixelBuffer {
    /// Converts CMYK pixels in place to opaque RGBA and returns the receiver. The input is four samples of ink per pixel
    /// in a buffer of format `rgba8` or `rgba16`.
    ///
    /// With a usable CMYK profile, lcms2 converts the colours to sRGB. Without such a profile, each channel is computed
    /// as (1 − ink) × (1 − black).
    ///
    /// - Parameter isInverted: Whether the samples store 1 − ink, as in JPEG.
    package func convertedFromCMYK(
        isInverted: Bool, profile: ColorProfile?
    ) throws(WebImageError) -> PixelBuffer {
        guard format == .rgba8 else { return convertedFromDeepCMYK(isInverted: isInverted, profile: profile) }
        let plane = try BytePlane(self)
        let opaque = try PixelBuffer(width: width, height: 1, format: .gray8)
        let row = try BytePlane(opaque)
        memset(row.base, 255, width)
        if let profile,
            let transform = ColorTransformCache.transform(fromInkOf: profile, isInverted: isInverted, isDeep: false)
        {
            transform.apply(from: self, to: self)
        } else {
            if !isInverted { try invert(plane) }
            // `webimage_yuv_premultiply` multiplies the first three channels by the fourth channel. Here the fourth
            // channel contains 1 − black.
            try YUVError.check(plane.run(webimage_yuv_premultiply, into: plane), "cannot convert CMYK")
        }
        // With a source stride of 0, libyuv reads the same source row for every target row.
        try YUVError.check(
            webimage_yuv_set_alpha(row.base, 0, plane.base, plane.stride, plane.width, plane.height),
            "cannot convert CMYK")
        return self
    }

    private func convertedFromDeepCMYK(isInverted: Bool, profile: ColorProfile?) -> PixelBuffer {
        precondition(format == .rgba16)
        let transform = profile.flatMap {
            ColorTransformCache.transform(fromInkOf: $0, isInverted: isInverted, isDeep: true)
        }
        transform?.apply(from: self, to: self)
        for row in 0..<height {
            let samples = (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt16.self)
            for pixel in stride(from: 0, to: width * 4, by: 4) {
                if transform == nil {
                    let black = UInt32(isInverted ? samples[pixel + 3] : ~samples[pixel + 3])
                    for channel in pixel..<pixel + 3 {
                        let light = UInt32(isInverted ? samples[channel] : ~samples[channel])
                        samples[channel] = UInt16((light * black + 32767) / 65535)
                    }
                }
                samples[pixel + 3] = 65535
            }
        }
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
