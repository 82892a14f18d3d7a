import CWebImageLCMS
import Foundation
import WebImageCore

/// Owns one open lcms2 profile.
struct ICCProfile: ~Copyable {
    let handle: cmsHPROFILE

    /// Returns nil if the bytes are not an ICC profile.
    init?(_ data: Data) {
        let opened = data.withUnsafeBytes { bytes in
            bytes.count > Int32.max ? nil : cmsOpenProfileFromMem(bytes.baseAddress, UInt32(bytes.count))
        }
        self.init(owning: opened)
    }

    /// Takes ownership of an open profile. Returns nil if `handle` is nil.
    init?(owning handle: cmsHPROFILE?) {
        guard let handle else { return nil }
        self.handle = handle
        HandleLedger.opened("lcms profile")
    }

    deinit {
        cmsCloseProfile(handle)
        HandleLedger.closed("lcms profile")
    }

    static func sRGB() -> ICCProfile? { ICCProfile(owning: cmsCreate_sRGBProfile()) }

    /// Returns a profile whose three channels have the same curve. The caller still owns the curve.
    static func rgb(white: cmsCIExyY, colorants: cmsCIExyYTRIPLE, curve: OpaquePointer) -> ICCProfile? {
        var (white, colorants) = (white, colorants)
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return ICCProfile(owning: cmsCreateRGBProfile(&white, &colorants, &curves))
    }

    /// Returns a grey profile. The caller still owns the curve.
    static func gray(curve: OpaquePointer) -> ICCProfile? {
        ICCProfile(owning: cmsCreateGrayProfile(cmsD50_xyY(), curve))
    }

    /// The bytes of the profile.
    var saved: Data? {
        var count: UInt32 = 0
        guard cmsSaveProfileToMem(handle, nil, &count) != 0, count > 0 else { return nil }
        var data = Data(count: Int(count))
        let isSaved = data.withUnsafeMutableBytes { cmsSaveProfileToMem(handle, $0.baseAddress, &count) }
        return isSaved != 0 ? data : nil
    }

    /// Returns a grey profile with the transfer curve of sRGB.
    static func sRGBGray() -> ICCProfile? {
        guard let reference = sRGB(), let curve = reference.curve(cmsSigRedTRCTag) else { return nil }
        return .gray(curve: curve)
    }

    var colorSpace: cmsColorSpaceSignature { cmsGetColorSpace(handle) }

