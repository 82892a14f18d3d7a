import CWebImageLCMS
import Foundation
package import WebImageCore

extension Image {
    /// The code points of ITU-T H.273 of pixels with a high dynamic range, for systems that show them: those of PQ and HLG, or
    /// 8 for linear light of half precision, of which 1 is the white of the standard range. Nil for other pixels.
    package var displayCodePoints: (primaries: Int, transfer: Int)? {
        switch pixels.format {
        case .rgba16:
            guard let codes = colorProfile?.codePoints, HDRDescription.Transfer(rawValue: codes.transfer) != nil else {
                return nil
            }
            return codes
        case .rgbaHalf:
            guard let profile = colorProfile.flatMap({ ICCProfile($0.iccData) }), let own = profile.colorants,
                let light = profile.lightOfValues(count: 3), abs(light[1] - 0.5) < 1e-3
            else { return nil }
            // sRGB, BT.2020 and Display P3.
            let known = [1, 9, 12].first { code in
                guard let other = ICCProfile(primaries: code, transfer: 8, light: nil)?.colorants else { return false }
                return zip(own.joined(), other.joined()).allSatisfy { abs($0 - $1) < 2e-3 }
            }
            return known.map { ($0, 8) }
        default: return nil
        }
    }

    /// Returns pixels of the standard range, in sRGB, for a system that shows no other ones. Nil if the pixels have no high
    /// dynamic range. The tone curve maps PQ, HLG and linear light.
    package func toneMappedPixels() throws(WebImageError) -> PixelBuffer? {
        guard let codes = displayCodePoints else { return nil }
        var source = self
        if codes.transfer == 8 {
            guard let coded = try perceptuallyQuantized(headroom: brightestLight) else { return nil }
            source = coded
        }
        guard let profile = source.colorProfile else { return nil }
        return try source.pixels.convertedToSRGB(from: profile, isOpaque: !hasAlpha, narrows: true)
    }

    /// The greatest channel of pixels of half precision. Positive numbers of this precision have the order of their bits.
    private var brightestLight: Double {
        let infinity: UInt16 = 0x7C00
        var greatest: UInt16 = 0
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                let row = UnsafeRawBufferPointer(rebasing: bytes[(y * pixels.bytesPerRow)...]).bindMemory(
                    to: UInt16.self)
                for x in 0..<pixels.width {
                    for channel in 0..<3 where row[4 * x + channel] < infinity {
                        greatest = max(greatest, row[4 * x + channel])
                    }
                }
            }
        }
        let (exponent, fraction) = (Int(greatest >> 10), Double(greatest & 1023))
        return exponent == 0 ? fraction / 16_777_216 : (1 + fraction / 1024) * exp2(Double(exponent - 15))
    }
}
