import WebImageCore
import WebImageGraphics

/// The part of the compositor that depends on the format: draws a single frame.
protocol AnimationSource: Sendable {
    /// Whether each pixel of a frame is either opaque or transparent. Such a frame is drawn over the canvas without a
    /// separate blend.
    var framesAreMasks: Bool { get }
    /// Whether a frame may leave rows of its rectangle undrawn.
    var mayLeaveRows: Bool { get }
    /// Draws a frame with its first pixel at `x`, `y`; returns whether all its pixels were in the file.
    ///
    /// The frame replaces the pixels on the canvas. With `isOver` they stay where the frame is transparent; it is set only
    /// when ``framesAreMasks`` is true.
    func draw(
        _ index: Int, onto canvas: PixelBuffer, x: Int, y: Int, isOver: Bool, deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool
}

/// Composites the frames of one animation: decodes one frame for each request in order, and a bounded number for a
/// request out of order.
///
/// A canvas is copied only if it was delivered, or is needed again, and is also the backdrop of the next frame. For one
/// thread at a time.
final class FrameCompositor {
    private let plan: AnimationPlan
    private let source: any AnimationSource
    private let format: PixelFormat
    private var backdrop: FrameBackdrop?
    private var scratch: PixelBuffer?
    private let checkpoints: FrameCheckpoints
    /// Frames decoded so far.
    private(set) var drawnFrameCount = 0

    init(plan: AnimationPlan, source: any AnimationSource, format: PixelFormat, checkpointBytes: Int) {
        self.plan = plan
        self.source = source
        self.format = format
        let canvasBytes = plan.canvas.pixelCount.multipliedReportingOverflow(by: format.bytesPerPixel)
        checkpoints = FrameCheckpoints(
            frameCount: plan.frames.count, canvasBytes: canvasBytes.overflow ? .max : canvasBytes.partialValue,
            byteLimit: checkpointBytes)
    }

    /// Frame `index`, which must exist, on the whole canvas. The pixels must not be written.
    func show(_ index: Int, deadline: DecodeDeadline) throws(WebImageError) -> ShownCanvas {
        var backdrop = nearestBackdrop(to: index)
        while backdrop.frame < index {
            try deadline.check()
            try advance(&backdrop, deadline)
            checkpoints.offer(backdrop)
        }
        return try showFrame(of: &backdrop, deadline)
    }

    /// Takes the stored backdrop nearest to the frame. It is not shared, so that it can be drawn on in place.
    private func nearestBackdrop(to index: Int) -> FrameBackdrop {
        let known = backdrop
        backdrop = nil
        if let known, known.frame == index { return known }
        if plan.hasClearBackdrop(index) { return FrameBackdrop(clearFor: index) }
        if plan.isIndependent(index) { return FrameBackdrop(unknownFor: index) }
        if let known, known.frame > index { checkpoints.begin() }
        let start = plan.start(for: index)
        var best =
            plan.hasClearBackdrop(start) ? FrameBackdrop(clearFor: start) : FrameBackdrop(unknownFor: start)
        if let known, known.frame < index, known.frame > best.frame { best = known }
        if let checkpoint = checkpoints.nearest(to: index), checkpoint.frame > best.frame { best = checkpoint }
        return best
    }

    private func advance(_ backdrop: inout FrameBackdrop, _ deadline: DecodeDeadline) throws(WebImageError) {
        let index = backdrop.frame
        switch plan.step(after: index) {
        case .nothing: break
        case .clear: try backdrop.clear(plan.frames[index], canvas: plan.canvas)
        case .draw: backdrop = FrameBackdrop(frame: index, shown: try draw(index, on: &backdrop, deadline))
        }
        backdrop.frame = index + 1
    }

    /// Draws the frame of this backdrop and stores the backdrop of the next frame.
    private func showFrame(
        of backdrop: inout FrameBackdrop, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> ShownCanvas {
        let index = backdrop.frame
        let frame = plan.frames[index]
        if frame.disposal == .previous {
            let kept = backdrop
            let shown = try draw(index, on: &backdrop, deadline)
            self.backdrop = kept.isKnown ? kept : nil
            self.backdrop?.frame = index + 1
            return shown
        }
        let shown = try draw(index, on: &backdrop, deadline)
        var next = FrameBackdrop(frame: index + 1, shown: shown)
        if frame.disposal == .background { try next.clear(frame, canvas: plan.canvas) }
        self.backdrop = next
        checkpoints.offer(next)
        return shown
    }

    private func draw(
        _ index: Int, on backdrop: inout FrameBackdrop, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> ShownCanvas {
        let frame = plan.frames[index]
        let covers = frame.covers(plan.canvas)
        if backdrop.isClear || (covers && frame.replacesBackdrop) {
            let canvas = try PixelBuffer(width: plan.canvas.width, height: plan.canvas.height, format: format)
            if !covers || source.mayLeaveRows { canvas.clear() }
            let isWhole = try drawDirectly(index, onto: canvas, deadline)
            return ShownCanvas(pixels: canvas, isOpaque: covers && frame.isOpaque && isWhole)
        }
        let wasOpaque = backdrop.isOpaque
        guard let canvas = try backdrop.takeCanvas(plan.canvas) else { throw .badData("compositor", "no canvas") }
        if frame.replacesBackdrop {
            _ = try drawDirectly(index, onto: canvas, deadline)
            return ShownCanvas(pixels: canvas, isOpaque: wasOpaque && frame.isOpaque)
        }
        try blend(index, onto: canvas, deadline)
        return ShownCanvas(pixels: canvas, isOpaque: wasOpaque)
    }

    private func drawDirectly(
        _ index: Int, onto canvas: PixelBuffer, _ deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool {
        let frame = plan.frames[index]
        guard !frame.isEmpty else { return true }
        drawnFrameCount += 1
        return try source.draw(
            index, onto: canvas, x: frame.x.lowerBound, y: frame.y.lowerBound, isOver: false, deadline: deadline)
    }

    private func blend(_ index: Int, onto canvas: PixelBuffer, _ deadline: DecodeDeadline) throws(WebImageError) {
        let frame = plan.frames[index]
        guard !frame.isEmpty else { return }
        drawnFrameCount += 1
        if source.framesAreMasks {
            _ = try source.draw(
                index, onto: canvas, x: frame.x.lowerBound, y: frame.y.lowerBound, isOver: true, deadline: deadline)
            return
        }
        let above = try takeScratch(width: frame.x.count, height: frame.y.count)
        if source.mayLeaveRows { above.clear() }
        _ = try source.draw(index, onto: above, x: 0, y: 0, isOver: false, deadline: deadline)
        try canvas.blend(above, x: frame.x.lowerBound, y: frame.y.lowerBound)
    }

    /// A buffer for one frame. Frames of a file often have the same size, so the last buffer is reused.
    private func takeScratch(width: Int, height: Int) throws(WebImageError) -> PixelBuffer {
        if let scratch, scratch.width == width, scratch.height == height { return scratch }
        let fresh = try PixelBuffer(width: width, height: height, format: format)
        scratch = fresh
        return fresh
    }
}