    /// Creates an RGB profile from a grey profile. An RGB pixel whose three channels are v has the same colour as a
    /// grey pixel of value v in the grey profile.
    func expandedToRGB() -> ICCProfile? {
        withNeutralCurve { curve in
            ICCProfile.rgb(
                white: cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1),
                colorants: cmsCIExyYTRIPLE(
                    Red: .init(x: 0.64, y: 0.33, Y: 1), Green: .init(x: 0.30, y: 0.60, Y: 1),
                    Blue: .init(x: 0.15, y: 0.06, Y: 1)),
                curve: curve)
        }
    }

    /// Returns the sRGB value of each grey value from 0 to 255. For an RGB profile, a grey value is a pixel with three equal
    /// channels. Returns nil if the profile is neither for grey nor for RGB.
    ///
    /// lcms2 computes each value with the curves of the profile. Its conversion of whole pictures of grey is wrong by up
    /// to 9 of 255 steps for dark linear light.
    func grayValues() -> [UInt8]? {
        guard colorSpace == cmsSigGrayData || colorSpace == cmsSigRgbData, let sRGB = ICCProfile.sRGBGray() else {
            return nil
        }
        guard colorSpace == cmsSigGrayData else { return reducedToGray()?.grayValues() }
        let layout = UInt32(PT_GRAY) << 16 | 1 << 3 | 1
        guard
            let transform = cmsCreateTransform(
                handle, layout, sRGB.handle, layout, UInt32(INTENT_PERCEPTUAL),
                UInt32(cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        defer { cmsDeleteTransform(transform) }
        let values = (0...255).map { UInt8($0) }
        var result = values
        cmsDoTransform(transform, values, &result, 256)
        return result
    }

    /// Creates a grey profile from an RGB profile. A grey pixel of value v has the same lightness as an RGB pixel whose
    /// three channels are v.
    func reducedToGray() -> ICCProfile? { withNeutralCurve { ICCProfile.gray(curve: $0) } }

    /// Calls `body` with the curve from the value of neutral pixels to light. Returns nil if the profile has none.
    private func withNeutralCurve(_ body: (OpaquePointer) -> ICCProfile?) -> ICCProfile? {
        let hasTables = cmsIsTag(handle, cmsSigAToB0Tag) != 0
        // In a profile that is connected through Lab, the curve of grey leads to lightness instead of light.
        if !hasTables, cmsGetPCS(handle) == cmsSigXYZData, let curve = curve(cmsSigGrayTRCTag) { return body(curve) }
        guard let curve = sampledNeutralCurve() else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return body(curve)
    }

    /// Converts 4,096 neutral pixels to light. The caller must free the curve.
    private func sampledNeutralCurve() -> OpaquePointer? {
        let count = 4096
        let channels = colorSpace == cmsSigGrayData ? 1 : 3
        // See `ColorTransform` for the bit fields of a layout. The target is XYZ in double precision.
        let source = UInt32(channels == 1 ? PT_GRAY : PT_RGB) << 16 | UInt32(channels) << 3 | 2
        let target = 1 << 22 | UInt32(PT_XYZ) << 16 | 3 << 3
        guard let connection = ICCProfile(owning: cmsCreateXYZProfile()),
            let transform = cmsCreateTransform(
                handle, source, connection.handle, target, UInt32(INTENT_RELATIVE_COLORIMETRIC),
                UInt32(cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        defer { cmsDeleteTransform(transform) }
        let values = (0..<count).flatMap { Array(repeating: UInt16($0 * 65535 / (count - 1)), count: channels) }
        var light = [Double](repeating: 0, count: count * 3)
        cmsDoTransform(transform, values, &light, UInt32(count))
        let table = (0..<count).map { UInt16((min(max(light[$0 * 3 + 1], 0), 1) * 65535).rounded()) }
        return cmsBuildTabulatedToneCurve16(nil, UInt32(count), table)
    }

    /// Whether a conversion to sRGB is unnecessary. True if the colorants are those of sRGB, and if the curves differ
    /// from the curve of sRGB by less than 0.002. This is about half a step of an 8-bit value.
    var isSRGB: Bool {
        guard colorSpace == cmsSigRgbData, let reference = ICCProfile.sRGB() else { return false }
        // Lookup tables in a profile take precedence over its colorants, so a profile with tables must be converted.
        guard cmsIsTag(handle, cmsSigAToB0Tag) == 0, cmsIsTag(handle, cmsSigAToB1Tag) == 0 else { return false }
        for tag in [cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag] {
            guard let own = colorant(tag), let other = reference.colorant(tag) else { return false }
            let distance = max(abs(own.X - other.X), abs(own.Y - other.Y), abs(own.Z - other.Z))
            guard distance < 0.0015 else { return false }
        }
        for tag in [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag] {
            guard let own = curve(tag), let other = reference.curve(tag) else { return false }
            for step in 1..<16 {
                let value = Float(step) / 16
                guard abs(cmsEvalToneCurveFloat(own, value) - cmsEvalToneCurveFloat(other, value)) < 0.002 else {
                    return false
                }
            }
        }
        return true
    }

    /// The colorants as columns of a matrix, from RGB light to XYZ. Nil if the profile is not for RGB, has lookup tables,
    /// or lacks a colorant.
    var colorants: [[Double]]? {
        guard colorSpace == cmsSigRgbData, cmsIsTag(handle, cmsSigAToB0Tag) == 0, cmsIsTag(handle, cmsSigAToB1Tag) == 0,
            let red = colorant(cmsSigRedColorantTag), let green = colorant(cmsSigGreenColorantTag),
            let blue = colorant(cmsSigBlueColorantTag)
        else { return nil }
        return [[red.X, green.X, blue.X], [red.Y, green.Y, blue.Y], [red.Z, green.Z, blue.Z]]
    }

    /// The light of `count` values from 0 to 1 in the three curves of an RGB profile, one curve after the other.
    func lightOfValues(count: Int) -> [Float]? {
        var light: [Float] = []
        light.reserveCapacity(3 * count)
        for tag in [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag] {
            guard let curve = curve(tag) else { return nil }
            for index in 0..<count { light.append(cmsEvalToneCurveFloat(curve, Float(index) / Float(count - 1))) }
        }
        return light
    }

    // The profile owns the objects that `cmsReadTag` returns, so do not free them.

    private func curve(_ tag: cmsTagSignature) -> OpaquePointer? { cmsReadTag(handle, tag).map(OpaquePointer.init) }

    private func colorant(_ tag: cmsTagSignature) -> cmsCIEXYZ? {
        cmsReadTag(handle, tag)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee
    }
}
