import CWebImagePixman
public import Foundation
public import WebImageCore

/// A surface to draw on: fills, lines, pictures and gradients under a transform and a clip.
///
/// Coordinates are points, y downwards, with the origin at the top left. Colours are sRGB with 8 bits per channel. Use
/// it on one thread at a time, only inside ``GraphicsImageRenderer/image(_:)``. A shape that cannot be drawn (a
/// coordinate that is not finite, a collapsed transform) draws nothing.
public final class GraphicsContext {
    /// The state that ``saveGState()`` stores and ``restoreGState()`` restores.
    private struct State {
        var transform: CGAffineTransform
        var clip: Clip
        var fill = ImageColor.black
        var stroke = ImageColor.black
        var pen = Pen()
        var alpha = 1.0
        var blendMode = BlendMode.normal
    }

    let canvas: Canvas
    private var state: State
    private var saved: [State] = []
    /// Whether the picture is finished; its pixels must not change any more.
    private var isEnded = false

    init(_ canvas: Canvas, scale: CGFloat) {
        self.canvas = canvas
        state = State(
            transform: CGAffineTransform(scaleX: scale, y: scale), clip: Clip(box: canvas.bounds, mask: nil))
    }

    /// Ends the drawing; later calls draw nothing.
    func end() { isEnded = true }

    // MARK: State

    /// Saves colours, line settings, opacity, blend mode, transform and clip.
    public func saveGState() { saved.append(state) }
    /// Restores the state saved last; does nothing when none is saved.
    public func restoreGState() { if let last = saved.popLast() { state = last } }

