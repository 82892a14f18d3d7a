import CWebImageLCMS
import Foundation
package import WebImageCore

/// A colour space that is described by numbers instead of an ICC profile, as in the PNG chunks `cHRM`, `gAMA` and
/// `cICP`.
package struct ColorDescription: Sendable, Hashable {
    /// The CIE 1931 coordinates x and y of the white point and of the primaries.
    package struct Primaries: Sendable, Hashable {
        package var white: [Double]
        package var red: [Double]
        package var green: [Double]
        package var blue: [Double]

        package init(white: [Double], red: [Double], green: [Double], blue: [Double]) {
            self.white = white
            self.red = red
            self.green = green
            self.blue = blue
        }

        /// The primaries of BT.709. sRGB has the same primaries.
        package static let bt709 = Primaries(
            white: [0.3127, 0.3290], red: [0.64, 0.33], green: [0.30, 0.60], blue: [0.15, 0.06])
    }

    /// The curve from stored values to linear light.
    package enum Transfer: Sendable, Hashable {
        /// Linear light is the stored value raised to this power.
        case power(Double)
        /// The curve of sRGB (IEC 61966-2-1).
        case sRGB
        /// The common curve of BT.709, BT.601 and BT.2020.
        case bt709
    }

    package var primaries: Primaries
    package var transfer: Transfer

    package init(primaries: Primaries, transfer: Transfer) {
        self.primaries = primaries
        self.transfer = transfer
    }

    /// Whether this colour space is so close to sRGB that no conversion is needed.
    package var isSRGB: Bool {
        guard primaries.isClose(to: .bt709) else { return false }
        return switch transfer {
        case .sRGB: true
        // Treat a gamma of 2.2 as sRGB, because files with sRGB colours often declare this gamma (in PNG as 1/2.2).
        case .power(let power): abs(power - 2.2) < 0.03
        case .bt709: false
        }
    }

    /// Creates a description from ITU-T H.273 code points. Returns nil for codes that an ICC profile with a matrix
    /// and curves cannot express, such as PQ and HLG.
    package init?(primariesCode: Int, transferCode: Int) {
        guard let primaries = Primaries(code: primariesCode) else { return nil }
        switch transferCode {
        case 1, 6, 14, 15: transfer = .bt709
        case 4: transfer = .power(2.2)
        case 5: transfer = .power(2.8)
        case 8: transfer = .power(1)
        case 13: transfer = .sRGB
        default: return nil
        }
        self.primaries = primaries
    }

    /// Returns an equivalent ICC profile, created by lcms2. A profile for grey contains the transfer curve and no
    /// primaries.
    package func profile(isGray: Bool) -> ColorProfile? {
        guard let curve = transfer.curve else { return nil }
        defer { cmsFreeToneCurve(curve) }
        guard let profile = isGray ? cmsCreateGrayProfile(cmsD50_xyY(), curve) : rgbProfile(curve) else { return nil }
        defer { cmsCloseProfile(profile) }
        var count: cmsUInt32Number = 0
        guard cmsSaveProfileToMem(profile, nil, &count) != 0, count > 0 else { return nil }
        var bytes = Data(count: Int(count))
        let isSaved = bytes.withUnsafeMutableBytes { cmsSaveProfileToMem(profile, $0.baseAddress, &count) }
        return isSaved != 0 ? ColorProfile(iccData: bytes) : nil
    }

    private func rgbProfile(_ curve: OpaquePointer) -> cmsHPROFILE? {
        // lcms2 divides by y, so y must not be 0.
        guard [primaries.white, primaries.red, primaries.green, primaries.blue].allSatisfy({ $0[1] > 0.0001 }) else {
            return nil
        }
        func point(_ xy: [Double]) -> cmsCIExyY { cmsCIExyY(x: xy[0], y: xy[1], Y: 1) }
        var white = point(primaries.white)
        var colorants = cmsCIExyYTRIPLE(
            Red: point(primaries.red), Green: point(primaries.green), Blue: point(primaries.blue))
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return cmsCreateRGBProfile(&white, &colorants, &curves)
    }
}

extension ColorDescription.Primaries {
    fileprivate func isClose(to other: Self) -> Bool {
        zip(white + red + green + blue, other.white + other.red + other.green + other.blue)
            .allSatisfy { abs($0 - $1) < 0.002 }
    }

    /// Returns the primaries of an ITU-T H.273 code point (table 2), or nil for an unknown code.
    fileprivate init?(code: Int) {
        let d65 = [0.3127, 0.3290]
        switch code {
        case 1: self = .bt709
        case 5: self.init(white: d65, red: [0.64, 0.33], green: [0.29, 0.60], blue: [0.15, 0.06])
        case 6, 7: self.init(white: d65, red: [0.630, 0.340], green: [0.310, 0.595], blue: [0.155, 0.070])
        case 9: self.init(white: d65, red: [0.708, 0.292], green: [0.170, 0.797], blue: [0.131, 0.046])
        case 11: self.init(white: [0.314, 0.351], red: [0.680, 0.320], green: [0.265, 0.690], blue: [0.150, 0.060])
        case 12: self.init(white: d65, red: [0.680, 0.320], green: [0.265, 0.690], blue: [0.150, 0.060])
        default: return nil
        }
    }
}

extension ColorDescription.Transfer {
    /// The transfer curve as an lcms2 object. The caller must free the object.
    fileprivate var curve: OpaquePointer? {
        switch self {
        case .power(let power): cmsBuildGamma(nil, power)
        case .sRGB: Self.parametric([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        case .bt709: Self.parametric([1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081])
        }
    }

    /// Returns the curve `(a x + b)^g` for x ≥ d and `c x` for x < d. The parameters are g, a, b, c, d, in this order.
    private static func parametric(_ parameters: [Double]) -> OpaquePointer? {
        cmsBuildParametricToneCurve(nil, 4, parameters)
    }
}
