import CWebImageLCMS
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
        if let profile, let transform = CMYKTransform(from: profile, isInverted: isInverted) {
            transform.apply(to: self)
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

/// Owns one lcms2 transform from ink to sRGB, in place.
private struct CMYKTransform: ~Copyable {
    private let handle: cmsHTRANSFORM

    init?(from profile: ColorProfile, isInverted: Bool) {
        guard
            let stored = ICCProfile(profile.iccData), stored.colorSpace == cmsSigCmykData,
            let target = ICCProfile.sRGB()
        else { return nil }
        // Bits of an lcms2 layout: colour space 16, inversion 13, extra channels 7, channels 3, bytes per channel 0.
        let ink = UInt32(PT_CMYK) << 16 | (isInverted ? 1 << 13 : 0) | 4 << 3 | 1
        let rgba = UInt32(PT_RGB) << 16 | 1 << 7 | 3 << 3 | 1
        guard
            let handle = cmsCreateTransform(
                stored.handle, ink, target.handle, rgba, UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOCACHE))
        else { return nil }
        self.handle = handle
        HandleLedger.opened("lcms transform")
    }

    deinit {
        cmsDeleteTransform(handle)
        HandleLedger.closed("lcms transform")
    }

    func apply(to buffer: PixelBuffer) {
        let stride = UInt32(clamping: buffer.bytesPerRow)
        cmsDoTransformLineStride(
            handle, buffer.baseAddress, buffer.baseAddress, UInt32(buffer.width), UInt32(buffer.height), stride, stride,
            0, 0)
    }
}
