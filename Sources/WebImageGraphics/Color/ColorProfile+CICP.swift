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
        guard let data = ICCProfile(primaries: primaries, transfer: transfer)?.saved else { return nil }
        Self.made.withLock { $0[key] = data }
        self.init(iccData: data)
    }

    /// Whether the transfer code is PQ or HLG, the curves for high dynamic range. Such pictures need more than 8 bits
    /// per channel.
    package static func isHighDynamicRange(transfer: Int) -> Bool { transfer == 16 || transfer == 18 }

    /// The cached profiles. The key combines the two code points: primaries × 256 + transfer. The cache needs no limit,
    /// because only 111 combinations have a profile.
    private static let made = Locked<[Int: Data]>([:])
}

extension ICCProfile {
    fileprivate init?(primaries: Int, transfer: Int) {
        guard let colorants = Self.colorants(primaries), let curve = Self.curve(transfer) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        var white = cmsCIExyY(x: colorants.white.0, y: colorants.white.1, Y: 1)
        var triple = cmsCIExyYTRIPLE(
            Red: .init(x: colorants.red.0, y: colorants.red.1, Y: 1),
            Green: .init(x: colorants.green.0, y: colorants.green.1, Y: 1),
            Blue: .init(x: colorants.blue.0, y: colorants.blue.1, Y: 1))
        var curves: [OpaquePointer?] = [curve, curve, curve]
        self.init(owning: cmsCreateRGBProfile(&white, &triple, &curves))
    }

    fileprivate var saved: Data? {
        var count: UInt32 = 0
        guard cmsSaveProfileToMem(handle, nil, &count) != 0 else { return nil }
        var data = Data(count: Int(count))
        let isSaved = data.withUnsafeMutableBytes { cmsSaveProfileToMem(handle, $0.baseAddress, &count) }
        return isSaved != 0 ? data : nil
    }

    private typealias Chromaticity = (Double, Double)

    private static let d65: Chromaticity = (0.3127, 0.3290)

    /// Returns the primaries and the white point for a code (H.273, table 2), or nil for an unknown code.
    private static func colorants(
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
