import CZimg
package import WebImageCore

extension PixelBuffer {
    /// The same picture at another size, Lanczos filtered by zimg, transparency weighted correctly; itself when it has
    /// that size.
    ///
    /// `isOpaque` promises that alpha is 255 everywhere, which saves a plane.
    package func scaled(to size: PixelSize, isOpaque: Bool = false) throws(WebImageError) -> PixelBuffer {
        if size == PixelSize(width: width, height: height) { return self }
        return try scaled(to: size, as: format, isOpaque: isOpaque)
    }

    /// Scales and, from straight to premultiplied, multiplies on the way; `target` is otherwise the buffer's layout.
    func scaled(to size: PixelSize, as target: PixelFormat, isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: size.width, height: size.height, format: target)
        let plan = ScalingPlan(source: format, target: target, isOpaque: isOpaque)
        let graph = try ResampleGraph(from: PixelSize(width: width, height: height), to: size, plan: plan)
        if plan.planeCount == 1 {
            try graph.run(source: PlaneRing(borrowing: self), target: PlaneRing(borrowing: result), callbacks: nil)
        } else {
            let sourceRing = try PlaneRing(plan: plan, width: width, height: height, rowCount: graph.inputRowCount)
            let targetRing = try PlaneRing(
                plan: plan, width: size.width, height: size.height, rowCount: graph.outputRowCount)
            let packing = try PlanePacking(
                plan: plan, source: self, sourceRing: sourceRing, target: result, targetRing: targetRing)
            try graph.run(source: sourceRing, target: targetRing, callbacks: packing)
        }
        return result
    }
}

/// Which planes are resampled and how alpha takes part.
struct ScalingPlan {
    let source: PixelFormat
    let target: PixelFormat
    /// 1 grey; 3 red, green, blue; 4 with alpha.
    let planeCount: Int
    /// Bytes of a sample: 1 or 2.
    let sampleBytes: Int
    /// Straight pixels are multiplied by alpha before filtering.
    let multiplies: Bool
    let alpha: zimg_alpha_type_e

    init(source: PixelFormat, target: PixelFormat, isOpaque: Bool) {
        self.source = source
        self.target = target
        let hasAlpha = source.hasAlpha && !isOpaque
        planeCount = source == .gray8 ? 1 : hasAlpha ? 4 : 3
        sampleBytes = source.bitsPerComponent / 8
        multiplies = hasAlpha && !source.isPremultiplied && target.isPremultiplied
        alpha = !hasAlpha ? ZIMG_ALPHA_NONE : target.isPremultiplied ? ZIMG_ALPHA_PREMULTIPLIED : ZIMG_ALPHA_STRAIGHT
    }
}
