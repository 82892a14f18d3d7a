import CWebImageZimg
package import WebImageCore

extension PixelBuffer {
    /// Returns a part of the picture scaled to `size`, or the receiver if nothing changes.
    ///
    /// zimg scales the picture with a Lanczos filter. Colours are weighted by alpha, so that transparent pixels do
    /// not affect visible colours.
    ///
    /// - Parameters:
    ///   - region: The part that becomes the result; nil means the whole picture. At the edges of the part, the filter
    ///     also reads the pixels around it. A part of whole pixels that already has the size is copied.
    ///   - isOpaque: Whether the caller guarantees that alpha is 255 for all pixels. If true, the alpha channel is not
    ///     scaled.
    /// - Throws: `.limitExceeded` before anything is allocated if a side is so long that the weights of the filter would
    ///   need over 128 MiB: from about 250,000 px of the result, or 700,000 px of the receiver.
    package func scaled(
        to size: PixelSize, from region: PixelRegion? = nil, isOpaque: Bool = false
    ) throws(WebImageError) -> PixelBuffer {
        let region = region ?? PixelRegion(self.size)
        if let part = PixelRect(region), part.size == size,
            part.intersection(width: width, height: height) == part
        {
            return try cropped(to: part)
        }
        return try scaled(to: size, from: region, as: format, isOpaque: isOpaque)
    }

    /// Returns a part of the picture scaled to `size`. If the receiver is straight and `target` is premultiplied, the
    /// picture is also premultiplied. In all other cases, `target` must be the receiver's format.
    ///
    /// Two kinds of pictures are scaled by a second call: a tiny one inside a frame of its own border pixels, which zimg would
    /// mirror, and one whose side becomes much smaller, from the larger size that one step can reach in time.
    func scaled(
        to size: PixelSize, from region: PixelRegion, as target: PixelFormat, isOpaque: Bool
    ) throws(WebImageError) -> PixelBuffer {
        if let frame = tinyFrame(for: region, to: size) {
            let moved = PixelRegion(
                left: region.left + Double(frame.x), top: region.top + Double(frame.y), width: region.width,
                height: region.height)
            return try continued(by: frame).scaled(to: size, from: moved, as: target, isOpaque: isOpaque)
        }
        let plan = ScalingCall(source: format, target: target, isOpaque: isOpaque)
        // `size`, unless it is too small for one step.
        let near = plan.firstSize(from: region, to: size)
        if near != size {
            return try scaled(to: near, from: region, as: target, isOpaque: isOpaque).scaled(
                to: size, isOpaque: isOpaque)
        }
        // Only these pixels are read: the region and those around it that the filter reaches.
        let window = PixelWindow(self, for: region, to: size)
        var part = window.moved(region)
        if plan.isShortenedFirst(from: region, to: size) {
            let short = try shortened(window, from: part, to: size.height, plan)
            (part.top, part.height) = (0, Double(size.height))
            return try short.scaled(to: size, from: part, as: target, isOpaque: isOpaque)
        }
        let shape = try plan.shape(from: window.size, part, to: size)
        let result = try PixelBuffer(width: size.width, height: size.height, format: target)
        try ResampleGraphPool.withGraph(shape) { graph throws(WebImageError) in
            if plan.planeCount == 1 {
                try graph.run(source: PlaneRing(borrowing: window), target: PlaneRing(borrowing: result))
                return
            }
            let sourceRing = try PlaneRing(
                plan: plan, width: window.size.width, height: window.size.height, rowCount: graph.inputRowCount)
            let targetRing = try PlaneRing(
                plan: plan, width: size.width, height: size.height, rowCount: graph.outputRowCount)
            let packing = try PlanePacking(
                plan: plan, source: window, sourceRing: sourceRing, target: result, targetRing: targetRing)
            try graph.run(source: sourceRing, target: targetRing, callbacks: packing)
        }
        return result
    }

