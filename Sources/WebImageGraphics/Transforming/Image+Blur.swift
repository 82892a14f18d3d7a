import CWebImageYUV
import CWebImageYUVShim
public import Foundation
public import WebImageCore

extension Image {
    /// Returns the picture blurred by three box filters, which approximate a Gaussian blur (W3C Filter Effects
    /// §9.4).
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel). Outside the picture, the edge
    /// pixels are repeated.
    /// - Parameter radius: The standard deviation of the Gaussian in points. A radius above 0 and below 2 px is raised
    ///   to 2 px.
    /// - Returns: This image if `radius` is 0; nil if `radius` is negative or not finite.
    public func blurredImage(withRadius radius: CGFloat) -> Image? {
        guard radius.isFinite, radius >= 0 else { return nil }
        guard radius > .ulpOfOne else { return self }
        let deviation = max(Double(radius * scale), 2)
        let width = Int(min(deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5, 1e6)) | 1
        return made {
            () throws(WebImageError) in (try displayPixels().boxBlurred(reach: width / 2, times: 3), hasAlpha)
        }
    }
}

extension PixelBuffer {
    /// Replaces each pixel by the mean of the pixels up to `reach` pixels away in each direction. Applies this filter
    /// `times` times. The pixels must have the display format.
    fileprivate func boxBlurred(reach: Int, times: Int) throws(WebImageError) -> PixelBuffer {
        let factor = reach / Self.maxReach + 1
        guard factor == 1 else {
            let small = PixelSize(width: max(width / factor, 1), height: max(height / factor, 1))
            return try scaled(to: small).boxBlurred(reach: reach / factor, times: times).scaled(to: size)
        }
        let reach = min(reach, 4 * max(width, height))
        // Extend the edges first, because libyuv's filter averages only pixels inside the buffer.
        var picture = try framed(by: reach)
        var blurred = try PixelBuffer(width: picture.width, height: picture.height, format: format)
        let sumStride = picture.width * 4
        let sums = UnsafeMutablePointer<Int32>.allocate(capacity: sumStride * (reach * 2 + 2))
        defer { sums.deallocate() }
        for _ in 0..<times {
            try picture.continueEdges(reach)
            let (source, target) = (try BytePlane(picture), try BytePlane(blurred))
            try YUVError.check(
                ARGBBlur(
                    source.base, source.stride, target.base, target.stride, sums, Int32(clamping: sumStride),
                    source.width, source.height, Int32(clamping: reach)), "cannot blur the picture")
            swap(&picture, &blurred)
        }
        return try picture.cropped(to: PixelRect(x: reach, y: reach, width: width, height: height))
    }

    /// The maximum reach in pixels. With a larger reach, the result has no details. The picture is therefore blurred at
    /// a smaller size, which needs less time and memory.
    private static let maxReach = 256

    /// Returns the picture with a border of `reach` pixels on each side. The border is not filled.
    private func framed(by reach: Int) throws(WebImageError) -> PixelBuffer {
        let size = PixelSize(width: width + 2 * reach, height: height + 2 * reach)
        let result = try PixelBuffer(width: size.width, height: size.height, format: format)
        result.copy(self, x: reach, y: reach)
        return result
    }

    /// Fills the border of `reach` pixels on each side with the nearest pixels of the picture.
    private func continueEdges(_ reach: Int) throws(WebImageError) {
        let plane = try BytePlane(self)
        let side = Int32(clamping: reach)
        for row in reach..<height - reach {
            let pixels = UnsafeMutableRawPointer(bytes(ofRow: row)).assumingMemoryBound(to: UInt32.self)
            let line = bytes(ofRow: row)
            webimage_fill_pixels(line, plane.stride, side, 1, pixels[reach])
            webimage_fill_pixels(line + (width - reach) * 4, plane.stride, side, 1, pixels[width - reach - 1])
        }
        for row in 0..<reach {
            memcpy(bytes(ofRow: row), bytes(ofRow: reach), bytesPerRow)
            memcpy(bytes(ofRow: height - 1 - row), bytes(ofRow: height - 1 - reach), bytesPerRow)
        }
    }
}
