import CWebImageLCMS
import CWebImagePixelLoops
import WebImageCore

/// Owns one transform to sRGB between buffers of equal size: of lcms2, or tables. Thread-safe; several threads can use the
/// transform at the same time.
final class ColorTransform: Sendable {
    private enum Tables {
        /// For pixels of format `rgba16`.
        case matrix(MatrixColors)
        /// For pixels of high dynamic range.
        case toneMapped(ToneMappedColors)
        /// The result of each value, for pixels of format `gray8`.
        case values([UInt8])
    }

    // `nonisolated(unsafe)` is safe here, because lcms2 does not write to a transform that was created without a cache
    // (`cmsFLAGS_NOCACHE`). Nil if `tables` is set.
    private nonisolated(unsafe) let handle: cmsHTRANSFORM?
    private let tables: Tables?

    /// Returns nil if no conversion is needed or no conversion is possible.
    ///
    /// - Parameter target: The format of the result. It must be `format`, or `rgba8` for `rgba16`. Pixels of high dynamic
    ///   range must not have the format `rgbaHalf`.
    init?(from profile: ColorProfile, format: PixelFormat, to target: PixelFormat) {
        guard let stored = ICCProfile(profile.iccData), !stored.isSRGB else { return nil }
        if let toned = ToneMappedColors(profile, stored) {
            if format == .gray8 {
                guard let values = toned.grayValues else { return nil }
                tables = .values(values)
            } else {
                tables = .toneMapped(toned)
            }
            handle = nil
            return
        }
        switch format {
        case .gray8:
            guard let values = stored.grayValues() else { return nil }
            (tables, handle) = (.values(values), nil)
            return
        case .rgba16:
            guard let matrix = MatrixColors(stored) else { break }
            (tables, handle) = (.matrix(matrix), nil)
            return
        default: break
        }
        let created: cmsHTRANSFORM?
        switch stored.colorSpace {
        case cmsSigGrayData:
            guard let expanded = stored.expandedToRGB() else { return nil }
            created = Self.create(expanded, from: format, to: target)
        case cmsSigRgbData: created = Self.create(stored, from: format, to: target)
        default: return nil
        }
        guard let created else { return nil }
        (handle, tables) = (created, nil)
    }

    /// Creates a transform from CMYK (four samples of ink per pixel, of 8 or 16 bits) to RGB of the same depth. The fourth
    /// sample of the target is not written. Source and target can be the same buffer. Returns nil if the profile is not a
    /// CMYK profile.
    init?(fromInkOf profile: ColorProfile, isInverted: Bool, isDeep: Bool) {
        guard
            let stored = ICCProfile(profile.iccData), stored.colorSpace == cmsSigCmykData,
            let target = ICCProfile.sRGB()
        else { return nil }
        // An lcms2 layout is a number with bit fields. Each field starts at a fixed bit: the colour space at 16, the
        // inversion at 13, the number of extra channels at 7, the number of channels at 3, the bytes per channel at 0.
        let bytes: UInt32 = isDeep ? 2 : 1
        let ink = UInt32(PT_CMYK) << 16 | (isInverted ? 1 << 13 : 0) | 4 << 3 | bytes
        let rgba = UInt32(PT_RGB) << 16 | 1 << 7 | 3 << 3 | bytes
        guard
            let created = cmsCreateTransform(
                stored.handle, ink, target.handle, rgba, UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOCACHE))
        else { return nil }
        (handle, tables) = (created, nil)
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
        (handle, tables) = (created, nil)
    }

    deinit {
        if let handle { cmsDeleteTransform(handle) }
    }

    func apply(from source: PixelBuffer, to target: PixelBuffer) {
        switch tables {
        case .matrix(let matrix): matrix.apply(from: source, to: target)
        case .toneMapped(let toned): toned.apply(from: source, to: target)
        case .values(let values):
            webimage_map_bytes(
                source.bytes(ofRow: 0), source.bytesPerRow, target.bytes(ofRow: 0), target.bytesPerRow, source.width,
                source.height, values)
        case nil: apply(from: source, to: target, rows: 0..<source.height)
        }
    }

    /// Converts some rows, with a transform of lcms2.
    func apply(from source: PixelBuffer, to target: PixelBuffer, rows: Range<Int>) {
        guard let handle else { return }
        cmsDoTransformLineStride(
            handle, source.baseAddress + rows.lowerBound * source.bytesPerRow,
            target.baseAddress + rows.lowerBound * target.bytesPerRow, UInt32(source.width), UInt32(rows.count),
            UInt32(clamping: source.bytesPerRow), UInt32(clamping: target.bytesPerRow), 0, 0)
    }

    private static func create(
        _ source: borrowing ICCProfile, from format: PixelFormat, to target: PixelFormat
    ) -> cmsHTRANSFORM? {
        guard let sRGB = ICCProfile.sRGB() else { return nil }
        var flags = UInt32(cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE)
        // lcms2 computes 8-bit pixels with the curves and the matrix of a profile. For more bits it replaces these by a
        // table of 33 points per side, which is wrong by up to 36 of 255 steps where colours leave the gamut of sRGB.
        if format.bitsPerComponent > 8 { flags |= UInt32(cmsFLAGS_NOOPTIMIZE) }
        return cmsCreateTransform(
            source.handle, layout(of: format), sRGB.handle, layout(of: target), UInt32(INTENT_PERCEPTUAL), flags)
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
