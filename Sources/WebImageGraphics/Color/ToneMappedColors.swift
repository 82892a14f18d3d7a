import CWebImageLCMS
import CWebImagePixelLoops
import Foundation
import WebImageCore

/// The tables of a conversion of PQ or HLG to sRGB, for pixels of every format except half precision.
///
/// The curve of ``ToneCurve`` applies to the luminance of a pixel, so that the hue stays. A profile of lcms2 has one curve
/// for each channel, which makes bright colours whiter and turns orange into yellow.
final class ToneMappedColors: Sendable {
    private static let valueCount = 65536

    private let light: [Float]
    private let gains: [Float]
    private let luminance: [Float]
    private let matrix: [Float]

    /// Returns nil if the profile is for neither of the two curves. The tag `cicp` applies before the profile's own curve
    /// and tables, which are for programs without a notion of high dynamic range.
    convenience init?(_ profile: ColorProfile, _ stored: borrowing ICCProfile) {
        if let described = profile.hdr, let transfer = described.transfer, let primaries = described.primaries {
            guard let own = ICCProfile(primaries: primaries, transfer: 8, light: nil)?.colorants else { return nil }
            self.init(ToneCurve(transfer, light: described.contentLight), own)
        } else if let transfer = stored.transferForHDR, let own = stored.colorants {
            self.init(ToneCurve(transfer, light: nil), own)
        } else {
            return nil
        }
    }

    private init?(_ curve: ToneCurve, _ own: [[Double]]) {
        guard let toSRGB = MatrixColors.matrix(from: own) else { return nil }
        guard let parts = ICCProfile.luminance(of: own) else { return nil }
        (matrix, luminance) = (toSRGB, parts)
        light = (0..<Self.valueCount).map { Float(curve.light(Double($0) / 65535)) }
        gains = (0..<Int(WEBIMAGE_TONE_COUNT)).map { index in
            // The bits of a float are its logarithm in steps, with equal steps inside each octave.
            let steps = Int(WEBIMAGE_TONE_STEPS)
            let octave = index / steps + Int(WEBIMAGE_TONE_FIRST_OCTAVE)
            return Float(curve.gain(luminance: exp2(Double(octave)) * (1 + Double(index % steps) / Double(steps))))
        }
    }

    /// - Parameter target: A buffer of the same format, or of `rgba8` for `rgba16`.
    func apply(from source: PixelBuffer, to target: PixelBuffer) {
        precondition(source.format != .gray8 && source.format != .rgbaHalf)
        let layout = webimage_tone_layout(
            bits: Int32(source.format.bitsPerComponent), samples: Int32(source.format.channelCount),
            red: source.format == .bgra8Premultiplied ? 2 : 0)
        light.withUnsafeBufferPointer { light in
            gains.withUnsafeBufferPointer { gains in
                MatrixColors.encoding.withUnsafeBufferPointer { encoding in
                    var tables = webimage_tone_tables()
                    (tables.light, tables.gains, tables.encoding) = (
                        light.baseAddress, gains.baseAddress, encoding.baseAddress
                    )
                    tables.luminance = (luminance[0], luminance[1], luminance[2])
                    withUnsafeMutableBytes(of: &tables.matrix) { target in
                        matrix.withUnsafeBytes { target.copyMemory(from: $0) }
                    }
                    webimage_tone_map(
                        source.baseAddress, source.bytesPerRow, layout, target.baseAddress, target.bytesPerRow,
                        Int32(target.format.bitsPerComponent), source.width, source.height, &tables)
                }
            }
        }
    }

    /// The result of each value, for pixels of format `gray8`.
    var grayValues: [UInt8]? {
        guard let ramp = try? PixelBuffer(width: 256, height: 1, format: .rgb8) else { return nil }
        return ramp.withUnsafeMutableBytes { bytes in
            for index in 0..<3 * 256 { bytes[index] = UInt8(index / 3) }
            apply(from: ramp, to: ramp)
            return (0..<256).map { bytes[3 * $0] }
        }
    }
}

extension ICCProfile {
    /// Returns the part of each channel in the luminance of light with these colorants.
    ///
    /// Colorants are adapted to D50. The luminance is that under D65, the white of the standards: the second row of the
    /// inverse Bradford matrix. Without it, blue would be a fifth darker.
    static func luminance(of colorants: [[Double]]) -> [Float]? {
        let parts = (0..<3).map { column in
            -0.0282895 * colorants[0][column] + 1.0099416 * colorants[1][column] + 0.0210077 * colorants[2][column]
        }
        let sum = parts.reduce(0, +)
        return sum > 0.1 ? parts.map { Float($0 / sum) } : nil
    }

    /// The transfer function of high dynamic range that the profile's curves describe without tone mapping, as some
    /// programs write them: the light of PQ is then 1 at 10,000 nits, and that of HLG is the scene's. Nil for other curves.
    var transferForHDR: HDRDescription.Transfer? {
        guard let light = lightOfValues(count: 65) else { return nil }
        func agrees(_ signal: (Double) -> Double) -> Bool {
            (0..<3).allSatisfy { channel in
                // Curves in a table of 16 bits have few steps in the dark, so compare signals from the middle upwards.
                (16..<65).allSatisfy { index in
                    abs(signal(Double(light[channel * 65 + index])) - Double(index) / 64) < 0.01
                }
            }
        }
        if agrees({ PQ.signal(nits: $0 * 10_000) }) { return .perceptualQuantizer }
        return agrees(HLG.signal(sceneLight:)) ? .hybridLogGamma : nil
    }
}

extension ColorProfile {
    /// Whether the profile's curve is PQ or HLG, by its tag or by the curve itself.
    var isHDR: Bool { hdr != nil || ICCProfile(iccData)?.transferForHDR != nil }
}
