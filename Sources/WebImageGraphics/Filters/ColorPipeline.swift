import CWebImageLCMS
import WebImageCore

/// A colour change that lcms2 applies to each pixel: a matrix between curves, on linear light or on stored values.
struct ColorPipeline {
    /// Three rows of three factors.
    var matrix: [Double] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    /// The offset added to each channel after the matrix.
    var offset: [Double] = [0, 0, 0]
    /// Whether the matrix works on light (true) or on values as stored.
    var isLinear = true

    /// Returns the changed picture with straight colours; alpha is unchanged.
    func apply(to pixels: PixelBuffer, isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        let straight = try pixels.converted(to: .rgba8, isOpaque: isOpaque)
        let result = try PixelBuffer(width: pixels.width, height: pixels.height, format: .rgba8)
        guard let transform = makeTransform() else {
            throw WebImageError(
                .badImageData, stage: .transform,
                underlying: .codec(library: "lcms2", message: "cannot build the colour change")
            )
        }
        HandleLedger.opened("lcms transform")
        cmsDoTransformLineStride(
            transform, straight.baseAddress, result.baseAddress, UInt32(straight.width), UInt32(straight.height),
            UInt32(clamping: straight.bytesPerRow), UInt32(clamping: result.bytesPerRow), 0, 0)
        cmsDeleteTransform(transform)
        HandleLedger.closed("lcms transform")
        return try result.converted(to: .bgra8Premultiplied, isOpaque: isOpaque)
    }

    /// A device link profile of the stages, as a transform between RGBA buffers.
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
        // The second matrix is the identity. With it, lcms2 can use its fast path for matrices between curves.
        let stages = [
            curves(isLinear ? .decoding : .identity), cmsStageAllocMatrix(nil, 3, 3, matrix, offset),
            cmsStageAllocMatrix(nil, 3, 3, ColorPipeline().matrix, ColorPipeline().offset),
            curves(isLinear ? .encoding : .identity),
        ]
        for stage in stages { cmsPipelineInsertStage(pipeline, cmsAT_END, stage) }
        guard cmsWriteTag(profile, cmsSigAToB0Tag, UnsafeRawPointer(pipeline)) != 0 else { return nil }
        // The layout that lcms2 calls `TYPE_RGBA_8`: four bytes, the last of which is not a colour.
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

    /// The same curve for each channel; the stage keeps copies.
    private func stage(_ curve: OpaquePointer) -> OpaquePointer? {
        var channels: [OpaquePointer?] = [curve, curve, curve]
        return cmsStageAllocToneCurves(nil, 3, &channels)
    }

    /// sRGB (IEC 61966-2-1) as lcms2's parametric curve of type 4.
    private static let decoding = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
}
