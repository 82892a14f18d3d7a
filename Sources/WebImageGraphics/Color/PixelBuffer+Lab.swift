package import WebImageCore

extension PixelBuffer {
    /// Returns the colours of CIE L*a*b* pixels as sRGB with straight alpha. lcms2 converts them with relative
    /// colorimetric intent, so that the white of the file becomes white.
    ///
    /// The input has the format `rgba16` and the encoding of ICC version 4: L* from 0 to 100 is 0 to 65535, and a* and
    /// b* are multiplied by 257 after adding 128.
    ///
    /// - Parameter format: `rgba8` or `rgba16`.
    package func convertedFromLab(to format: PixelFormat, _ deadline: DecodeDeadline) throws(WebImageError)
        -> PixelBuffer
    {
        precondition(self.format == .rgba16 && [.rgba8, .rgba16].contains(format))
        let result = try PixelBuffer(width: width, height: height, format: format)
        guard let transform = ColorTransform(fromLabTo: format) else {
            throw WebImageError(.outOfMemory, stage: .decode, underlying: .message("no transform from L*a*b*"))
        }
        // lcms2 takes about a quarter of a microsecond for each pixel: a table would be faster, but wrong by three levels
        // in dark colours.
        for top in stride(from: 0, to: height, by: 64) {
            try deadline.check()
            transform.apply(from: self, to: result, rows: top..<min(top + 64, height))
        }
        return result
    }
}
