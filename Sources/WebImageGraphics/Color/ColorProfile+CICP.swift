import CWebImageLCMS
import Foundation
package import WebImageCore

extension ColorProfile {
    /// Creates the profile for coding-independent code points (ITU-T H.273). Returns nil for sRGB and for unsupported
    /// codes.
    ///
    /// - Unspecified primaries or transfer characteristics are read as sRGB.
    /// - The camera curves of BT.709 and similar standards are read as the sRGB curve, as in browsers.
    /// - The two curves for high dynamic range (PQ and HLG) are combined with tone mapping. Reference white is 203
    ///   nits. Light up to 0.75 of reference white is unchanged. Brighter light, up to 1,000 nits, is compressed into
    ///   the range from 0.75 to 1 of reference white.
    package init?(primaries: Int, transfer: Int) {
        let isPlain = [0, 1, 2, 6, 13, 14, 15].contains(transfer)
        if isPlain, [0, 1, 2].contains(primaries) { return nil }
        let key = primaries << 8 | transfer
        if let known = Self.made.withLock({ $0[key] }) {
            self.init(iccData: known)
            return
        }
        guard let profile = ICCProfile(primaries: primaries, transfer: transfer) else { return nil }
        profile.declare(primaries: primaries, transfer: transfer)
        guard let data = profile.saved else { return nil }
        Self.made.withLock { $0[key] = data }
        self.init(iccData: data)
    }

    /// Whether both codes are supported, and neither means "unspecified".
    package static func supports(primaries: Int, transfer: Int) -> Bool {
        ![0, 2].contains(primaries) && ICCProfile.colorants(primaries) != nil
            && [1, 4, 5, 6, 8, 13, 14, 15, 16, 18].contains(transfer)
    }

    /// The code points in the profile's tag `cicp` (ICC.1:2022 §9.2.17). ``init(primaries:transfer:)`` writes this tag,
    /// so that an encoder can declare the same code points. Nil if the profile has no such tag.
    package var codePoints: (primaries: Int, transfer: Int)? {
        let bytes = [UInt8](iccData.prefix(4096))
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard bytes.count >= 132 else { return nil }
        for entry in stride(from: 132, to: min(132 + 12 * number(128), bytes.count - 11), by: 12)
        where number(entry) == Int(Self.codePointsTag) {
            let start = number(entry + 4)
            guard start >= 132, start + 12 <= bytes.count, number(start) == Int(Self.codePointsTag) else { return nil }
            return (Int(bytes[start + 8]), Int(bytes[start + 9]))
        }
        return nil
    }

    /// The signature `cicp`.
    fileprivate static let codePointsTag: UInt32 = 0x6369_6370

    /// The cached profiles. The key combines the two code points: primaries × 256 + transfer. The cache needs no limit,
    /// because only 111 combinations have a profile.
    private static let made = Locked<[Int: Data]>([:])
}

extension ICCProfile {
    fileprivate init?(primaries: Int, transfer: Int) {
        guard let colorants = Self.colorants(primaries), let curve = Self.curve(transfer) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        let made = ICCProfile.rgb(
            white: cmsCIExyY(x: colorants.white.0, y: colorants.white.1, Y: 1),
            colorants: cmsCIExyYTRIPLE(
                Red: .init(x: colorants.red.0, y: colorants.red.1, Y: 1),
                Green: .init(x: colorants.green.0, y: colorants.green.1, Y: 1),
                Blue: .init(x: colorants.blue.0, y: colorants.blue.1, Y: 1)),
            curve: curve)
        guard let made else { return nil }
        self = made
    }

    /// Writes the tag `cicp`. lcms2 before version 2.15 has no type for it, so the bytes are written as they are: the
    /// signature, four zeros, the two codes, the matrix (0: RGB) and the range (1: full).
    fileprivate func declare(primaries: Int, transfer: Int) {
        let bytes: [UInt8] = [0x63, 0x69, 0x63, 0x70, 0, 0, 0, 0, UInt8(primaries), UInt8(transfer), 0, 1]
        cmsWriteRawTag(handle, cmsTagSignature(rawValue: ColorProfile.codePointsTag), bytes, UInt32(bytes.count))
    }

    fileprivate typealias Chromaticity = (Double, Double)

    private static let d65: Chromaticity = (0.3127, 0.3290)

    /// Returns the primaries and the white point for a code (H.273, table 2), or nil for an unknown code.
    fileprivate static func colorants(
        _ primaries: Int
    ) -> (red: Chromaticity, green: Chromaticity, blue: Chromaticity, white: Chromaticity)? {
        switch primaries {
        case 0, 1, 2: ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060), d65)
        case 4: ((0.670, 0.330), (0.210, 0.710), (0.140, 0.080), (0.310, 0.316))
        case 5: ((0.640, 0.330), (0.290, 0.600), (0.150, 0.060), d65)
        case 6, 7: ((0.630, 0.340), (0.310, 0.595), (0.155, 0.070), d65)
        case 9: ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), d65)
        case 11: ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), (0.314, 0.351))
        case 12: ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), d65)
        case 22: ((0.630, 0.340), (0.295, 0.605), (0.155, 0.077), d65)
        default: nil
        }
    }

    /// Returns the curve for a transfer code (H.273, table 3), or nil for an unsupported code. The curve maps stored
    /// values to linear light. The caller must free the curve.
    private static func curve(_ transfer: Int) -> OpaquePointer? {
        switch transfer {
        case 0, 1, 2, 6, 13, 14, 15:
            cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        case 4: cmsBuildGamma(nil, 2.2)
        case 5: cmsBuildGamma(nil, 2.8)
        case 8: cmsBuildGamma(nil, 1)
        case 16: tabulated { toneMapped(10_000 / 203 * perceptualQuantizer($0)) }
        case 18: tabulated { toneMapped(1_000 / 203 * pow(hybridLogGamma($0), 1.2)) }
        default: nil
        }
    }

    private static func tabulated(_ value: (Double) -> Double) -> OpaquePointer? {
        let table = (0..<4096).map { UInt16(min(max(value(Double($0) / 4095), 0), 1) * 65535) }
        return cmsBuildTabulatedToneCurve16(nil, UInt32(table.count), table)
    }

    /// Converts a PQ signal (0…1) to light, where 1 is 10,000 nits (SMPTE ST 2084).
    private static func perceptualQuantizer(_ signal: Double) -> Double {
        let root = pow(signal, 1 / 78.84375)
        return pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
    }

    /// Converts an HLG signal (0…1) to scene light (0…1, ITU-R BT.2100).
    private static func hybridLogGamma(_ signal: Double) -> Double {
        signal <= 0.5 ? signal * signal / 3 : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
    }

    /// Compresses bright light. A light value of 1 is reference white. Light up to 0.75 is unchanged; light from 0.75
    /// to 4.93 (1,000 nits) is compressed into 0.75…1.
    private static func toneMapped(_ light: Double) -> Double {
        let (knee, peak) = (0.75, 1_000.0 / 203)
        guard light > knee else { return light }
        let (excess, most) = ((min(light, peak) - knee) / (1 - knee), (peak - knee) / (1 - knee))
        return knee + (1 - knee) * excess * (1 + excess / (most * most)) / (1 + excess)
    }
}
