import CWebImageLCMS
import WebImageCore

/// Owns one lcms2 transform to sRGB between buffers of equal size. Thread-safe; several threads can use the transform
/// at the same time.
final class ColorTransform: Sendable {
    // `nonisolated(unsafe)` is safe here, because lcms2 does not write to a transform that was created without a cache
    // (`cmsFLAGS_NOCACHE`).
    private nonisolated(unsafe) let handle: cmsHTRANSFORM

    /// Returns nil if no conversion is needed or no conversion is possible.
    init?(from profile: ColorProfile, format: PixelFormat) {
        guard let stored = ICCProfile(profile.iccData) else { return nil }
        let created: cmsHTRANSFORM?
        switch (stored.colorSpace, format) {
        case (cmsSigGrayData, .gray8):
            guard let target = ICCProfile.sRGBGray() else { return nil }
            created = Self.create(stored, target, format)
        case (cmsSigGrayData, _):
            guard let expanded = stored.expandedToRGB(), let target = ICCProfile.sRGB() else { return nil }
            created = Self.create(expanded, target, format)
        case (cmsSigRgbData, .gray8): return nil
        case (cmsSigRgbData, _):
            guard !stored.isSRGB, let target = ICCProfile.sRGB() else { return nil }
            created = Self.create(stored, target, format)
        default: return nil
        }
        guard let created else { return nil }
        handle = created
    }

    /// Creates a transform from CMYK (four bytes of ink per pixel) to RGB. The fourth byte of the target is not
    /// written. Source and target can be the same buffer. Returns nil if the profile is not a CMYK profile.
    init?(fromInkOf profile: ColorProfile, isInverted: Bool) {
        guard
            let stored = ICCProfile(profile.iccData), stored.colorSpace == cmsSigCmykData,
            let target = ICCProfile.sRGB()
        else { return nil }
        // An lcms2 layout is a number with bit fields. Each field starts at a fixed bit: the colour space at 16, the
        // inversion at 13, the number of extra channels at 7, the number of channels at 3, the bytes per channel at 0.
        let ink = UInt32(PT_CMYK) << 16 | (isInverted ? 1 << 13 : 0) | 4 << 3 | 1
        let rgba = UInt32(PT_RGB) << 16 | 1 << 7 | 3 << 3 | 1
        guard
            let created = cmsCreateTransform(
                stored.handle, ink, target.handle, rgba, UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOCACHE))
        else { return nil }
        handle = created
    }

    /// Creates a transform from L*a*b* with 16 bits and an alpha channel. Nil only if no memory is left.
    init?(fromLabTo format: PixelFormat) {
        guard let source = ICCProfile(owning: cmsCreateLab4Profile(nil)), let target = ICCProfile.sRGB() else {
            return nil
        }
        let lab = UInt32(PT_Lab) << 16 | 1 << 7 | 3 << 3 | 2
        guard
            let created = cmsCreateTransform(
                source.handle, lab, target.handle, Self.layout(of: format), UInt32(INTENT_RELATIVE_COLORIMETRIC),
                UInt32(cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE))
        else { return nil }
        handle = created
    }

    deinit {
        cmsDeleteTransform(handle)
    }

    func apply(from source: PixelBuffer, to target: PixelBuffer) {
        apply(from: source, to: target, rows: 0..<source.height)
    }

    func apply(from source: PixelBuffer, to target: PixelBuffer, rows: Range<Int>) {
        cmsDoTransformLineStride(
            handle, source.baseAddress + rows.lowerBound * source.bytesPerRow,
            target.baseAddress + rows.lowerBound * target.bytesPerRow, UInt32(source.width), UInt32(rows.count),
            UInt32(clamping: source.bytesPerRow), UInt32(clamping: target.bytesPerRow), 0, 0)
    }

    private static func create(
        _ source: borrowing ICCProfile, _ target: borrowing ICCProfile, _ format: PixelFormat
    ) -> cmsHTRANSFORM? {
        let layout = layout(of: format)
        return cmsCreateTransform(
            source.handle, layout, target.handle, layout, UInt32(INTENT_PERCEPTUAL),
            UInt32(cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE))
    }

    // lcms2 defines layouts with function-like macros, which Swift cannot import. Each bit field of a layout starts at
    // a fixed bit: the flag for floating point at 22, the colour space at 16, the flag for a first channel that is
    // moved to the end at 14, the flag for reversed order at 10, the number of extra channels at 7, the number of
    // channels at 3, the bytes per channel at 0.
    private static func layout(of format: PixelFormat) -> UInt32 {
        let rgb = UInt32(PT_RGB) << 16 | 3 << 3
        return switch format {
        case .gray8: UInt32(PT_GRAY) << 16 | 1 << 3 | 1
        case .rgb8: rgb | 1
        case .rgba8: rgb | 1 << 7 | 1
        case .bgra8Premultiplied: rgb | 1 << 14 | 1 << 10 | 1 << 7 | 1
        case .rgba16: rgb | 1 << 7 | 2
        case .rgbaHalf: rgb | 1 << 22 | 1 << 7 | 2
        }
    }
}
