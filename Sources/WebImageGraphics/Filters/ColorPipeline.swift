import CWebImageLCMS
import WebImageCore

/// Changes the colour of each pixel by a matrix, on linear light or on stored values. lcms2 computes the result.
struct ColorPipeline {
    /// The 3×3 matrix, row by row.
    var matrix: [Double] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    /// The values that are added to red, green and blue after the matrix was applied.
    var offset: [Double] = [0, 0, 0]
    /// Whether the matrix applies to linear light. If false, it applies to the stored values.
    var isLinear = true

    /// Returns the changed picture in the display format. The matrix applies to straight colours; alpha is unchanged.
    func apply(to pixels: PixelBuffer, isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        let straight = try pixels.converted(to: .rgba8, isOpaque: isOpaque)
        let result = try PixelBuffer(width: pixels.width, height: pixels.height, format: .rgba8)
        guard let transform = makeTransform() else {
            throw WebImageError(
                .badImageData, stage: .transform,
                underlying: .codec(library: "lcms2", message: "cannot make the colour transform")
            )
        }
        HandleLedger.opened("lcms transform")
        defer {
            cmsDeleteTransform(transform)
            HandleLedger.closed("lcms transform")
        }
        try WorkBudget.forBands(of: straight) { rows in
            cmsDoTransformLineStride(
                transform, straight.baseAddress + rows.lowerBound * straight.bytesPerRow,
                result.baseAddress + rows.lowerBound * result.bytesPerRow, UInt32(straight.width), UInt32(rows.count),
                UInt32(clamping: straight.bytesPerRow), UInt32(clamping: result.bytesPerRow), 0, 0)
        }
        return try result.converted(to: .bgra8Premultiplied, isOpaque: isOpaque)
    }

    /// Creates a transform between RGBA buffers. The transform consists of the stages of a device link profile.
    private func makeTransform() -> cmsHTRANSFORM? {
        guard let profile = cmsCreateProfilePlaceholder(nil), let pipeline = cmsPipelineAlloc(nil, 3, 3) else {
            return nil
        }
        defer {
            cmsPipelineFree(pipeline)
            cmsCloseProfile(profile)
        }
        cmsSetDeviceClass(profile, cmsSigLinkClass)
        cmsSetColorSpace(profile, cmsSigRgbData)
        cmsSetPCS(profile, cmsSigRgbData)
        cmsSetProfileVersion(profile, 4.3)
        // Add an identity matrix, because lcms2's fast path requires exactly these stages: curves, two matrices,
        // curves.
        let stages = [
            curves(isLinear ? .decoding : .identity), cmsStageAllocMatrix(nil, 3, 3, matrix, offset),
            cmsStageAllocMatrix(nil, 3, 3, ColorPipeline().matrix, ColorPipeline().offset),
            curves(isLinear ? .encoding : .identity),
        ]
        for stage in stages { cmsPipelineInsertStage(pipeline, cmsAT_END, stage) }
        guard cmsWriteTag(profile, cmsSigAToB0Tag, UnsafeRawPointer(pipeline)) != 0 else { return nil }
        // lcms2's layout TYPE_RGBA_8: four bytes per pixel, of which the last byte is not a colour.
        let layout = UInt32(PT_RGB) << 16 | 1 << 7 | 3 << 3 | 1
        var profiles: [cmsHPROFILE?] = [profile]
        return cmsCreateMultiprofileTransform(
            &profiles, 1, layout, layout, UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_COPY_ALPHA | cmsFLAGS_NOCACHE))
    }

    private enum Curve { case identity, decoding, encoding }

    private func curves(_ kind: Curve) -> OpaquePointer? {
        let forward =
            kind == .identity
            ? cmsBuildParametricToneCurve(nil, 1, [1]) : cmsBuildParametricToneCurve(nil, 4, Self.decoding)
        guard let forward else { return nil }
        defer { cmsFreeToneCurve(forward) }
        guard kind == .encoding else { return stage(forward) }
        guard let backward = cmsReverseToneCurve(forward) else { return nil }
        defer { cmsFreeToneCurve(backward) }
        return stage(backward)
    }

    /// Returns a stage that applies one curve to each channel. The stage copies the curve.
    private func stage(_ curve: OpaquePointer) -> OpaquePointer? {
        var channels: [OpaquePointer?] = [curve, curve, curve]
        return cmsStageAllocToneCurves(nil, 3, &channels)
    }

    /// The parameters of the sRGB curve (IEC 61966-2-1) for lcms2's parametric curve of type 4.
    private static let decoding = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
}
