import CWebImageZimg
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
        let plan = ScalingPlan(source: format, target: target, isOpaque: isOpaque)
        if plan.treatsChannelsAlike, plan.planeCount > 1, height >= Self.shorteningRatio * size.height {
            return try shortened(to: size.height, plan).scaled(to: size, as: target, isOpaque: isOpaque)
        }
        let result = try PixelBuffer(width: size.width, height: size.height, format: target)
        try ResampleGraphPool.withGraph(plan.shape(from: self.size, to: size)) { graph throws(WebImageError) in
            if plan.planeCount == 1 {
                try graph.run(source: PlaneRing(borrowing: self), target: PlaneRing(borrowing: result), callbacks: nil)
                return
            }
            let sourceRing = try PlaneRing(plan: plan, width: width, height: height, rowCount: graph.inputRowCount)
            let targetRing = try PlaneRing(
                plan: plan, width: size.width, height: size.height, rowCount: graph.outputRowCount)
            let packing = try PlanePacking(
                plan: plan, source: self, sourceRing: sourceRing, target: result, targetRing: targetRing)
            try graph.run(source: sourceRing, target: targetRing, callbacks: packing)
        }
        return result
    }

    /// From where on going down to fewer rows first is faster.
    private static let shorteningRatio = 3

    /// The picture with fewer rows: their channels need not be taken apart for that, and few rows are left for which
    /// they must.
    private func shortened(to height: Int, _ plan: ScalingPlan) throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: width, height: height, format: format)
        let samples = width * format.bytesPerPixel / plan.sample.byteCount
        let shape = ResampleGraph.Shape(
            source: PixelSize(width: samples, height: self.height), target: PixelSize(width: samples, height: height),
            sample: plan.sample)
        try ResampleGraphPool.withGraph(shape) { graph throws(WebImageError) in
            try graph.run(source: PlaneRing(borrowing: self), target: PlaneRing(borrowing: result), callbacks: nil)
        }
        return result
    }
}

extension PixelBuffer {
    /// Every sample as another kind of number, at its place: four channels of one layout as those of the other.
    func resampled(as target: PixelFormat) throws(WebImageError) -> PixelBuffer {
        precondition(format.channelCount == target.channelCount)
        let result = try PixelBuffer(width: width, height: height, format: target)
        let samples = PixelSize(width: width * format.channelCount, height: height)
        let shape = ResampleGraph.Shape(
            source: samples, target: samples, sample: ResampleGraph.Sample(format),
            resultSample: ResampleGraph.Sample(target))
        try ResampleGraphPool.withGraph(shape) { graph throws(WebImageError) in
            try graph.run(source: PlaneRing(borrowing: self), target: PlaneRing(borrowing: result), callbacks: nil)
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
    let sample: ResampleGraph.Sample
    /// Straight pixels are multiplied by alpha before filtering.
    let multiplies: Bool
    let alpha: zimg_alpha_type_e

    init(source: PixelFormat, target: PixelFormat, isOpaque: Bool) {
        self.source = source
        self.target = target
        let hasAlpha = source.hasAlpha && !isOpaque
        planeCount = source == .gray8 ? 1 : hasAlpha ? 4 : 3
        sample = ResampleGraph.Sample(source)
        multiplies = hasAlpha && !source.isPremultiplied && target.isPremultiplied
        alpha = !hasAlpha ? ZIMG_ALPHA_NONE : target.isPremultiplied ? ZIMG_ALPHA_PREMULTIPLIED : ZIMG_ALPHA_STRAIGHT
    }

    /// Whether each channel is filtered for itself: alpha is not looked at, or is in the colours already.
    var treatsChannelsAlike: Bool { alpha == ZIMG_ALPHA_NONE || alpha == ZIMG_ALPHA_PREMULTIPLIED && !multiplies }

    /// The graph for it.
    func shape(from source: PixelSize, to target: PixelSize) -> ResampleGraph.Shape {
        ResampleGraph.Shape(
            source: source, target: target, planeCount: planeCount, sample: sample, alpha: alpha)
    }
}
