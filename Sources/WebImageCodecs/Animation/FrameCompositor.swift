import WebImageCore
import WebImageGraphics

/// Decodes single frames of one file format for ``FrameCompositor``.
protocol AnimationSource: Sendable {
    /// Whether every pixel of a frame is either opaque or fully transparent. If true, the source draws a frame directly
    /// over the canvas, without a separate blend.
    var framesAreMasks: Bool { get }
    /// Whether `draw` can leave rows of the target unchanged, for example after damaged data. If true, the compositor
    /// clears the target before it calls `draw`.
    var mayLeaveRows: Bool { get }
    /// Draws a frame. The top left pixel of the frame is at column `x` and row `y` of the canvas. Returns whether the
    /// file contains all pixels of the frame.
    ///
    /// If `isOver` is false, all pixels of the frame replace pixels of the canvas. If `isOver` is true, only the opaque
    /// pixels of the frame replace pixels of the canvas. `isOver` is true only if ``framesAreMasks`` is true.
    func draw(
        _ index: Int, onto canvas: PixelBuffer, x: Int, y: Int, isOver: Bool, deadline: DecodeDeadline
    ) throws(WebImageError) -> Bool
}

/// Composites the frames of one animation. If frames are requested in order, each request decodes one frame. Any other
/// request starts at the nearest earlier key frame, checkpoint or stored backdrop, and decodes the needed frames after
/// it.
///
/// If possible, a frame is drawn into the canvas of the previous frame. The canvas is copied before drawing only if a
/// delivered image or a stored backdrop still references the canvas. Not thread-safe.
final class FrameCompositor {
    private let plan: FrameDependencies
    private let source: any AnimationSource
    private let format: PixelFormat
    private var backdrop: FrameBackdrop?
    private var scratch: PixelBuffer?
    private let checkpoints: FrameCheckpoints
    /// The number of frames that were decoded so far. A frame that was decoded twice counts twice.
    private(set) var drawnFrameCount = 0

    init(plan: FrameDependencies, source: any AnimationSource, format: PixelFormat, checkpointBytes: Int) {
        self.plan = plan
        self.source = source
        self.format = format
        let canvasBytes = plan.canvas.pixelCount.multipliedReportingOverflow(by: format.bytesPerPixel)
        checkpoints = FrameCheckpoints(
            frameCount: plan.frames.count, canvasBytes: canvasBytes.overflow ? .max : canvasBytes.partialValue,
            byteLimit: checkpointBytes)
    }

    /// Returns the whole canvas after frame `index` was drawn. The frame must exist. Do not modify the returned pixels:
    /// the compositor can use them as the backdrop of the next frame.
    func show(_ index: Int, deadline: DecodeDeadline) throws(WebImageError) -> ShownCanvas {
        var backdrop = nearestBackdrop(to: index)
        while backdrop.frame < index {
            try deadline.check()
            try advance(&backdrop, deadline)
            checkpoints.offer(backdrop)
        }
        return try showFrame(of: &backdrop, deadline)
    }

    /// Returns the latest available backdrop of frame `index` or of an earlier frame. Sets the property `backdrop` to
    /// nil. Otherwise the property would still reference the buffer, and drawing would copy the buffer first.
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

    /// Draws frame `backdrop.frame`. Stores the backdrop of the next frame, so that a request for the next frame is
    /// fast.
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

    /// Returns a buffer for one frame. Reuses the last buffer if it has the same size. In one file, most frames have
    /// the same size.
    private func takeScratch(width: Int, height: Int) throws(WebImageError) -> PixelBuffer {
        if let scratch, scratch.width == width, scratch.height == height { return scratch }
        let fresh = try PixelBuffer(width: width, height: height, format: format)
        scratch = fresh
        return fresh
    }
}
