import CWebImageLCMS
import Foundation
package import WebImageCore

/// A colour space that is described by measured numbers instead of an ICC profile, as in the PNG chunks `cHRM` and
/// `gAMA`.
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

    package var primaries: Primaries
    /// Linear light is the stored value raised to this power.
    package var gamma: Double

    package init(primaries: Primaries, gamma: Double) {
        self.primaries = primaries
        self.gamma = gamma
    }

    /// Whether this colour space is so close to sRGB that no conversion is needed. A gamma of 2.2 is treated as sRGB,
    /// because files with sRGB colours often declare this gamma (in PNG as 1/2.2).
    package var isSRGB: Bool { primaries.isClose(to: .bt709) && abs(gamma - 2.2) < 0.03 }

    /// Returns an equivalent ICC profile, created by lcms2. A profile for grey contains the transfer curve and no
    /// primaries.
    package func profile(isGray: Bool) -> ColorProfile? {
        guard let curve = cmsBuildGamma(nil, gamma) else { return nil }
        defer { cmsFreeToneCurve(curve) }
        let made = isGray ? ICCProfile.gray(curve: curve) : rgbProfile(curve)
        return made?.saved.map(ColorProfile.init(iccData:))
    }

    private func rgbProfile(_ curve: OpaquePointer) -> ICCProfile? {
        // lcms2 divides by y, so y must not be 0.
        guard [primaries.white, primaries.red, primaries.green, primaries.blue].allSatisfy({ $0[1] > 0.0001 }) else {
            return nil
        }
        func point(_ xy: [Double]) -> cmsCIExyY { cmsCIExyY(x: xy[0], y: xy[1], Y: 1) }
        return ICCProfile.rgb(
            white: point(primaries.white),
            colorants: cmsCIExyYTRIPLE(
                Red: point(primaries.red), Green: point(primaries.green), Blue: point(primaries.blue)),
            curve: curve)
    }
}

extension ColorDescription.Primaries {
    fileprivate func isClose(to other: Self) -> Bool {
        zip(white + red + green + blue, other.white + other.red + other.green + other.blue)
            .allSatisfy { abs($0 - $1) < 0.002 }
    }
}