    /// Calls `body`, then restores the state from before the call.
    public func withGState<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        let depth = saved.count
        saveGState()
        defer {
            saved.removeLast(max(saved.count - depth - 1, 0))
            if saved.count > depth { restoreGState() }
        }
        return try body()
    }

    /// The colour of fills; black by default.
    public var fillColor: ImageColor {
        get { state.fill }
        set { state.fill = newValue }
    }
    /// The colour of lines; black by default.
    public var strokeColor: ImageColor {
        get { state.stroke }
        set { state.stroke = newValue }
    }
    /// The width of lines in points; 1 by default.
    public var lineWidth: CGFloat {
        get { CGFloat(state.pen.width) }
        set { state.pen.width = Double(newValue) }
    }
    /// The shape of line ends; ``LineCap/butt`` by default.
    public var lineCap: LineCap {
        get { state.pen.cap }
        set { state.pen.cap = newValue }
    }
    /// The shape of joints between lines; ``LineJoin/miter`` by default.
    public var lineJoin: LineJoin {
        get { state.pen.join }
        set { state.pen.join = newValue }
    }
    /// The maximum length of a pointed joint in line widths; longer ones are cut off. 10 by default.
    public var miterLimit: CGFloat {
        get { CGFloat(state.pen.miterLimit) }
        set { state.pen.miterLimit = Double(newValue) }
    }
    /// The opacity of everything drawn, 0…1; 1 by default.
    public var alpha: Double {
        get { state.alpha }
        set { state.alpha = newValue.isNaN ? 0 : min(max(newValue, 0), 1) }
    }
    /// How drawn pixels mix with the surface; `.normal` by default.
    public var blendMode: BlendMode {
        get { state.blendMode }
        set { state.blendMode = newValue }
    }

    // MARK: Transform

    /// The transform from drawing coordinates to pixels.
    public var currentTransform: CGAffineTransform { state.transform }
    /// Applies a transform before the current one.
    public func concatenate(_ transform: CGAffineTransform) {
        state.transform = transform.concatenating(state.transform)
    }
    /// Moves the origin.
    public func translateBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.translatedBy(x: x, y: y) }
    /// Scales the coordinates.
    public func scaleBy(x: CGFloat, y: CGFloat) { state.transform = state.transform.scaledBy(x: x, y: y) }
    /// Rotates about the origin, clockwise, by an angle in radians.
    public func rotate(by angle: CGFloat) { state.transform = state.transform.rotated(by: angle) }

    // MARK: Clip

    /// Limits drawing to the inside of a path, within the current clip.
    public func clip(to path: GraphicsPath, using rule: FillRule = .winding) {
        attempt { () throws(WebImageError) in
            let area = polygons(path)
            let cover = try canvas.coverage(of: area, rule: rule, in: state.clip.box)
            state.clip = try state.clip.intersected(cover, isRect: Self.isAligned(area))
        }
    }

    /// Limits drawing to a rectangle, within the current clip.
    public func clip(to rect: CGRect) { clip(to: GraphicsPath(rect: rect)) }

    // MARK: Inside

    var pen: Pen { state.pen }
    /// The length of a point in pixels, along the axis where it is longer.
    var pixelsPerPoint: Double {
        let transform = state.transform
        let along = length(SIMD2(Double(transform.a), Double(transform.b)))
        return max(along, length(SIMD2(Double(transform.c), Double(transform.d))))
    }

    func polygons(_ path: GraphicsPath) -> [[SIMD2<Double>]] { path.flattened(state.transform).map(\.points) }

    /// Paints the inside of polygons, whose coordinates are pixels.
    func paint(_ polygons: [[SIMD2<Double>]], rule: FillRule, with source: PixmanImage) throws(WebImageError) {
        if Self.isAligned(polygons), let corner = polygons[0].min(by: { $0.sum() < $1.sum() }),
            let other = polygons[0].max(by: { $0.sum() < $1.sum() })
        {
            let limit = SIMD2<Double>(repeating: 40_000)
            let (from, to) = (
                corner.clamped(lowerBound: -limit, upperBound: limit),
                other.clamped(lowerBound: -limit, upperBound: limit)
            )
            let rect = PixelRect(x: Int(from.x), y: Int(from.y), width: Int(to.x - from.x), height: Int(to.y - from.y))
            return try paint(source, in: rect)
        }
        guard let cover = try canvas.coverage(of: polygons, rule: rule, in: state.clip.box) else { return }
        try state.clip.narrow(cover.mask, at: cover.box)
        try fade(cover.mask)
        try canvas.paint(source, state.blendMode, in: cover.box, through: cover.mask)
    }

    /// Paints a rectangle of whole pixels.
    func paint(_ source: PixmanImage, in rect: PixelRect) throws(WebImageError) {
        guard let box = rect.intersection(state.clip.box) else { return }
        var mask: PixelBuffer?
        if state.clip.mask != nil || state.alpha < 1 {
            let full = try PixelBuffer(width: box.width, height: box.height, format: .gray8)
            full.withUnsafeMutableBytes { _ = memset($0.baseAddress!, 255, $0.count) }
            try state.clip.narrow(full, at: box)
            try fade(full)
            mask = full
        }
        try canvas.paint(source, state.blendMode, in: box, through: mask)
    }

    private func fade(_ mask: PixelBuffer) throws(WebImageError) {
        guard state.alpha < 1 else { return }
        try PixmanImage(ImageColor(white: 0, alpha: state.alpha)).composite(PIXMAN_OP_IN, onto: mask)
    }

    /// Whether this is one upright rectangle of whole pixels.
    private static func isAligned(_ polygons: [[SIMD2<Double>]]) -> Bool {
        guard polygons.count == 1, polygons[0].count == 4 else { return false }
        let corners = polygons[0]
        guard corners.allSatisfy({ $0 == $0.rounded(.toNearestOrAwayFromZero) }) else { return false }
        return (0..<4).allSatisfy { index in
            let way = corners[(index + 1) % 4] - corners[index]
            let next = corners[(index + 2) % 4] - corners[(index + 1) % 4]
            return (way.x == 0) != (way.y == 0) && (way.x == 0) != (next.x == 0)
        }
    }

    /// Draws, and logs a failure: memory is short, or pixman cannot make the source. The shape is then missing.
    func attempt(_ draw: () throws(WebImageError) -> Void) {
        guard !isEnded else { return }
        do throws(WebImageError) { try draw() } catch {
            WebImageLog.shared.log(.warning, "drawing failed: \(error)", metadata: error.logMetadata)
        }
    }
}
