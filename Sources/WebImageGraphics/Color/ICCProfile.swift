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

    /// Returns a grey profile with the transfer curve of sRGB.
    static func sRGBGray() -> ICCProfile? {
        guard let reference = sRGB(), let curve = reference.curve(cmsSigRedTRCTag) else { return nil }
        return ICCProfile(owning: cmsCreateGrayProfile(cmsD50_xyY(), curve))
    }

    var colorSpace: cmsColorSpaceSignature { cmsGetColorSpace(handle) }

    /// Creates an RGB profile from a grey profile. An RGB pixel whose three channels are v has the same colour as a
    /// grey pixel of value v in the grey profile.
    func expandedToRGB() -> ICCProfile? {
        guard let curve = curve(cmsSigGrayTRCTag) else { return nil }
        var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
        var primaries = cmsCIExyYTRIPLE(
            Red: .init(x: 0.64, y: 0.33, Y: 1), Green: .init(x: 0.30, y: 0.60, Y: 1),
            Blue: .init(x: 0.15, y: 0.06, Y: 1))
        var curves: [OpaquePointer?] = [curve, curve, curve]
        return ICCProfile(owning: cmsCreateRGBProfile(&white, &primaries, &curves))
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

    // The profile owns the objects that `cmsReadTag` returns, so do not free them.

    private func curve(_ tag: cmsTagSignature) -> OpaquePointer? { cmsReadTag(handle, tag).map(OpaquePointer.init) }

    private func colorant(_ tag: cmsTagSignature) -> cmsCIEXYZ? {
        cmsReadTag(handle, tag)?.assumingMemoryBound(to: cmsCIEXYZ.self).pointee
    }
}