    /// Returns the rows of `part` scaled to fewer rows, with all columns of the window. This step works on interleaved
    /// pixels. The following step splits the pixels into planes. Splitting takes less time for fewer rows.
    private func shortened(
        _ window: PixelWindow, from part: PixelRegion, to height: Int, _ plan: ScalingCall
    ) throws(WebImageError) -> PixelBuffer {
        let shape = try plan.shorteningShape(from: window.size, part, to: height)
        let result = try PixelBuffer(width: window.size.width, height: height, format: format)
        try ResampleGraphPool.withGraph(shape) { graph throws(WebImageError) in
            try graph.run(source: PlaneRing(borrowing: window), target: PlaneRing(borrowing: result))
        }
        return result
    }
}

extension PixelBuffer {
    /// Converts every sample to the number type of `target`. Both formats must have the same number of channels.
    func resampled(as target: PixelFormat) throws(WebImageError) -> PixelBuffer {
        precondition(format.channelCount == target.channelCount)
        let result = try PixelBuffer(width: width, height: height, format: target)
        let samples = PixelSize(width: width * format.channelCount, height: height)
        let shape = ResampleGraph.Shape(
            source: samples, target: samples, sample: ResampleGraph.Sample(format),
            resultSample: ResampleGraph.Sample(target))
        try ResampleGraphPool.withGraph(shape) { graph throws(WebImageError) in
            try graph.run(source: PlaneRing(borrowing: self), target: PlaneRing(borrowing: result))
        }
        return result
    }
}

/// Describes one call of a scaling function: how many planes zimg scales, and how zimg treats alpha.
struct ScalingCall {
    let source: PixelFormat
    let target: PixelFormat
    /// The number of planes: 1 for grey; 3 for red, green and blue; 4 with alpha.
    let planeCount: Int
    let sample: ResampleGraph.Sample
    /// Whether straight pixels are multiplied by alpha before they are scaled.
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

    /// Whether each channel can be scaled independently. True if there is no alpha, or if the colours are already
    /// premultiplied.
    var treatsChannelsAlike: Bool { alpha == ZIMG_ALPHA_NONE || alpha == ZIMG_ALPHA_PREMULTIPLIED && !multiplies }

    /// The minimum ratio of source height to target height for a separate first step. From this ratio on, it is faster
    /// to reduce the number of rows first.
    private static let shorteningRatio = 3

    /// Whether the number of rows is reduced in a separate first step.
    func isShortenedFirst(from region: PixelRegion, to target: PixelSize) -> Bool {
        treatsChannelsAlike && planeCount > 1 && region.height >= Double(Self.shorteningRatio * target.height)
    }

    /// Returns the size to which the picture is scaled first: `target`, or a larger one if a side becomes so much smaller
    /// that one step would take too long.
    func firstSize(from region: PixelRegion, to target: PixelSize) -> PixelSize {
        func side(_ length: Double, _ target: Int) -> Int {
            max(target, Int((length / Double(ResampleGraph.Shape.mostRatio)).rounded(.up)))
        }
        return PixelSize(width: side(region.width, target.width), height: side(region.height, target.height))
    }

    /// Returns the parameters of the first step. This step treats all channels as one plane.
    ///
    /// - Throws: `.limitExceeded` for sides that are too long.
    func shorteningShape(
        from size: PixelSize, _ region: PixelRegion, to height: Int
    ) throws(WebImageError) -> ResampleGraph.Shape {
        let samples = size.width * source.bytesPerPixel / sample.byteCount
        let shape = ResampleGraph.Shape(
            source: PixelSize(width: samples, height: size.height),
            region: PixelRegion(left: 0, top: region.top, width: Double(samples), height: region.height),
            target: PixelSize(width: samples, height: height), sample: sample)
        try shape.check()
        return shape
    }

    /// Returns the parameters of the zimg graph for this plan.
    ///
    /// - Throws: `.limitExceeded` for sides that are too long.
    func shape(
        from source: PixelSize, _ region: PixelRegion, to target: PixelSize
    ) throws(WebImageError) -> ResampleGraph.Shape {
        let shape = ResampleGraph.Shape(
            source: source, region: region, target: target, planeCount: planeCount, sample: sample, alpha: alpha)
        try shape.check()
        return shape
    }
}
