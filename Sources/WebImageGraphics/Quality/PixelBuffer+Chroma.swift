import CWebImagePixelLoops
package import WebImageCore

extension PixelBuffer {
    /// Writes the opaque picture as luma, and chroma of half the width and height (BT.601, 8 bits). Luma is chosen so that each
    /// pixel keeps its luminance: at the same score, files of WebP are 3 % smaller (Documentation/Decisions/webp-settings.md).
    ///
    /// - Parameters:
    ///   - hasFullRange: Whether samples have 0 to 255, otherwise luma has 16 to 235 and chroma 16 to 240.
    ///   - luma: The plane's first byte, and the bytes from row to row.
    ///   - u: The plane of blue. Its sides are half of the picture's, rounded up.
    ///   - v: The plane of red, of the same size.
    /// - Throws: `.encodingFailed` if memory is exhausted.
    package func halveChroma(
        hasFullRange: Bool, luma: (start: UnsafeMutablePointer<UInt8>, stride: Int),
        u: (start: UnsafeMutablePointer<UInt8>, stride: Int), v: (start: UnsafeMutablePointer<UInt8>, stride: Int)
    ) throws(WebImageError) {
        let pixels = format.bitsPerComponent == 8 ? self : try converted(to: .rgba8, isOpaque: true)
        var planes = webimage_halved_planes(
            luma: luma.start, u: u.start, v: v.start, luma_stride: luma.stride, u_stride: u.stride, v_stride: v.stride)
        let isDone = pixels.withUnsafeBytes { bytes in
            var picture = webimage_scored_picture(pixels, bytes)
            return webimage_halve_chroma(&picture, hasFullRange ? 1 : 0, &planes)
        }
        guard isDone != 0 else { throw .cannotEncode("luma and chroma", "out of memory") }
    }
}
