import CWebImageLCMS
import Foundation
package import WebImageCore

extension ColorProfile {
    /// Creates the profile for coding-independent code points (ITU-T H.273). Returns nil for sRGB and for unsupported
    /// codes.
    ///
    /// - Unspecified primaries or transfer characteristics are read as sRGB.
    /// - The camera curves of BT.709 and similar standards are read as the sRGB curve, as in browsers.
    /// - The two curves for high dynamic range (PQ and HLG) are combined with tone mapping, so that a program without a
    ///   notion of high dynamic range shows the right greys: see ``ToneCurve``.
    ///
    /// - Parameter light: The brightest light of the picture, for the two curves of high dynamic range. The profile stores
    ///   it.
    package init?(primaries: Int, transfer: Int, light: ContentLightLevel? = nil) {
        let isPlain = [0, 1, 2, 6, 13, 14, 15].contains(transfer)
        if isPlain, [0, 1, 2].contains(primaries) { return nil }
        let light = [16, 18].contains(transfer) ? light?.limited : nil
        let key = MadeKey(primaries: primaries, transfer: transfer, light: light)
        if let known = Self.made.withLock({ $0[key] }) {
            self.init(iccData: known)
            return
        }
        guard let profile = ICCProfile(primaries: primaries, transfer: transfer, light: light) else { return nil }
        profile.declare(primaries: primaries, transfer: transfer)
        if let light { profile.declare(light) }
        guard let data = profile.saved else { return nil }
        Self.made.withLock { made in
            // Files choose their light level, so there can be as many keys as files.
            if made.count >= 128 { made = [:] }
            made[key] = data
        }
        self.init(iccData: data)
    }

    /// Whether both codes are supported, and neither means "unspecified".
    package static func supports(primaries: Int, transfer: Int) -> Bool {
        ![0, 2].contains(primaries) && ICCProfile.colorants(primaries) != nil
            && [1, 4, 5, 6, 8, 13, 14, 15, 16, 18].contains(transfer)
    }

    /// The code points in the profile's tag `cicp` (ICC.1:2022 §9.2.17). ``init(primaries:transfer:light:)`` writes this
    /// tag, so that an encoder can declare the same code points. Nil if the profile has no such tag.
    package var codePoints: (primaries: Int, transfer: Int)? {
        content(of: Self.codePointsTag, count: 12).map { (Int($0[8]), Int($0[9])) }
    }

    /// The light level that ``init(primaries:transfer:light:)`` has stored.
    package var contentLight: ContentLightLevel? {
        guard let bytes = content(of: Self.lightTag, count: 16) else { return nil }
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        return ContentLightLevel(maximum: number(8), average: number(12)).limited
    }

    /// The dynamic range of pixels with this profile. Nil if the profile's curve is neither PQ nor HLG.
    package var hdr: HDRDescription? {
        guard let codePoints, let transfer = HDRDescription.Transfer(rawValue: codePoints.transfer) else { return nil }
        return HDRDescription(transfer: transfer, primaries: codePoints.primaries, contentLight: contentLight)
    }

    /// Returns the content of a tag near the start of the profile: `count` bytes, which begin with the tag's signature.
    private func content(of tag: UInt32, count: Int) -> [UInt8]? {
        let bytes = [UInt8](iccData.prefix(16384))
        func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard bytes.count >= 132 else { return nil }
        for entry in stride(from: 132, to: min(132 + 12 * number(128), bytes.count - 11), by: 12)
        where number(entry) == Int(tag) {
            let start = number(entry + 4)
            guard start >= 132, start + count <= bytes.count, number(start) == Int(tag) else { return nil }
            return Array(bytes[start..<start + count])
        }
        return nil
    }

    /// The signature `cicp`.
    fileprivate static let codePointsTag: UInt32 = 0x6369_6370
    /// The signature `clli`: a private tag of this package, named as the box of HEIF.
    fileprivate static let lightTag: UInt32 = 0x636C_6C69

    private struct MadeKey: Hashable {
        let primaries: Int
        let transfer: Int
        let light: ContentLightLevel?
    }

    private static let made = Locked<[MadeKey: Data]>([:])
}

extension ContentLightLevel {
    /// The level with numbers that fit into files. Nil if the maximum is 0, which means that it is unknown.
    fileprivate var limited: ContentLightLevel? {
        guard maximum > 0 else { return nil }
        return ContentLightLevel(maximum: min(maximum, 10_000), average: min(max(average, 0), 10_000))
    }
}

extension ICCProfile {
    init?(primaries: Int, transfer: Int, light: ContentLightLevel?) {
        guard let colorants = Self.colorants(primaries), let curve = Self.curve(transfer, light) else { return nil }
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

    /// Writes the light level into a private tag: the signature, four zeros, the maximum and the mean.
    fileprivate func declare(_ light: ContentLightLevel) {
        var bytes: [UInt8] = [0x63, 0x6C, 0x6C, 0x69, 0, 0, 0, 0]
        for number in [light.maximum, light.average] {
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        cmsWriteRawTag(handle, cmsTagSignature(rawValue: ColorProfile.lightTag), bytes, UInt32(bytes.count))
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
    private static func curve(_ transfer: Int, _ light: ContentLightLevel?) -> OpaquePointer? {
        switch transfer {
        case 0, 1, 2, 6, 13, 14, 15:
            return cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        case 4: return cmsBuildGamma(nil, 2.2)
        case 5: return cmsBuildGamma(nil, 2.8)
        case 8: return cmsBuildGamma(nil, 1)
        default:
            guard let transfer = HDRDescription.Transfer(rawValue: transfer) else { return nil }
            let curve = ToneCurve(transfer, light: light)
            let table = (0..<4096).map {
                UInt16((min(max(curve.gray(Double($0) / 4095), 0), 1) * 65535).rounded())
            }
            return cmsBuildTabulatedToneCurve16(nil, UInt32(table.count), table)
        }
    }
}
