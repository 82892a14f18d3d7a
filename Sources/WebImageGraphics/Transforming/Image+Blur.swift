import CYUV
public import Foundation
public import WebImageCore

extension Image {
    /// The picture blurred by three box filters that together come near a Gaussian (W3C Filter Effects §9.4).
    ///
    /// - Parameter radius: the Gaussian's deviation in points; what lies outside continues the edge.
    /// - Returns: this image for a radius of 0; nil for one that is negative or not finite.
    public func blurredImage(withRadius radius: CGFloat) -> Image? {
        guard radius.isFinite, radius >= 0 else { return nil }
        guard radius > .ulpOfOne else { return self }
        let deviation = max(Double(radius * scale), 2)
        let width = Int(min(deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5, 1e6)) | 1
        return made {
            () throws(WebImageError) in
            (
                try displayPixels().boxBlurred(reach: width / 2).boxBlurred(reach: width / 2)
                    .boxBlurred(reach: width / 2), hasAlpha
            )
        }
    }
}

extension PixelBuffer {
    /// Each pixel the mean of the square that reaches `reach` pixels to every side; display format.
    func boxBlurred(reach: Int) throws(WebImageError) -> PixelBuffer {
        // libyuv's filter averages what lies inside the picture alone, so the edges are continued first.
        let reach = min(reach, 4 * max(width, height))
        let padded = try continued(by: reach)
        let blurred = try PixelBuffer(width: padded.width, height: padded.height, format: format)
        let sumStride = padded.width * 4
        let sums = UnsafeMutablePointer<Int32>.allocate(capacity: sumStride * (reach * 2 + 2))
        defer { sums.deallocate() }
        let (source, target) = (try BytePlane(padded), try BytePlane(blurred))
        try YUVError.check(
            ARGBBlur(
                source.base, source.stride, target.base, target.stride, sums, Int32(clamping: sumStride), source.width,
                source.height, Int32(clamping: reach)), "cannot blur the picture")
        return try blurred.cropped(to: PixelRect(x: reach, y: reach, width: width, height: height))
    }

    /// The picture with its edge pixels repeated to every side.
    private func continued(by reach: Int) throws(WebImageError) -> PixelBuffer {
        let size = PixelSize(width: width + 2 * reach, height: height + 2 * reach)
        try DecodingLimits.unlimited.checkPixels(size)
        let result = try PixelBuffer(width: size.width, height: size.height, format: format)
        let rowBytes = width * 4
        for row in 0..<height {
            let source = baseAddress + row * bytesPerRow
            let target = result.baseAddress + (row + reach) * result.bytesPerRow
            memcpy(target + reach * 4, source, rowBytes)
            let pixels = target.assumingMemoryBound(to: UInt32.self)
            pixels.update(repeating: pixels[reach], count: reach)
            (pixels + reach + width).update(repeating: pixels[reach + width - 1], count: reach)
        }
        for row in 0..<reach {
            memcpy(
                result.baseAddress + row * result.bytesPerRow, result.baseAddress + reach * result.bytesPerRow,
                size.width * 4)
            memcpy(
                result.baseAddress + (reach + height + row) * result.bytesPerRow,
                result.baseAddress + (reach + height - 1) * result.bytesPerRow, size.width * 4)
        }
        return result
    }
}
