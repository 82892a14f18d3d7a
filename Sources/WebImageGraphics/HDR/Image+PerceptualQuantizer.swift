import CWebImagePixelLoops
import Foundation
package import WebImageCore

extension Image {
    /// Returns an image of linear light as a PQ image with the primaries of BT.2020 and 16 bits, for formats that store such
    /// values: 1 becomes 203 nits. Nil if the pixels are not of half precision or their profile has no colorants.
    ///
    /// - Parameter headroom: The brightest light, as a multiple of the white of standard dynamic range. The file declares it.
    package func perceptuallyQuantized(headroom: Double) throws(WebImageError) -> Image? {
        let nits = min(max(headroom, 1) * HDRDescription.whiteNits, 10_000)
        let light = ContentLightLevel(maximum: Int(nits.rounded(.up)))
        guard pixels.format == .rgbaHalf, let own = colorProfile.flatMap({ ICCProfile($0.iccData) })?.colorants,
            let wide = ICCProfile(primaries: 9, transfer: 8, light: nil)?.colorants?.inverted,
            let profile = ColorProfile(primaries: 9, transfer: 16, light: light)
        else { return nil }
        var matrix = wide.flatMap { row in
            (0..<3).map { column in
                Float((0..<3).reduce(0) { $0 + row[$1] * own[$1][column] } * HDRDescription.whiteNits)
            }
        }
        let result = try PixelBuffer(width: pixels.width, height: pixels.height, format: .rgba16)
        webimage_quantize_light(
            pixels.baseAddress.assumingMemoryBound(to: UInt16.self), pixels.bytesPerRow,
            result.baseAddress.assumingMemoryBound(to: UInt16.self), result.bytesPerRow, pixels.width, pixels.height,
            &matrix, Float(nits))
        let image = Image(
            pixels: result, scale: scale, colorProfile: profile, hasAlpha: hasAlpha, format: imageFormat)
        image.copyMetadata(from: self)
        image.hdr = profile.hdr
        return image
    }
}
