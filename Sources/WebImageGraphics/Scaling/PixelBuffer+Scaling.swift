import CWebImageZimg
package import WebImageCore

extension PixelBuffer {
    /// Scales the picture with zimg's Lanczos filter, colours weighted by alpha; returns itself when it has that size.
    ///
    /// `isOpaque` promises that alpha is 255 everywhere, which saves a plane.
    package func scaled(to size: PixelSize, isOpaque: Bool = false) throws(WebImageError) -> PixelBuffer {
        if size == PixelSize(width: width, height: height) { return self }
        return try scaled(to: size, as: format, isOpaque: isOpaque)
    }

    /// Scales, and premultiplies on the way when only `target` is premultiplied; otherwise `target` must be the
    /// buffer's layout.
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

    /// The vertical reduction from which scaling the height first is faster (source rows per target row).
    private static let shorteningRatio = 3

    /// Scales only the height, which needs no split into channels; far fewer rows then remain to be split for the
    /// width.
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
    /// Converts every sample to the number type of another layout with the same number of channels, in the same order.
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

    /// Whether each channel is filtered independently: alpha is ignored or already multiplied into the colours.
    var treatsChannelsAlike: Bool { alpha == ZIMG_ALPHA_NONE || alpha == ZIMG_ALPHA_PREMULTIPLIED && !multiplies }

    /// The shape of the graph for this plan.
    func shape(from source: PixelSize, to target: PixelSize) -> ResampleGraph.Shape {
        ResampleGraph.Shape(
            source: source, target: target, planeCount: planeCount, sample: sample, alpha: alpha)
    }
}
