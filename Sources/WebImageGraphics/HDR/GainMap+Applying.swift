import CWebImageLCMS
import CWebImagePixelLoops
import Foundation
package import WebImageCore

extension GainMap {
    /// Returns the picture for a display, as linear light in half precision: 1 is the white of standard dynamic range. The
    /// published formula of ISO 21496-1 applies; the result is not limited to the headroom. The light of a base in HLG is that
    /// of a display of 1,000 nits (ITU-R BT.2100), for which its white is at 203 nits.
    ///
    /// - Parameters:
    ///   - base: The base picture, opaque, in the format `rgba8` or `rgba16`, with its stored values.
    ///   - profile: The profile of these values; nil for sRGB.
    ///   - headroom: The headroom of the display, as a multiple of the white of standard dynamic range.
    /// - Returns: The pixels and the profile of their light.
    /// - Throws: `.badImageData` for a profile without curves.
    package func applied(
        to base: PixelBuffer, profile: ColorProfile?, headroom: Double
    ) throws(WebImageError) -> (pixels: PixelBuffer, profile: ColorProfile?) {
        precondition(base.format == .rgba8 || base.format == .rgba16)
        let valueCount = 1 << base.format.bitsPerComponent
        guard let map = pixels, let stored = profile.map({ ICCProfile($0.iccData) }) ?? ICCProfile.sRGB(),
            var colorants = stored.colorants, let light = stored.light(of: profile, valueCount: valueCount)
        else { throw .badData("gain map", "the profile of its base has no curves") }
        var tables = webimage_gain_tables()
        if stored.transfer(of: profile) == .hybridLogGamma, let parts = ICCProfile.luminance(of: colorants) {
            let display = ToneCurve(.hybridLogGamma, light: nil).displayLight
            tables.luminance = (parts[0], parts[1], parts[2])
            (tables.factor, tables.exponent) = (display.factor, display.exponent - 1)
        }
        if !metadata.usesBaseColorSpace, let other = alternateProfile.flatMap({ ICCProfile($0.iccData) })?.colorants,
            let inverse = other.inverted
        {
            let matrix = inverse.flatMap { row in
                (0..<3).map { column in Float((0..<3).reduce(0) { $0 + row[$1] * colorants[$1][column] }) }
            }
            withUnsafeMutableBytes(of: &tables.matrix) { target in
                matrix.withUnsafeBytes { target.copyMemory(from: $0) }
            }
            tables.has_matrix = 1
            colorants = other
        }
        let weight = metadata.weight(headroom: headroom)
        let channels = (0..<3).map { metadata.channels[metadata.channels.count == 3 ? $0 : 0] }
        let steps = Int(WEBIMAGE_GAIN_STEPS)
        let factors = channels.flatMap { channel in
            (0...steps).map { index in
                let value = pow(Double(index) / Double(steps), 1 / channel.gamma)
                return Float(exp2((channel.minimum + (channel.maximum - channel.minimum) * value) * weight))
            }
        }
        // With the weight 0, the picture is the base. Offsets that differ would change it.
        let offsets = channels.map { weight == 0 ? (0, 0) : (Float($0.baseOffset), Float($0.alternateOffset)) }
        tables.base_offsets = (offsets[0].0, offsets[1].0, offsets[2].0)
        tables.alternate_offsets = (offsets[0].1, offsets[1].1, offsets[2].1)
        let result = try PixelBuffer(width: base.width, height: base.height, format: .rgbaHalf)
        light.withUnsafeBufferPointer { light in
            factors.withUnsafeBufferPointer { factors in
                guard let start = light.baseAddress else { return }
                tables.light = (start, start + valueCount, start + 2 * valueCount)
                tables.factors = factors.baseAddress
                webimage_apply_gain(
                    base.baseAddress, base.bytesPerRow, Int32(base.format.bitsPerComponent),
                    webimage_gain_map(
                        values: map.bytes(ofRow: 0), stride: map.bytesPerRow, width: map.width, height: map.height,
                        channels: Int32(map.format.channelCount)),
                    result.baseAddress.assumingMemoryBound(to: UInt16.self), result.bytesPerRow, base.width,
                    base.height,
                    &tables)
            }
        }
        return (result, ICCProfile.linear(colorants: colorants)?.saved.map(ColorProfile.init(iccData:)))
    }
}

extension ICCProfile {
    /// The transfer function of high dynamic range that the tag `cicp` of a profile or its curves declare.
    fileprivate borrowing func transfer(of profile: ColorProfile?) -> HDRDescription.Transfer? {
        profile?.hdr?.transfer ?? transferForHDR
    }

    /// Returns the light of each stored value, for each of three channels: that of the curves of the profile, or of PQ or HLG
    /// by its tag `cicp`, whose curves are for programs without a notion of high dynamic range. The light of HLG is the scene's.
    fileprivate borrowing func light(of profile: ColorProfile?, valueCount: Int) -> [Float]? {
        guard let transfer = transfer(of: profile) else { return lightOfValues(count: valueCount) }
        let curve = ToneCurve(transfer, light: nil)
        let light = (0..<valueCount).map { Float(curve.light(Double($0) / Double(valueCount - 1))) }
        return light + light + light
    }

    /// Returns a profile for light with these colorants, which are columns of a matrix to XYZ of D50.
    static func linear(colorants: [[Double]]) -> ICCProfile? {
        guard let curve = cmsBuildGamma(nil, 1) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return profile(colorants, curve)
    }

    /// Returns a profile with these colorants and the curve of sRGB.
    static func standard(colorants: [[Double]]) -> ICCProfile? {
        guard let curve = cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        else {
            return nil
        }
        defer { cmsFreeToneCurve(curve) }
        return profile(colorants, curve)
    }

    private static func profile(_ colorants: [[Double]], _ curve: OpaquePointer) -> ICCProfile? {
        func point(_ column: Int) -> cmsCIExyY {
            var (color, result) = (
                cmsCIEXYZ(X: colorants[0][column], Y: colorants[1][column], Z: colorants[2][column]), cmsCIExyY()
            )
            cmsXYZ2xyY(&result, &color)
            return result
        }
        guard let white = cmsD50_xyY()?.pointee else { return nil }
        return rgb(
            white: white, colorants: cmsCIExyYTRIPLE(Red: point(0), Green: point(1), Blue: point(2)), curve: curve)
    }
}
